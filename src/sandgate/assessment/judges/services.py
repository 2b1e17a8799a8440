"""Orders to remote services: the verb says whether one looks, changes, deletes, hands out rights or reveals secrets.

A table entry that names the sub-command speaks first. Otherwise the words before the first option are searched: a
phrase that reveals or grants wins, then a verb that deletes, then the last verb that is known at all, because names
of groups look like verbs (`gcloud run services list`, `gh release delete`). No known verb: we say that we do not know.
"""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
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
from sandgate.assessment.judges.costs import judge_size
from sandgate.assessment.judges.databases import judge_statements
from sandgate.assessment.judges.network import private_input, send_files
from sandgate.assessment.judges.sharing import hands_out, opens, opens_data
from sandgate.assessment.judges.watching import keeps_watch
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
from sandgate.assessment.wording import worded
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import FactKind, RiskCategory, RiskLevel

    Deed = str

VERB_WORDS = 6  # words behind the program's name among which the verb stands
# Services whose verb has a fixed place: everything behind it is a name.
FIXED_VERB = {"aws": 2, "awslocal": 2, "aliyun": 2, "tccli": 2, "s3cmd": 1, "s5cmd": 1, "mc": 1, "b2": 2, "gsutil": 1,
              "rabbitmqctl": 1, "terraform": 2, "bq": 1, "azcopy": 1, "eb": 1, "surge": 1, "now": 1, "heroku": 1,
              "helmfile": 1, "packer": 1, "sentry-cli": 2, "dokku": 1, "consul": 3, "vault": 3, "bao": 3}  # fmt: skip
REHEARSALS = "--dry-run --dryrun --what-if --check --help --generate-cli-skeleton --no-execute-changeset --noop"
ASKING = frozenset({"help", "--help", "-h", "--version", "version", "-version", "-V", "completion"})
DESTROYING = (
    "-purge --purge -destroy --destroy --delete --force-destroy --delete-data --prune --remove-data --wipe -replace "
    "--replace"
)
PICKING = frozenset({"--query", "--format", "--jsonpath", "--jq", "-q"})  # their value names what is printed
PRIVATE_FIELDS = ("password", "secretstring", "secretaccesskey", "privatekey", "private_key", "accesskey", "access_key",
                  "connectionstring", "environment.variables", "primarykey", "clientsecret", "apikey")  # fmt: skip
WRITING_SQL = frozenset({"DROP", "TRUNCATE", "DELETE", "UPDATE", "ALTER", "INSERT", "GRANT", "CREATE", "MERGE"})
READING_SQL = frozenset({"SELECT", "SHOW", "EXPLAIN", "DESCRIBE", "WITH"})
SENDING = frozenset({"upload", "publish", "push"})
HANDING_ON = frozenset({"publish", "send", "post", "notify", "share"})
UPLOADS = frozenset({"put-object", "put-file", "put-item-file", "upload-batch", "upload-part"})
# Where changes are made for review: writing there is ordinary work.
FORGES = frozenset({"gh", "glab", "hub", "tea", "jira", "linear", "sentry-cli", "circleci", "travis"})
# They run a command in the place where a service of one's own runs.
RUNNERS = frozenset({"heroku", "railway", "fly", "flyctl", "dokku", "scalingo", "gigalixir", "clever", "cf", "aptible"})
RUNNING_WORDS = frozenset({"run", "ssh", "exec", "console", "run:detached"})


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
    "deleting": Meaning(HIGH, "deletes", "Deletes things of a remote service through {}", (DELETION, SYSTEM, NETWORK),
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
        note_deed(MEANINGS["asking"], call, (), inquiry)
    elif (
        specific is not None
        and specific is not top
        and deed_of(call) not in {"deleting", "granting", "leaking"}
        and not options.has(DESTROYING)
    ):
        by_table(call, inquiry)
    elif options.has(REHEARSALS) or not _copies(call, inquiry):
        _by_verb(call, inquiry)
    _sends(call, inquiry)
    _commands(call, inquiry)
    for arg in call.args:
        if _statement(arg.text) == "changing":
            judge_statements(arg.text, call, inquiry)


def _statement(text: str) -> Deed:
    """What a word does that is a statement of SQL: `--command 'DROP TABLE users'`; nothing when it is none."""
    given = text[text.index("=") + 1 :] if text[:2] == "--" and "=" in text else text
    first = given.partition(" ")[0].upper().lstrip("(")
    if " " not in given:
        return ""
    return "changing" if first in WRITING_SQL else "looking" if first in READING_SQL else ""


def _inner(call: Call) -> bool:
    """Whether a command for another place is named, in a place that is not called production."""
    texts = [arg.text for arg in call.args]
    return ("--" in texts or "-C" in texts or "--command" in texts) and not any("prod" in text for text in texts)


def _commands(call: Call, inquiry: Inquiry) -> None:
    """`gcloud compute ssh vm --command CMD`, `fly ssh console -C CMD`, `heroku run -- CMD`, `az … --scripts CMD`."""
    texts = [arg.text for arg in call.args]
    if not {"ssh", "exec", "run", "run-command", "execute-command", "invoke", "console", "shell", "send-command"} & set(
        texts[:5]
    ):
        return
    given = parsed(call.args, "--command -C -c --scripts", clusters=False).value("--command -C -c --scripts")
    for arg in call.args:
        for text in _listed_commands(arg.text):
            inquiry.run(call.inside("sh", [Arg("-c"), Arg(text)], remote=True))
    if given is not None:
        inquiry.run(call.inside("sh", [given.but(text="-c", raw=""), given], remote=True))
    elif "--" in texts:
        rest = call.args[texts.index("--") + 1 :]
        if rest:
            inquiry.run(call.inside(rest[0].text, rest[1:], remote=True))


def _listed_commands(text: str) -> list[str]:
    """`commands=["rm -rf /data"]`, `{"commands":["…"]}`: what a machine of a cloud is told to run."""
    start = text.find("commands")
    if start < 0:
        return []
    rest = text[start + len("commands") :].lstrip("\"'=: [")
    return [part for part in rest.rstrip("]}").replace('"', "'").split("'") if part.strip(", ]}")]


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
        if opens(call.args):
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
                        f"Moves {worded(arg.text)} away", "", (DELETION, NETWORK))  # fmt: skip
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
    if deed == "changing" and call.program in RUNNERS and _inner(call) and {*verb_path(call)[:1]} & RUNNING_WORDS:
        deed = "connecting"  # what it runs there is judged by itself
    if deed == "changing" and any(_statement(arg.text) == "looking" for arg in call.args):
        deed = "looking"
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
    if hands_out(path) and deed in {"changing", "", "looking"} and not parsed(call.args, "").has("--help"):
        inquiry.send("what is stored there", "whoever gets the copy or the link")
    if deed == "granting" and (_says(f" {' '.join(path)} ", SHARING) or opens_data(call.args)):
        inquiry.send("what was private", "other accounts")
    if deed == "changing":
        judge_size(call, inquiry)
    if meaning is not None:
        note_deed(meaning, call, path, inquiry)
        return
    name = worded(" ".join((call.program, *path[:2])))
    inquiry.note(
        Finding(MEDIUM, "unknown", name, "a sub-command that is not known",
                f"Runs {name}, whose effects are not known", "", (NETWORK,), "low")
    )  # fmt: skip
    if not path and not call.args:
        inquiry.add(LOW, "reads", call.program, "shows help")


def note_deed(meaning: Meaning, call: Call, path: Sequence[str], inquiry: Inquiry) -> None:
    """One finding for what an order amounts to; `path`: the words it is made of."""
    target = " ".join((call.program, *path[:4]))
    seen = meaning.level == HIGH and keeps_watch(path)
    categories = tuple(dict.fromkeys((*meaning.categories, COMPLIANCE))) if seen else meaning.categories
    inquiry.note(
        Finding(meaning.level, meaning.kind, target, meaning.does.split(" through")[0].lower(),
                meaning.does.replace("{}", worded(target)), meaning.consequence, categories)
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
    if _says(said, GRANTING) or ("looking" not in deeds and opens(call.args)):
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
    asked = [arg.text.lower() for name, arg in options.values if name in PICKING]
    if "environment" in asked or any(mark in text for text in asked for mark in PRIVATE_FIELDS):
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
    hands_on = any(_parts(word)[0] in HANDING_ON for word in verb_path(call)[1:])
    for arg in call.args:
        if arg.text.startswith(("file://", "fileb://")):
            if hands_on:
                inquiry.send(f"the content of {worded(arg.text)}", call.program)
            _reads(arg.but(text=arg.text.partition("://")[2], raw=""), call, inquiry)


def _reads(arg: Arg, call: Call, inquiry: Inquiry) -> None:
    inquiry.read(arg, call)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = dict.fromkeys(SERVICES, judge_service)
