"""Code hosts, containers, signals, editors: sub-commands whose operands change what they mean."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.inline import host_of, judge_code
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import after_names, by_table
from sandgate.assessment.judges.network import private_input
from sandgate.assessment.judges.spoken import spoken
from sandgate.assessment.judges.watching import is_told_to_watch
from sandgate.assessment.knowledge import entry_for
from sandgate.assessment.knowledge.containers import RUN_VALUES
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.places import place_of
from sandgate.assessment.wording import worded

CRONTAB_FIELDS = 5  # minute to day of the week, before the command
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskCategory

OFF = ("unconfined", "disable", "disabled", "label=disable")
# Who may do what; what runs or counts as checked because somebody says so.
MEMBERS = ("/memberships/", "/collaborators/", "/teams/", "/members", "role=admin", "permission=admin", "/keys",
           "access_level=")  # fmt: skip
VOUCHING = ("/statuses/", "/check-runs", "/merges", "/merge", "/approve", "/dispatches", "/deployments", "/hooks")
# What a code host is asked about when it is about its own rules.
GUARDS = (
    "protect", "allow_force", "allow_deletions", "enforce_admins", "required_", "visibility=", "private=false",
    "ruleset", "approv", "push_rule", "code-scanning", "secret-scanning", "vulnerability-alerts",
    "automated-security-fixes", "audit", "actions/permissions", "only_allow_merge", "allowed_actions", "/statuses/",
)  # fmt: skip
REMOVING = frozenset(words("rm rmi kill stop down prune remove restart"))
COMPOSE_VALUES = "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress"
SEARCHES = frozenset(words("run scan new test lsp --version --help"))  # what `sg` is told when it is ast-grep
REGISTRIES = ("docker.io", "ghcr.io", "quay.io", "gcr.io", "pkg.dev", "amazonaws.com", "azurecr.io", "gitlab.com",
              "digitalocean.com", "heroku.com", "fly.io")  # fmt: skip
SOCKETS = ("docker.sock", "podman.sock", "containerd.sock", "crio.sock")


def _judge_forge(call: Call, inquiry: Inquiry) -> None:
    """`gh api` can do anything its other commands can: the method tells."""
    by_table(call, inquiry)
    if (private := private_input(call)) is not None and ("secret" in call.upstream or "environment" in call.upstream):
        inquiry.send(private, "a code host")
    texts = [arg.text for arg in call.args]
    if {"public", "--visibility=public", "--public", "visibility=public", "private=false"} & set(
        texts
    ) and "list" not in texts[:2]:
        inquiry.add(HIGH, "contacts", "code host", "makes something public", "Makes something visible to everybody",
                    "", (EXFILTRATION, NETWORK, COMPLIANCE))  # fmt: skip
    if "api" not in texts[:3]:
        return
    if is_told_to_watch(call) and {"DELETE", "PUT", "PATCH"} & {text.upper() for text in texts}:
        inquiry.add(HIGH, "contacts", "code host", "changes what keeps watch over a project", "", "",
                    (COMPLIANCE, SYSTEM, NETWORK))  # fmt: skip
    method = parsed(call.args, "-X --method -f -F -H -q -t --jq").value("-X --method")
    name = method.text.upper() if method is not None else ""
    query = " ".join(texts).lower()
    guarding: tuple[RiskCategory, ...] = (COMPLIANCE,) if any(mark in query for mark in GUARDS) else ()
    if name == "DELETE" or ("mutation" in query and "delete" in query):
        inquiry.add(HIGH, "deletes", "code host", "deletes something on the code host",
                    "Deletes something on the code host", "It is gone for everybody",
                    (DELETION, NETWORK, *guarding))  # fmt: skip
    elif (
        name in {"PUT", "PATCH"}
        or "mutation" in query
        or (name == "POST" and any(mark in query for mark in (*MEMBERS, *VOUCHING)))
    ):
        rights: tuple[RiskCategory, ...] = (PRIVILEGE,) if any(mark in query for mark in MEMBERS) else ()
        inquiry.add(HIGH, "contacts", "code host", "changes something on the code host",
                    "Changes something on the code host", "", (NETWORK, SYSTEM, *rights, *guarding))  # fmt: skip


QUIET_SCRIPTS = frozenset(("-sc", "-esc", "-Esc", "-nesc", "-ec"))  # `ex -sc 'script' file`
KEEPING = frozenset(("w", "wq", "x", "wa", "wqa", "xa", "xit", "update", "write"))  # orders of vi


def _judge_editor(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    given = list(parsed(call.args, "-c -s -S --cmd").values)
    given += [("-c", arg.but(text=arg.text[1:], raw="")) for arg in call.args if arg.text.startswith("+")]
    at = next((at for at, arg in enumerate(call.args) if arg.text in QUIET_SCRIPTS), None)
    given += [("-c", arg) for arg in (call.args[at + 1 : at + 2] if at is not None else ())]
    if any(KEEPING & set(arg.text.replace("!", "").replace("|", " ").split()) for _, arg in given):
        for arg in parsed(call.args, "-c -s -S --cmd -sc -esc -Esc -nesc").operands:
            inquiry.write(arg, call, verb="Changes")
    for name, arg in given:
        command = arg.text.lstrip(": ")
        for verb in ("w ", "w! ", "write ", "sav ", "saveas "):
            if command.startswith(verb) and not command.startswith(("w !", "write !")):
                inquiry.write(arg.but(text=command.removeprefix(verb).strip(), raw=""), call)
        if name in {"-c", "--cmd"} and command.lstrip("w ").startswith("!"):
            inquiry.run_script(command.lstrip("w !"), call)
        elif "(" in command and command.startswith(("call ", "lua ", "py", "eval ", "echo ", "let ", "ruby ", "perl ")):
            judge_code(command.partition(" ")[2], "Vim", call, inquiry)


def _judge_crontab(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    options = parsed(call.args, "-u")
    if not options.has("-l -r -e -V"):
        inquiry.add(HIGH, "writes", "crontab", "replaces your scheduled commands", "Replaces your scheduled commands",
                    "They run later, outside the sandbox", (SYSTEM,))  # fmt: skip
        for line in _fed_text(call).split("\n"):
            inquiry.run_script(" ".join(line.split()[CRONTAB_FIELDS:]), call)


def _judge_at(call: Call, inquiry: Inquiry) -> None:
    """`at now <<< '…'`: what it is fed runs later."""
    by_table(call, inquiry)
    inquiry.run_script(_fed_text(call), call)


def _judge_sg(call: Call, inquiry: Inquiry) -> None:
    """Two programs are called `sg`: one searches in syntax trees, the other changes the group."""
    if call.args[:1] and (call.args[0].text in SEARCHES or parsed(call.args, "-c").has("-p --pattern -l --lang")):
        call.program = "ast-grep"
    by_table(call, inquiry)


def _fed_text(call: Call) -> str:
    return call.stdin_text if call.stdin_text is not None else spoken(call.feeder) or ""


def _judge_container(call: Call, inquiry: Inquiry) -> None:
    call.args = _without_compose_options(call)
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    command = next((text for text in texts if text in {"run", "exec", "create"}), None)
    if command is None:
        _all_removed(texts, call, inquiry)
        _elsewhere(texts, call, inquiry)
        _copied(texts, call, inquiry)
        _pushed(texts, inquiry)
        return
    options = parsed(call.args[texts.index(command) + 1 :], RUN_VALUES, stop_at_operand=True)
    if options.has("--privileged") or any(
        "host" in arg.text for name, arg in options.values if name in {"--pid", "--userns", "--ipc"}
    ):
        inquiry.add(HIGH, "privilege", "container", "a container with rights over this machine",
                    "Runs a container that has all rights on this machine", "", (PRIVILEGE, SYSTEM))  # fmt: skip
    for name, arg in options.values:
        if name == "--env-file":
            inquiry.read(arg, call)
        if name in {"-v", "--volume", "--mount", "--device", "--cap-add", "--security-opt"}:
            _mounted(name, arg, call, inquiry)
    inner = options.operands[1:]
    image = options.operands[0].text.rsplit("/", 1)[-1].partition(":")[0] if options.operands else ""
    if (known := entry_for((image,))) is not None and EXHAUSTION in known.categories:
        inquiry.run(call.inside(image, inner))  # the image of a miner
    for words_run in (inner, after_names(inner)):
        if not words_run:
            continue
        within = call.inside(words_run[0].text, words_run[1:], remote=True)
        within.contained = True
        inquiry.run(within)


def _judge_compose(call: Call, inquiry: Inquiry) -> None:
    """`docker-compose x` is `docker compose x`."""
    call.program = call.program.removesuffix("-compose")
    call.args = (Arg("compose"), *call.args)
    _judge_container(call, inquiry)


def _elsewhere(texts: list[str], call: Call, inquiry: Inquiry) -> None:
    """`docker -H tcp://host …`: the engine of another machine."""
    given = parsed(call.args, "-H --host", stop_at_operand=True).value("-H --host")
    host = given.text if given is not None else ""
    if host.startswith(("tcp://", "ssh://", "http")) and not is_local(host_of(host)):
        inquiry.contact(host_of(host), call)
        if REMOVING & set(texts):
            inquiry.add(HIGH, "deletes", host_of(host), "stops or deletes containers of another machine",
                        f"Stops or deletes containers of {worded(host_of(host))}", "", (DELETION, NETWORK))  # fmt: skip


def _pushed(texts: list[str], inquiry: Inquiry) -> None:
    """`docker push registry.example/acme/private`: to a registry that nobody knows."""
    if "push" not in texts[:2]:
        return
    for text in texts[texts.index("push") + 1 :]:
        host = text.partition("/")[0]
        if "/" in text and "." in host and not host.endswith(REGISTRIES) and not is_local(host):
            inquiry.send("an image", host)


def _copied(texts: list[str], call: Call, inquiry: Inquiry) -> None:
    """`docker cp a web:/b`: what is read here."""
    if "cp" in texts[:2]:
        places = parsed(call.args[texts.index("cp") + 1 :]).operands
        for arg in places[:1]:
            if ":" not in arg.text:
                inquiry.read(arg, call, recursive=True)
        for arg in places[1:2]:
            if ":" not in arg.text:
                inquiry.write(arg, call)


def _without_compose_options(call: Call) -> tuple[Arg, ...]:
    """`docker compose -f file -p name ps` → `docker compose ps`."""
    if not call.args or call.args[0].text != "compose":
        return call.args
    rest = parsed(call.args[1:], COMPOSE_VALUES, stop_at_operand=True)
    return (call.args[0], *rest.operands) if rest.operands else call.args


def _all_removed(texts: list[str], call: Call, inquiry: Inquiry) -> None:
    """`docker rm -f $(docker ps -aq)`: whatever there is, of all projects."""
    removes = {"rm", "rmi", "remove"} & set(texts[:3])
    forced = any(text == "--force" or (text[:1] == "-" and text[:2] != "--" and "f" in text) for text in texts)
    listed = call.feeder is not None and call.feeder.program == call.program
    substituted = any(not arg.known and arg.text.strip(UNKNOWN + " ") == "" for arg in call.args)
    if removes and forced and (listed or substituted):
        inquiry.add(HIGH, "deletes", "?", "deletes containers or images of all projects",
                    "Deletes containers or images of all projects, running or not", "", (DELETION,))  # fmt: skip


def _mounted(name: str, arg: Arg, call: Call, inquiry: Inquiry) -> None:
    if name == "--security-opt" and arg.text.startswith("no-new-privileges"):
        return
    if name in {"--device", "--cap-add", "--security-opt"}:
        inquiry.add(HIGH, "privilege", arg.text, "gives a container extra rights",
                    f"Gives a container {worded(arg.text)}", "",
                    (PRIVILEGE, COMPLIANCE) if arg.text.endswith(OFF) else (PRIVILEGE,))  # fmt: skip
        return
    source = arg.text.partition(":")[0]
    if name == "--mount":
        parts = dict(part.partition("=")[::2] for part in arg.text.split(","))
        source = parts.get("source") or parts.get("src") or ""
    if source[:1] not in {"/", ".", "~", "$"}:
        return
    path = call.shell.resolve(source)
    if path is None:
        return
    place = place_of(path, inquiry.facts)
    if place.kind in {"root", "home", "system", "device", "credentials", "startup"} or path.endswith(SOCKETS):
        read_only = arg.text.endswith(":ro") or "readonly" in arg.text
        inquiry.add(HIGH, "reads" if read_only else "writes", path, f"gives a container {place.words or 'a socket'}",
                    f"Gives a container access to {worded(path)}",
                    "" if read_only else "It can change everything there as the administrator",
                    ("data_exfiltration",) if read_only else (PRIVILEGE, SYSTEM))  # fmt: skip


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    **dict.fromkeys(("gh", "glab", "tea", "hub"), _judge_forge),
    "crontab": _judge_crontab,
    "at": _judge_at,
    "batch": _judge_at,
    "sg": _judge_sg,
    "vi": _judge_editor,
    "vim": _judge_editor,
    "docker": _judge_container,
    "podman": _judge_container,
    "docker-compose": _judge_compose,
    "podman-compose": _judge_compose,
}
