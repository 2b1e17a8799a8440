"""git: what its sub-commands lose, send or run, where the table's options do not tell."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.inline import host_of
from sandgate.assessment.judges import git_remotes, local_remotes
from sandgate.assessment.judges.common import by_table, certainties
from sandgate.assessment.judges.git_state import note_settings, note_state
from sandgate.assessment.judges.trust import judge_git_setting
from sandgate.assessment.judges.variables import judge_assignment
from sandgate.assessment.knowledge import PREFIXES, entry_for
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.wording import worded
from sandgate.commandline import git_settings
from sandgate.commandline.commissions import git_runs
from sandgate.policy.resets import reset_to
from sandgate.policy.safety import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.options import Parsed

GIT_GLOBAL_VALUES = "-C -c --git-dir --work-tree --namespace --exec-path --config-env"
# Options of git itself that name another place for its settings or its programs, and the variable that does the same.
GIT_PLACES = {
    "--git-dir": ("GIT_DIR", "takes settings, which may name programs, from another repository"),
    "--exec-path": ("GIT_EXEC_PATH", "takes git's own programs from another place"),
    "--config-env": ("GIT_CONFIG_GLOBAL", "takes a setting, which may name a program, from a variable"),
    "--work-tree": ("GIT_WORK_TREE", "works on another directory than the repository's own"),
}
RUNS_SETTINGS = ("--ext-diff", "--textconv")
GIT_CONTENT = frozenset(words("archive bundle show diff log cat-file format-patch fast-export blame grep stash"))
OFF = frozenset(words("false 0 off no"))
LONE_FILES = frozenset(words("makefile dockerfile gemfile rakefile procfile readme license go.mod justfile head"))
WORKTREE_VALUES = "-b -B --reason"
DEPLOYING = frozenset(words("heroku dokku piku production prod live deploy clever scalingo gigalixir"))
COPIES = "Copies to"
UNCOMMITTED = "Changes that were not committed are lost"
FOR_ALL = "changes git's settings for all your repositories"
UNCHANGED = "moves the branch in a working tree without changes"
NOTHING_LOST = "No uncommitted change is there to be lost"


def _judge_git(call: Call, inquiry: Inquiry) -> None:
    outer = parsed(call.args, GIT_GLOBAL_VALUES, stop_at_operand=True)
    for name, arg in outer.values:
        if name == "-C":
            call.shell = call.shell.copy()
            call.shell.cwd = call.shell.resolve(arg.text)
        elif name == "-c":
            _git_setting(arg.text.partition("=")[0], arg.text.partition("=")[2], call, inquiry)
            judge_git_setting(arg.text.partition("=")[0], arg.text.partition("=")[2], inquiry)
        elif name in GIT_PLACES:
            variable, why = GIT_PLACES[name]
            inquiry.add(MEDIUM, "runs", arg.text, why)
            judge_assignment(variable, [arg], call, inquiry)
    looks = is_safe(("git", *[arg.text for arg in call.args]), sure=("exact", *certainties(call.args)))
    call.args = outer.operands
    since = len(inquiry.findings)
    if looks:
        inquiry.add(LOW, "reads", "git", "shows the repository", "Shows the repository")
    elif not _git_clean(call, inquiry):
        by_table(call, inquiry)
    if not call.args:
        return
    note_state(call, inquiry, since, outer.value("--git-dir"))
    command, rest = call.args[0].text, call.args[1:]
    unknown = entry_for(("git", command)) is entry_for(("git",)) and f"git {command}" not in PREFIXES
    if unknown and not looks and command[:1] != "-":
        inquiry.doubt("a command of git that is not known, perhaps an alias", target=f"git {command}")
    if any(arg.text in RUNS_SETTINGS for arg in rest):
        inquiry.add(MEDIUM, "runs", "git settings", "runs the programs that the repository's settings name")
    if command in GIT_CONTENT:
        call.carry("file", "this repository")
    for arg in rest:
        if arg.text.startswith(("ext::", "--upload-pack=", "--receive-pack=", "--open-files-in-pager=", "--exec=")):
            script = arg.text[5:] if arg.text.startswith("ext::") else arg.text.partition("=")[2]
            inquiry.add(HIGH, "runs", script, "makes git run another program", f"Runs {worded(script)} through git",
                        "", (SYSTEM,))  # fmt: skip
            inquiry.run_script(script.replace("% ", " ").replace("%|", "|"), call)
    led = any(name in GIT_PLACES or name == "-c" for name, _ in outer.values)
    if not led and (place := local_remotes.stays_here(call, inquiry, since=since)):
        target = local_remotes.TALKING[command]
        inquiry.findings[since:] = [
            local_remotes.as_local(each, place) if each.target == target else each for each in inquiry.findings[since:]
        ]
        if command == local_remotes.PUSH:
            _deploys(parsed(rest, ""), inquiry)
        elif command == local_remotes.CLONE:
            _git_clone(parsed(rest, ""), call, inquiry, verb=COPIES)
        return
    if command == "reset" and not led and not call.remote:
        _git_reset(call, inquiry, since=since)
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


def _git_push(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    """Some remotes put what they get into service; where the others lead is in `git_remotes`."""
    _deploys(options, inquiry)
    git_remotes.COMMANDS["push"](options, call, inquiry)


def _deploys(options: Parsed, inquiry: Inquiry) -> None:
    for arg in options.operands[:1]:
        if arg.text.lower() in DEPLOYING:
            inquiry.add(HIGH, "contacts", arg.text, "a remote that puts what it gets into service",
                        f"Deploys through the remote {worded(arg.text)}", "Other people see it at once",
                        (NETWORK, COMPLIANCE))  # fmt: skip


def _git_setting(key: str, value: str, call: Call, inquiry: Inquiry) -> None:
    if not _runs(key):
        return
    if value.startswith("!"):
        inquiry.run_script(value[1:], call)
    elif value:
        inquiry.add(MEDIUM, "runs", key, "makes git run another program")
        inquiry.run_script(value, call)


def _runs(key: str) -> bool:
    return git_runs(key) or git_settings.redirects(key)


def _git_checkout(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    texts = [arg.text for arg in call.args[1:]]
    paths = (
        texts[texts.index("--") + 1 :] if "--" in texts else [text for text in texts if text in {".", "*", ":/", ".."}]
    )
    if {"--staged", "-S"} & set(texts) and not {"--worktree", "-W"} & set(texts):
        return
    if call.args[0].text == "restore" and "--" not in texts:
        paths = [arg.text for arg in options.operands]
    if any(text in {".", "*", ":/", "..", "./"} for text in paths):
        inquiry.add(HIGH, "deletes", call.shell.cwd or "?", "throws away changes",
                    "Throws away all changes in the working tree", UNCOMMITTED, (DELETION,))  # fmt: skip
    elif any(_many_files(text) for text in paths):
        inquiry.add(HIGH, "deletes", call.shell.cwd or "?", "throws away changes to many files",
                    f"Throws away all changes below {worded(paths[0])}", UNCOMMITTED, (DELETION,))  # fmt: skip
    elif paths:
        inquiry.add(
            MEDIUM, "writes", "?", "throws away changes to single files", "Restores files to their committed state"
        )


def _many_files(path: str) -> bool:
    """A directory or a pattern, as far as its name tells."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return path.endswith("/") or "*" in name or ("." not in name and name.islower() and name not in LONE_FILES)


def _git_branch(options: Parsed, _call: Call, inquiry: Inquiry) -> None:
    """`-d -f` is `-D`."""
    if options.has("-d --delete") and options.has("-f --force"):
        inquiry.add(HIGH, "deletes", "git branch", "deletes a branch, merged or not",
                    "Deletes a branch, merged or not", "", (DELETION,))  # fmt: skip


def _git_gc(_options: Parsed, call: Call, inquiry: Inquiry) -> None:
    if {arg.text for arg in call.args} & {"--prune=now", "--prune=all"}:
        inquiry.add(HIGH, "deletes", "repository", "deletes commits that no branch holds",
                    "Deletes all commits that no branch holds", "They could still have been brought back",
                    (DELETION,))  # fmt: skip


def _git_rm(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    if options.has("--cached") or options.has("-n --dry-run"):
        return
    for arg in options.operands:
        inquiry.delete(arg, call, recursive=options.has("-r"))


def _git_reset(call: Call, inquiry: Inquiry, *, since: int) -> None:
    """A hard one where no file has what no commit has, and where nothing before it in the line may change that."""
    cwd = call.shell.cwd
    exact = all(each == "exact" for each in certainties(call.args))
    revision = reset_to(tuple([arg.text for arg in call.args[1:]])) if exact else ""
    if not revision or cwd is None or local_remotes.has_variables(call):
        return
    if all(each.kind == "reads" for each in inquiry.findings[:since]) and inquiry.facts.loses_nothing(cwd, revision):
        inquiry.findings[since:] = [
            each.but(level=MEDIUM, why=UNCHANGED, sentence=f"Goes back to {worded(revision)}", consequence=NOTHING_LOST,
                     categories=()) if each.target == "git reset" else each for each in inquiry.findings[since:]
        ]  # fmt: skip


def _git_clone(_options: Parsed, call: Call, inquiry: Inquiry, *, verb: str = "Downloads to") -> None:
    options = parsed(call.args[1:], local_remotes.CLONE_VALUES)
    for arg in options.operands[:1]:
        if verb != COPIES and ("://" in arg.text or "@" in arg.text):
            host = host_of(arg.text.replace(":", "/", 1) if "://" not in arg.text else arg.text)
            inquiry.contact(host, call)
            name = arg.text.rstrip("/").removesuffix(".git").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
            into, _ = call.paths(options.operands[1] if len(options.operands) > 1 else Arg(name))
            if into is not None:
                inquiry.downloads[into.rstrip("/") + "/"] = host
    for arg in options.operands[1:]:
        inquiry.write(arg, call, verb=verb)
    for name, arg in parsed(call.args[1:], "-c --config -b --branch --depth -o").values:
        if name in {"-c", "--config"}:
            _git_setting(arg.text.partition("=")[0], arg.text.partition("=")[2], call, inquiry)
            if _runs(arg.text.partition("=")[0]):
                inquiry.add(HIGH, "runs", arg.text, "makes git run another program", "", "", (SYSTEM,))


def _git_worktree(_options: Parsed, call: Call, inquiry: Inquiry) -> None:
    """`git worktree add -b new ../x`, `git worktree move x ../y`: the place is often beside the repository."""
    operands = parsed(call.args[1:], WORKTREE_VALUES).operands
    at = {"add": 1, "move": 2}.get(operands[0].text if operands else "", len(operands))
    for place in operands[at : at + 1]:
        verb = "Creates" if operands[0].text == "add" else "Puts"
        inquiry.write(place, call, verb=f"{verb} a working tree in")


def _only_names(value: str) -> bool:
    """Whether an alias stands for one command of git without more words, or for one that only shows."""
    words = value.split()
    return value.replace("-", "").isalpha() if len(words) == 1 else is_safe(("git", *words))


def _shared_settings(options: Parsed, inquiry: Inquiry) -> str:
    """The file with the settings of every repository that `git config` changes; "" when it changes another."""
    if options.has("--system"):
        return "/etc/gitconfig"
    home = inquiry.facts.environment.get("HOME") or inquiry.facts.home  # git believes the variable
    return f"{home}/.gitconfig" if options.has("--global") else ""


def _git_config(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    reads = options.has("--get --get-all --list -l --get-regexp --get-urlmatch") or (
        options.operands and options.operands[0].text in {"get", "list"}
    )
    writes = len(options.operands) > 1 or options.has(
        "--unset --unset-all --add --replace-all --remove-section -e --edit"
    )
    if reads or not writes:
        return
    shared = _shared_settings(options, inquiry)
    if shared:  # the file is what a sandbox stops, whatever the setting
        inquiry.add(HIGH, "writes", shared, FOR_ALL, "", "", (SYSTEM,))
    key = next((arg.text for arg in options.operands if "." in arg.text), "")
    value = options.operands[-1].text if options.operands else ""
    if value == key:
        value = call.args[-1].text  # what begins with `-` is no operand
    alias = key.lower().startswith("alias.") and value[:1] != "!"
    if alias and _only_names(value):
        key = ""  # a shorter name for a command of git: nothing else runs
    if alias and key:
        inquiry.add(HIGH, "writes", key, "gives a command of git with its options another name",
                    f"Sets {worded(key)}, which then means {worded(f'git {value}')}", "", (SYSTEM,))  # fmt: skip
    elif _runs(key):
        inquiry.add(HIGH, "writes", key, "makes git run another program from now on",
                    f"Sets {worded(key)}, which makes git run another program", "", (SYSTEM,))  # fmt: skip
        inquiry.run_script(value.lstrip("!"), call)
    elif key.lower().startswith("http.") and key.lower().endswith("sslverify") and value.lower() in OFF:
        inquiry.add(HIGH, "writes", key, "no longer checks whom git talks to",
                    "Makes git talk to servers without checking who they are", "", (SYSTEM, COMPLIANCE))  # fmt: skip
    elif shared:
        inquiry.add(HIGH, "writes", shared, FOR_ALL, "Changes git's settings for all your repositories", "", (SYSTEM,))
    else:
        inquiry.add(
            MEDIUM,
            "writes",
            ".git/config",
            "changes settings of this repository",
            "Changes settings of this repository",
        )
        note_settings(call, inquiry)


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
    "branch": _git_branch,
    "gc": _git_gc,
    "maintenance": _git_gc,
    "rm": _git_rm,
    "clone": _git_clone,
    "worktree": _git_worktree,
    **git_remotes.COMMANDS,
    "push": _git_push,
    "config": _git_config,
    "submodule": _git_runs_rest,
    "bisect": _git_runs_rest,
    "rebase": _git_runs_rest,
    "difftool": _git_runs_rest,
    "mergetool": _git_runs_rest,
}


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "git": _judge_git,
    **dict.fromkeys(("hg", "svn", "fossil", "bzr", "darcs", "brz"), git_remotes.judge_other_push),
}
