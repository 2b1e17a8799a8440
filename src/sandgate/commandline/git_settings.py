"""Which settings of git run a program or load a file, by their names: git-config(1), git-lfs-config(5).

The one list: what decides about `git -c`, what rates it, and what closes the files that a repository's settings name
are derived from it. Names compare in lower case; a subsection may stand in their middle.
"""

from __future__ import annotations

# The value is a command, or the name of a program: by the beginning or the end of the setting's name.
COMMANDS = (
    "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "core.gitproxy",
    "core.alternaterefscommand", "diff.external", "sequence.editor", "credential.", "gpg.", "pager.", "filter.",
    "interactive.difffilter", "uploadpack.", "sendemail.", "remote.", "trailer.", "alias.", "mergetool.", "difftool.",
    "instaweb.httpd", "instaweb.browser", "imap.tunnel", "web.browser", "help.browser", "lfs.extension.",
    "svn.authorsprog",
)  # fmt: skip
COMMAND_ENDS = (
    ".textconv", ".cmd", ".command", ".driver", ".program", ".path", "cmd", "helper", ".uploadpack", ".receivepack",
    ".vcs", "hook",
)  # fmt: skip
# The value is a file of further settings.
INCLUDES = ("include.path", "includeif.")
# The value is a directory of programs, or of what becomes one.
DIRECTORIES = ("core.hookspath", "init.templatedir", "instaweb.modulepath")
# The value is a file that says which of the configured programs run for which files.
CHOOSERS = ("core.attributesfile",)
# The name or the value says where else to send to or fetch from.
REDIRECTS = ("protocol.ext", "url.")

# Settings that choose among what git does by itself. Nothing here runs, loads, or leads elsewhere; what leads elsewhere
# by its value alone (`remote.*.url`) is `LEADS`.
HARMLESS = frozenset((
    "user.name", "user.email", "user.useconfigonly", "author.name", "author.email", "committer.name",
    "committer.email", "core.bare", "core.filemode", "core.ignorecase", "core.symlinks", "core.precomposeunicode",
    "core.logallrefupdates", "core.autocrlf", "core.eol", "core.safecrlf", "core.quotepath", "core.abbrev",
    "core.untrackedcache", "core.commitgraph", "core.preloadindex", "core.commentchar", "core.sparsecheckout",
    "core.sparsecheckoutcone", "extensions.worktreeconfig", "index.sparse", "core.compression",
    "core.bigfilethreshold", "core.whitespace", "core.trustctime",
    "core.checkstat", "core.repositoryformatversion", "push.default", "push.autosetupremote", "push.followtags",
    "pull.rebase", "pull.ff", "merge.conflictstyle", "merge.ff", "merge.stat", "merge.log", "merge.renames",
    "merge.renamelimit", "merge.directoryrenames", "merge.autostash", "rebase.autosquash", "rebase.autostash",
    "rebase.updaterefs", "rebase.stat", "rebase.abbreviatecommands", "rebase.missingcommitscheck",
    "rebase.reschedulefailedexec", "fetch.prune", "fetch.prunetags", "fetch.parallel", "rerere.enabled",
    "rerere.autoupdate", "commit.gpgsign", "commit.verbose", "commit.cleanup", "commit.status", "tag.sort",
    "tag.gpgsign", "diff.algorithm", "diff.renames", "diff.renamelimit", "diff.colormoved", "diff.mnemonicprefix",
    "diff.noprefix", "diff.wserrorhighlight", "diff.context", "diff.interhunkcontext", "diff.submodule",
    "diff.indentheuristic", "diff.ignoresubmodules", "diff.statgraphwidth", "log.date", "log.decorate",
    "log.follow", "log.showsignature", "log.abbrevcommit", "status.short", "status.branch",
    "status.showuntrackedfiles", "status.submodulesummary", "status.showstash", "status.relativepaths",
    "status.renames", "init.defaultbranch", "gc.auto", "gc.autodetach", "index.version", "index.threads",
    "checkout.defaultremote", "checkout.guess", "checkout.workers", "feature.manyfiles", "stash.showpatch",
    "stash.showstat", "worktree.guessremote", "submodule.recurse", "submodule.fetchjobs", "grep.linenumber",
    "grep.extendedregexp", "grep.patterntype", "blame.date", "blame.coloring", "versionsort.suffix",
    "i18n.commitencoding", "i18n.logoutputencoding", "column.ui", "color.ui", "branch.autosetupmerge",
    "branch.autosetuprebase", "branch.sort", "clone.defaultremotename", "notes.rewritemode",
    "options.allow-empty", "options.edit", "options.signoff", "options.record-origin", "options.allow-ff",
))  # fmt: skip
HARMLESS_PARTS = {  # of settings with a subsection: the section, and what may stand behind
    "branch": frozenset(("merge", "rebase", "description")),
    "submodule": frozenset(("active", "branch", "ignore", "fetchrecursesubmodules")),
    "remote": frozenset(("prune", "prunetags", "skipdefaultupdate")),
    "advice": frozenset(),
    "color": frozenset(),
}
LEADS = {"branch": ("remote", "pushremote"), "remote": ("url", "pushurl", "fetch", "tagopt"), "submodule": ("url",)}


def harmless(key: str) -> bool:
    """Whether the setting can have any value and neither runs nor loads anything, nor leads anywhere."""
    section, _, rest = key.partition(".")
    last = rest.rpartition(".")[2]
    parts = HARMLESS_PARTS.get(section)
    if key in HARMLESS:
        return True
    return parts is not None and (last in parts if parts else "." not in rest or section == "color")


def leads(key: str) -> bool:
    """Whether it depends on the value of the setting where git goes, and on nothing else."""
    section, _, rest = key.partition(".")
    return "." in rest and rest.rpartition(".")[2] in LEADS.get(section, ())


def runs(key: str) -> bool:
    """Whether git runs, or may run, the value of this setting as a command."""
    key = key.lower()
    return key.startswith(COMMANDS) or (key.endswith(COMMAND_ENDS) and not key.startswith(INCLUDES))


def loads(key: str) -> bool:
    """Whether the value names a file or a directory that git takes settings or programs from."""
    return key.lower().startswith((*INCLUDES, *DIRECTORIES, *CHOOSERS))


def redirects(key: str) -> bool:
    """Whether the setting changes which repository is meant."""
    return key.lower().startswith(REDIRECTS)


def settings_in(text: str) -> list[tuple[str, str]]:
    """The settings in a file of them, in order: name and value. The section and the last part are in lower case."""
    found: list[tuple[str, str]] = []
    section = ""
    lines = iter(text.splitlines())
    for line in lines:
        rest = line.strip().removeprefix("\ufeff")
        if rest[:1] == "[":
            section, rest = _header(rest)
        if not rest or rest[0] in "#;":
            continue
        name, _, value = rest.partition("=")
        while goes_on(value):
            value = value[:-1] + next(lines, "")
        found.append((f"{section}.{name.strip().lower()}", _plain(value)))
    return found


def header_end(line: str) -> int:
    """Where the bracket is that closes `[a "b]"]`, with which the line begins; the line's length where none does."""
    quoted, at = False, 1
    while at < len(line) and (quoted or line[at] != "]"):
        if line[at] == "\\":
            at += 1
        elif line[at] == '"':
            quoted = not quoted
        at += 1
    return at


def _header(line: str) -> tuple[str, str]:
    """`[a "b"] c = d` → `a.b`, `c = d`."""
    at = header_end(line)
    name, _, subsection = line[1:at].partition('"')
    subsection = subsection.rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\")
    return ".".join(filter(None, (name.strip().lower(), subsection))), line[at + 1 :].strip()


def goes_on(value: str) -> bool:
    """Whether the line ends with an odd number of backslashes, so that the next belongs to it."""
    return (len(value) - len(value.rstrip("\\"))) % 2 == 1


def _plain(value: str) -> str:
    """Without quotes, escapes, and the comment behind it."""
    value = value.strip()
    if not any(mark in value for mark in '"\\#;'):
        return value
    parts, quoted, at = [], False, 0
    while at < len(value):
        char = value[at]
        if char == "\\":
            at += 1
            parts.append({"n": "\n", "t": "\t", "b": "\b"}.get(value[at : at + 1], value[at : at + 1]))
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            parts.append(char)
        at += 1
    return "".join(parts).strip()
