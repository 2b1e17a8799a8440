"""Orders to remote services: the verb says whether one looks, changes, deletes, hands out rights or reveals secrets.

A table entry that names the sub-command speaks first. Otherwise the words before the first option are searched: a
phrase that reveals or grants wins, then a verb that deletes, then the last verb that is known at all, because names
of groups look like verbs (`gcloud run services list`, `gh release delete`). No known verb: we say that we do not know.
"""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
    Finding,
)
from sandgate.assessment.inline import host_of
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.judges.naming import loses_data
from sandgate.assessment.judges.network import private_input, send_files
from sandgate.assessment.knowledge import ENTRIES, entry_for
from sandgate.assessment.knowledge.services import (
    CHANGING,
    CONNECTING,
    DELETING,
    GRANTING,
    LEAKING,
    LOCAL,
    LOOKING,
    PRINTING,
    REVEALING,
    SECRET_NAMES,
    SERVICES,
    SHARING,
)
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import shown
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel

    Deed = str

VERB_WORDS = 6  # words behind the program's name among which the verb stands
# Services whose verb has a fixed place: everything behind it is a name.
FIXED_VERB = {"aws": 2, "awslocal": 2, "aliyun": 2, "tccli": 2, "s3cmd": 1, "s5cmd": 1, "mc": 1, "b2": 2, "gsutil": 1,
              "rabbitmqctl": 1, "terraform": 2, "bq": 1, "azcopy": 1, "eb": 1, "surge": 1, "now": 1, "heroku": 1,
              "helmfile": 1, "packer": 1, "sentry-cli": 2, "dokku": 1, "consul": 2, "vault": 3, "bao": 3}  # fmt: skip
REHEARSALS = "--dry-run --dryrun --what-if --check --help --generate-cli-skeleton --no-execute-changeset --noop"
ASKING = frozenset({"help", "--help", "-h", "--version", "version", "-version", "-V", "completion"})
DESTROYING = (
    "-purge --purge -destroy --destroy --delete --force-destroy --delete-data --prune --remove-data --wipe -replace "
    "--replace"
)
# What keeps watch over an account, and what it has written down.
WATCHING = ("cloudtrail", "guardduty", "securityhub", "inspector", "macie", "audit", "flow-log", "configservice",
            "logging",
            "access-analyzer", "detector", "diagnostic-settings", "log-profiles", "sinks", "cloudwatch",
            "protection", "ruleset", "org-policies", "policy")  # fmt: skip
SENDING = frozenset({"upload", "publish", "push"})
UPLOADS = frozenset({"put-object", "put-file", "put-item-file", "upload-batch", "upload-part"})
# Where changes are made for review: writing there is ordinary work.
FORGES = frozenset({"gh", "glab", "hub", "tea", "jira", "linear", "sentry-cli", "circleci", "travis"})
PUBLIC_ACCESS = ("public-read", "public-read-write", "allusers", "allauthenticatedusers", "0.0.0.0/0", "::/0",
                 "--allow-unauthenticated", "--publicly-accessible", "authenticated-read", "--public")  # fmt: skip


COPYING = frozenset({"cp", "sync", "mv", "rsync", "mirror", "copy", "move", "put", "get", "upload-file"})
COPY_VALUES = ("--acl --exclude --include --storage-class --content-type --cache-control --metadata --sse "
               "--sse-kms-key-id --grants -j -x -z --expires --profile --region --endpoint-url")  # fmt: skip


class Meaning(Record):
    """What a kind of verb amounts to."""

    level: RiskLevel
    kind: FactKind
    does: str
    categories: tuple[RiskCategory, ...]
    consequence: str = ""


MEANINGS: dict[str, Meaning] = {
    "asking": Meaning(LOW, "reads", "Shows help or a version of {}", ()),
    "local": Meaning(MEDIUM, "runs", "Works on this machine through {}", ()),
    "connecting": Meaning(MEDIUM, "contacts", "Connects to a remote service through {}", (NETWORK,)),
    "contributing": Meaning(MEDIUM, "contacts", "Writes to a code host through {}", (NETWORK,)),
    "looking": Meaning(MEDIUM, "contacts", "Asks a remote service through {}", (NETWORK,)),
    "changing": Meaning(HIGH, "contacts", "Changes a remote service through {}", (SYSTEM, NETWORK)),
    "deleting": Meaning(HIGH, "deletes", "Deletes things of a remote service through {}", (DELETION, NETWORK),
                        "Other people may depend on them"),
    "granting": Meaning(HIGH, "privilege", "Changes who may do what at a remote service through {}",
                        (PRIVILEGE, SYSTEM, NETWORK, COMPLIANCE)),
    "leaking": Meaning(HIGH, "reads", "Prints secrets of a remote service through {}", (EXFILTRATION, NETWORK)),
}  # fmt: skip


def judge_service(call: Call, inquiry: Inquiry) -> None:
    """A program of the service table: by a table entry of its sub-command, or by its verb."""
    top = ENTRIES[call.program]
    options = parsed(call.args, top.values, clusters=False)
    named = [arg.text for arg in options.operands]
    specific = entry_for([call.program, *named])
    if call.args and all(arg.text in ASKING for arg in call.args[:1]) and len(call.args) <= 2:
        _note(MEANINGS["asking"], call, (), inquiry)
    elif (
        specific is not None
        and specific is not top
        and deed_of(call) not in {"deleting", "granting", "leaking"}
        and not options.has(DESTROYING)
    ):
        by_table(call, inquiry)
    elif options.has(REHEARSALS) or not _copies(call, inquiry):
        _by_verb(call, inquiry)
    _asks_for_loss(call, inquiry)
    _sends(call, inquiry)
    _commands(call, inquiry)


def _asks_for_loss(call: Call, inquiry: Inquiry) -> None:
    """`bq query 'DELETE FROM …'`, `athena start-query-execution --query-string 'DROP TABLE …'`."""
    if call.program in FORGES:
        return
    for arg in call.args:
        if " " in arg.text and loses_data(arg.text):
            inquiry.add(HIGH, "deletes", call.program, "a statement that loses data", "Deletes data in a database",
                        "Only a backup can bring it back", (DELETION, NETWORK))  # fmt: skip
            return


def _commands(call: Call, inquiry: Inquiry) -> None:
    """`gcloud compute ssh vm --command CMD`, `fly ssh console -C CMD`, `heroku run -- CMD`, `az … --scripts CMD`."""
    texts = [arg.text for arg in call.args]
    if not {"ssh", "exec", "run", "run-command", "execute-command", "invoke", "console", "shell"} & set(texts[:5]):
        return
    given = parsed(call.args, "--command -C -c --scripts", clusters=False).value("--command -C -c --scripts")
    if given is not None:
        inquiry.run(call.inside("sh", [given.but(text="-c", raw=""), given], remote=True))
    elif "--" in texts:
        rest = call.args[texts.index("--") + 1 :]
        if rest:
            inquiry.run(call.inside(rest[0].text, rest[1:], remote=True))


def _copies(call: Call, inquiry: Inquiry) -> bool:
    """Storage services: copying there is sending, copying from there is downloading, `--delete` deletes."""
    path = verb_path(call)
    verb = next((word for word in path[:2] if word in COPYING), None)
    if verb is None:
        return False
    options = parsed(call.args, f"{ENTRIES[call.program].values} {COPY_VALUES}", clusters=False)
    words = [arg.text for arg in options.operands]
    places = options.operands[words.index(verb) + 1 :] if verb in words else ()
    if verb in {"put", "upload-file"}:
        sources, destination = places[: max(len(places) - 1, 1)], places[-1] if len(places) > 1 else None
    else:
        sources, destination = places[:-1], places[-1] if places else None
    if destination is None or not any(_there(arg.text, call.program) for arg in places):
        return False
    host = host_of(next(arg.text for arg in places if _there(arg.text, call.program)))
    inquiry.contact(host, call)
    deletes = options.has(
        "--delete --remove --delete-removed --delete-destination --delete-unmatched-destination-objects -d"
    )
    if _there(destination.text, call.program):
        for arg in sources:
            if not _there(arg.text, call.program):
                inquiry.read(arg, call, recursive=True)
        local = [arg for arg in sources if not _there(arg.text, call.program)]
        if any(_is_public(arg.text.lower()) for arg in call.args):
            inquiry.send("files", f"everybody through {host}")
        else:
            send_files(local, host, call, inquiry)
        if deletes:
            inquiry.add(HIGH, "deletes", destination.text, "deletes in a storage service", "", "", (DELETION, NETWORK))
    else:
        inquiry.write(destination, call, verb="Downloads to")
        if deletes:
            inquiry.delete(destination, call, recursive=True, contents=True)
    if verb in {"mv", "move"}:
        _moved(sources, call, inquiry)
    return True


def _moved(sources: Sequence[Arg], call: Call, inquiry: Inquiry) -> None:
    for arg in sources:
        if _there(arg.text, call.program):
            inquiry.add(HIGH, "deletes", arg.text, "moves things away from a storage service",
                        f"Moves {shown(arg.text)} away", "", (DELETION, NETWORK))  # fmt: skip
        else:
            inquiry.delete(arg, call, recursive=True)


def _there(text: str, program: str) -> bool:
    """Whether a place is in a storage service."""
    if "://" in text:
        return not text.startswith("file:")
    if program == "mc":
        return "/" in text and text[:1] not in {".", "/", "~"}
    return False


def _by_verb(call: Call, inquiry: Inquiry) -> None:
    deed = deed_of(call)
    if deed in {"changing", "deleting", "granting"} and parsed(call.args, "", clusters=False).has(REHEARSALS):
        deed = "looking"
    options = parsed(call.args, "", clusters=False)
    if deed in {"", "local", "connecting"} and options.has("--prod --production"):
        deed = "changing"
    if deed == "changing" and options.has("--local"):  # `wrangler d1 execute dev --local`
        deed = "local"
    said = "".join(arg.text for arg in call.args if arg.text[:1] in "{[")  # a request written out as data
    if deed == "changing" and (options.has(DESTROYING) or '"DELETE' in said.upper()):
        deed = "deleting"
    if deed == "changing" and call.program in FORGES:
        deed = "contributing"
    meaning = MEANINGS.get(deed)
    path = verb_path(call)
    if deed == "changing" and any(_parts(word)[0] in SENDING or word in UPLOADS for word in path):
        inquiry.send("files", call.program)
    if deed == "granting" and _says(f" {' '.join(path)} ", SHARING):
        inquiry.send("what was private", "other accounts")
    if meaning is not None:
        _note(meaning, call, path, inquiry)
        return
    name = shown(" ".join((call.program, *path[:2])))
    inquiry.note(
        Finding(MEDIUM, "unknown", name, "a sub-command that is not known",
                f"Runs {name}, whose effects are not known", "", (NETWORK,), "low")
    )  # fmt: skip
    if not path and not call.args:
        inquiry.add(LOW, "reads", call.program, "shows help")


def _note(meaning: Meaning, call: Call, path: Sequence[str], inquiry: Inquiry) -> None:
    target = " ".join((call.program, *path[:4]))
    watched = meaning.level == HIGH and any(mark in word for word in path for mark in WATCHING)
    categories = tuple(dict.fromkeys((*meaning.categories, COMPLIANCE))) if watched else meaning.categories
    inquiry.note(
        Finding(meaning.level, meaning.kind, target, meaning.does.split(" through")[0].lower(),
                meaning.does.replace("{}", shown(target)), meaning.consequence, categories)
    )  # fmt: skip


def verb_path(call: Call) -> tuple[str, ...]:
    """The words between the program and its first unknown option; more when no verb was among them."""
    known = frozenset(ENTRIES[call.program].values.split()) if call.program in ENTRIES else frozenset()
    most = FIXED_VERB.get(call.program, VERB_WORDS)
    found: list[str] = []
    skip = False
    for arg in call.args:
        text = arg.text
        if skip:
            skip = False
        elif text[:1] == "-":
            if text in known:
                skip = True
            elif any(_verb(word) for word in found):
                break
        else:
            found.append(text)
            if len(found) == most:
                break
    return tuple(found)


def deed_of(call: Call) -> Deed:
    """`asking`, `local`, `looking`, `changing`, `deleting`, `granting`, `leaking`, or nothing known."""
    path = verb_path(call)
    said = " " + " ".join(path) + " "
    texts = [arg.text.lower() for arg in call.args]
    if _says(said, LEAKING) and not _harmless_parameter(path, texts):
        return "leaking"
    if _asks_for_secret(call, path):
        return "leaking"
    deeds = [deed for word in path if (deed := _verb(word))]
    if _says(said, GRANTING) or ("looking" not in deeds and any(_is_public(text) for text in texts)):
        return "granting"
    if "deleting" in deeds and not (path and _verb(path[-1]) == "looking" and len(path) > 1 and path[-1] in LOOKING):
        return "deleting"
    if any(f" {phrase} " in said for phrase in LOCAL) and "deleting" not in deeds:
        return "local"
    return deeds[-1] if deeds else ""


def _asks_for_secret(call: Call, path: Sequence[str]) -> bool:
    """`terraform output db_password`, `consul kv get app/api_key`, `pulumi config --show-secrets`."""
    options = parsed(call.args, ENTRIES[call.program].values, clusters=False)
    if options.has(REVEALING):
        return True
    words = [arg.text.lower() for arg in options.operands]
    if {"metadata", "list"} & set(words[:3]):
        return False
    at = next((index for index, word in enumerate(words) if word in PRINTING and word in path), -1)
    return at >= 0 and any(mark in word for word in words[at + 1 :] for mark in SECRET_NAMES)


def _harmless_parameter(path: Sequence[str], texts: Sequence[str]) -> bool:
    """`get-parameter` prints a secret only when it is told to decrypt."""
    return any(word.startswith("get-parameter") for word in path) and "--with-decryption" not in texts


def _says(said: str, table: Sequence[str]) -> bool:
    return any(f" {phrase} " in said for phrase in table)


def _is_public(text: str) -> bool:
    return any(text == mark or text.endswith(("=" + mark, ":" + mark)) for mark in PUBLIC_ACCESS)


def _verb(word: str) -> Deed:
    """What one word says: `describe-instances`, `apps:destroy`, `TerminateInstances`, `list_queues`."""
    if "/" in word or "=" in word:
        return ""  # a name, not a verb
    parts = _parts(word)
    last_first = ":" in word or "." in word  # `ps:scale`, `vm.destroy`
    for part in (word.lower(), *((parts[-1], parts[0]) if last_first else (parts[0],))):
        if part in DELETING:
            return "deleting"
        if part in LOOKING:
            return "looking"
        if part in CONNECTING:
            return "connecting"
        if part in CHANGING:
            return "changing"
    return ""


def _parts(word: str) -> list[str]:
    spaced = "".join(f" {char}" if char.isupper() else char for char in word) if not word.isupper() else word
    for mark in ":-_./":
        spaced = spaced.replace(mark, " ")
    parts = spaced.lower().split() or [word.lower()]
    return parts[1:] if parts[0] in {"batch", "bulk"} and len(parts) > 1 else parts


def _sends(call: Call, inquiry: Inquiry) -> None:
    """Private data that flows in, and local files that a copy takes away."""
    private = private_input(call)
    if private is not None and deed_of(call) not in {"asking", "looking", "local"}:
        inquiry.send(private, call.program)
    for arg in call.args:
        if arg.text.startswith(("file://", "fileb://")):
            _reads(arg.but(text=arg.text.partition("://")[2], raw=""), call, inquiry)


def _reads(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    inquiry.read(arg, call)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(SERVICES, judge_service),
}
