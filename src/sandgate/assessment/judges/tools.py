"""git, containers, signals: sub-commands whose operands change what they mean."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import DELETION, EXHAUSTION, HIGH, LOW, MEDIUM, NETWORK, PRIVILEGE, SYSTEM
from sandgate.assessment.inline import host_of, judge_code
from sandgate.assessment.inquiry import is_local
from sandgate.assessment.judges.common import by_table, certainties
from sandgate.assessment.judges.spoken import spoken
from sandgate.assessment.knowledge import PREFIXES, entry_for
from sandgate.assessment.knowledge.containers import RUN_VALUES
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.places import place_of
from sandgate.assessment.wording import shown
from sandgate.policy.safety import is_safe

CRONTAB_FIELDS = 5  # minute to day of the week, before the command
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.options import Parsed

GIT_GLOBAL_VALUES = "-C -c --git-dir --work-tree --namespace --exec-path --config-env"
GIT_RUNS = ("core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.hookspath", "core.askpass",
            "sequence.editor", "credential.helper", "diff.external", "gpg.program", "pager.", "alias.", "filter.",
            "mergetool.", "difftool.", "uploadpack.", "protocol.ext", "include.path", "url.")  # fmt: skip
GIT_CONTENT = frozenset(words("archive bundle show diff log cat-file format-patch fast-export blame grep stash"))
UNCOMMITTED = "Changes that were not committed are lost"
ESSENTIAL_PROCESSES = frozenset(words("systemd init launchd sshd dbus-daemon Xorg gnome-shell dockerd containerd"))
REMOVING = frozenset(words("rm rmi kill stop down prune remove restart"))
COMPOSE_VALUES = "-f --file -p --project-name --profile --env-file --project-directory --ansi --parallel --progress"
SOCKETS = ("docker.sock", "podman.sock", "containerd.sock", "crio.sock")


def _judge_git(call: Call, inquiry: Inquiry) -> None:
    outer = parsed(call.args, GIT_GLOBAL_VALUES, stop_at_operand=True)
    for name, arg in outer.values:
        if name == "-C":
            call.shell = call.shell.copy()
            call.shell.cwd = call.shell.resolve(arg.text)
        elif name == "-c":
            _git_setting(arg.text.partition("=")[0], arg.text.partition("=")[2], call, inquiry)
    looks = is_safe(("git", *[arg.text for arg in call.args]), sure=("exact", *certainties(call)))
    call.args = outer.operands
    if looks:
        inquiry.add(LOW, "reads", "git", "shows the repository", "Shows the repository")
    elif not _git_clean(call, inquiry):
        by_table(call, inquiry)
    if not call.args:
        return
    command, rest = call.args[0].text, call.args[1:]
    unknown = entry_for(("git", command)) is entry_for(("git",)) and f"git {command}" not in PREFIXES
    if unknown and not looks and command[:1] != "-":
        inquiry.doubt("a command of git that is not known, perhaps an alias", target=f"git {command}")
    if command in GIT_CONTENT:
        call.carry("file", "this repository")
    for arg in rest:
        if arg.text.startswith(("ext::", "--upload-pack=", "--receive-pack=", "--open-files-in-pager=", "--exec=")):
            script = arg.text[5:] if arg.text.startswith("ext::") else arg.text.partition("=")[2]
            inquiry.add(HIGH, "runs", script, "makes git run another program", f"Runs {shown(script)} through git",
                        "", (SYSTEM,))  # fmt: skip
            inquiry.run_script(script.replace("% ", " ").replace("%|", "|"), call)
    special = GIT_COMMANDS.get(command)
    if special is not None:
        special(parsed(rest, "-b -B -s --source -m -e -x --exec"), call, inquiry)
    for arg in rest:
        if arg.text.startswith("--output="):
            inquiry.write(arg.but(text=arg.text[9:], raw=""), call)


def _git_clean(call: Call, inquiry: Inquiry) -> bool:
    """`git clean -fd build/`: only what is below the operands, which is judged like any deletion."""
    options = parsed(call.args[1:], "-e --exclude")
    if not call.args or call.args[0].text != "clean" or not options.has("-f --force") or not options.operands:
        return False
    if any(arg.text in {".", "*", "/"} or arg.text.startswith((":", "..")) for arg in options.operands):
        return False
    for arg in options.operands:
        inquiry.delete(arg, call, recursive=True)
    return True


def _git_push(options: Parsed, _call: Call, inquiry: Inquiry) -> None:
    """A remote has a name somebody gave it; an address on the command line is any place."""
    for arg in options.operands[:1]:
        if "://" in arg.text or ("@" in arg.text and ":" in arg.text):
            host = host_of(arg.text.replace(":", "/", 1) if "://" not in arg.text else arg.text)
            inquiry.send("this repository", host)


def _git_setting(key: str, value: str, call: Call, inquiry: Inquiry) -> None:
    if not key.lower().startswith(GIT_RUNS):
        return
    if value.startswith("!"):
        inquiry.run_script(value[1:], call)
    elif value:
        inquiry.add(MEDIUM, "runs", key, "makes git run another program")
        inquiry.run_script(value, call)


def _git_checkout(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    texts = [arg.text for arg in call.args[1:]]
    paths = (
        texts[texts.index("--") + 1 :] if "--" in texts else [text for text in texts if text in {".", "*", ":/", ".."}]
    )
    if {"--staged", "-S"} & set(texts) and not {"--worktree", "-W"} & set(texts):
        return
    if any(text in {".", "*", ":/", "..", "./"} for text in paths):
        inquiry.add(HIGH, "deletes", call.shell.cwd or "?", "throws away changes",
                    "Throws away all changes in the working tree", UNCOMMITTED, (DELETION,))  # fmt: skip
    elif paths or (call.args[0].text == "restore" and options.operands):
        inquiry.add(
            MEDIUM, "writes", "?", "throws away changes to single files", "Restores files to their committed state"
        )


def _git_rm(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    if options.has("--cached") or options.has("-n --dry-run"):
        return
    for arg in options.operands:
        inquiry.delete(arg, call, recursive=options.has("-r"))


def _git_clone(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    for arg in options.operands[:1]:
        if "://" in arg.text or "@" in arg.text:
            inquiry.contact(host_of(arg.text.replace(":", "/", 1) if "://" not in arg.text else arg.text), call)
    for arg in options.operands[1:]:
        inquiry.write(arg, call, verb="Downloads to")
    for name, arg in parsed(call.args[1:], "-c --config -b --branch --depth -o").values:
        if name in {"-c", "--config"}:
            _git_setting(arg.text.partition("=")[0], arg.text.partition("=")[2], call, inquiry)
            if arg.text.lower().startswith(GIT_RUNS):
                inquiry.add(HIGH, "runs", arg.text, "makes git run another program", "", "", (SYSTEM,))


def _git_config(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    reads = options.has("--get --get-all --list -l --get-regexp --get-urlmatch") or (
        options.operands and options.operands[0].text in {"get", "list"}
    )
    writes = len(options.operands) > 1 or options.has(
        "--unset --unset-all --add --replace-all --remove-section -e --edit"
    )
    if reads or not writes:
        return
    key = next((arg.text for arg in options.operands if "." in arg.text), "")
    value = options.operands[-1].text if options.operands else ""
    if key.lower().startswith(GIT_RUNS):
        inquiry.add(HIGH, "writes", key, "makes git run another program from now on",
                    f"Sets {shown(key)}, which makes git run another program", "", (SYSTEM,))  # fmt: skip
        inquiry.run_script(value.lstrip("!"), call)
    elif options.has("--global --system"):
        inquiry.add(HIGH, "writes", "git settings", "changes git's settings for all your repositories",
                    "Changes git's settings for all your repositories", "", (SYSTEM,))  # fmt: skip
    else:
        inquiry.add(
            MEDIUM,
            "writes",
            ".git/config",
            "changes settings of this repository",
            "Changes settings of this repository",
        )


def _git_runs_rest(_options: Parsed, call: Call, inquiry: Inquiry) -> None:
    """`git submodule foreach CMD`, `git bisect run CMD`, `git rebase -x CMD`, `git filter-branch`."""
    texts = [arg.text for arg in call.args]
    for word in ("foreach", "run"):
        if word in texts[:3]:
            at = texts.index(word) + 1
            rest = [arg for arg in call.args[at:] if arg.text != "--recursive"]
            if len(rest) == 1:
                inquiry.run_script(rest[0].text, call)
            elif rest:
                inquiry.run(call.inside(rest[0].text, rest[1:]))
    script = parsed(call.args[1:], "-x --exec --extcmd -t --tool").value("-x --exec --extcmd")
    if script is not None:
        inquiry.run_script(script.text, call)


GIT_COMMANDS: dict[str, Callable[[Parsed, Call, Inquiry], None]] = {
    "checkout": _git_checkout,
    "restore": _git_checkout,
    "rm": _git_rm,
    "clone": _git_clone,
    "push": _git_push,
    "config": _git_config,
    "submodule": _git_runs_rest,
    "bisect": _git_runs_rest,
    "rebase": _git_runs_rest,
    "difftool": _git_runs_rest,
    "mergetool": _git_runs_rest,
}


def _judge_forge(call: Call, inquiry: Inquiry) -> None:
    """`gh api` can do anything its other commands can: the method tells."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if "api" not in texts[:3]:
        return
    method = parsed(call.args, "-X --method -f -F -H -q -t --jq").value("-X --method")
    name = method.text.upper() if method is not None else ""
    query = " ".join(texts).lower()
    if name == "DELETE" or ("mutation" in query and "delete" in query):
        inquiry.add(HIGH, "deletes", "code host", "deletes something on the code host",
                    "Deletes something on the code host", "It is gone for everybody", (DELETION, NETWORK))  # fmt: skip
    elif name in {"PUT", "PATCH"} or "mutation" in query:
        inquiry.add(HIGH, "contacts", "code host", "changes something on the code host",
                    "Changes something on the code host", "", (NETWORK, SYSTEM))  # fmt: skip


def _judge_kill(call: Call, inquiry: Inquiry) -> None:
    texts = [arg.text for arg in call.args]
    if texts[:1] and texts[0] in {"-l", "-L", "--list", "-0"}:
        inquiry.add(LOW, "reads", "kill", "only asks about signals or processes")
        return
    if texts[:1] and texts[0] in {"-s", "-n", "--signal"}:
        texts = texts[2:]
    elif texts[:1] and texts[0].startswith("-") and len(texts) > 1:
        texts = texts[1:]
    texts = [text for text in texts if text != "--"]
    if "-1" in texts:
        inquiry.add(HIGH, "runs", "all processes", "signals every process",
                    "Ends every process of this account", "Unsaved work in all programs is lost",
                    (EXHAUSTION, SYSTEM))  # fmt: skip
    elif "1" in texts or "0" in texts:
        inquiry.add(HIGH, "runs", "process 1", "signals a process everything depends on",
                    "Signals a process that everything else depends on", "", (EXHAUSTION, SYSTEM))  # fmt: skip
    else:
        inquiry.add(MEDIUM, "runs", "a process", "signals processes", "Signals single processes")


def _judge_killall(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    for arg in parsed(call.args, "-s --signal -t -g -P").operands:
        if arg.text in ESSENTIAL_PROCESSES or not arg.text.strip(".*"):
            inquiry.add(HIGH, "runs", arg.text, "ends processes everything depends on",
                        f"Ends all processes that match {shown(arg.text)}", "", (EXHAUSTION, SYSTEM))  # fmt: skip


def _judge_editor(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    given = list(parsed(call.args, "-c -s -S --cmd").values)
    given += [("-c", arg.but(text=arg.text[1:], raw="")) for arg in call.args if arg.text.startswith("+")]
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
    if inner:
        within = call.inside(inner[0].text, inner[1:], remote=True)
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
                        f"Stops or deletes containers of {shown(host_of(host))}", "", (DELETION, NETWORK))  # fmt: skip


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
    if name in {"--device", "--cap-add", "--security-opt"}:
        inquiry.add(HIGH, "privilege", arg.text, "gives a container extra rights",
                    f"Gives a container {shown(arg.text)}", "", (PRIVILEGE,))  # fmt: skip
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
                    f"Gives a container access to {shown(path)}",
                    "" if read_only else "It can change everything there as the administrator",
                    ("data_exfiltration",) if read_only else (PRIVILEGE, SYSTEM))  # fmt: skip


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "git": _judge_git,
    **dict.fromkeys(("gh", "glab", "tea", "hub"), _judge_forge),
    "kill": _judge_kill,
    "killall": _judge_killall,
    "pkill": _judge_killall,
    "crontab": _judge_crontab,
    "at": _judge_at,
    "batch": _judge_at,
    "vi": _judge_editor,
    "vim": _judge_editor,
    "docker": _judge_container,
    "podman": _judge_container,
    "docker-compose": _judge_compose,
    "podman-compose": _judge_compose,
}
