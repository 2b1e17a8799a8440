"""Other ways to say the same command, for rules that ask or forbid.

Who forbids `pip install` means `pip3 install` and `python -m pip install`, too, and who forbids `npm run deploy` means
`npm run-script deploy`. A spelling too many costs a look: these only ever make a verdict stricter.
"""

from __future__ import annotations

from sandgate.commandline.launchers import may_come_first
from sandgate.commandline.renaming import COPYING, PROGRAM_PLACES
from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

_VERSION = "0123456789.-"  # `pip3`, `python3.11`, `gcc-12`
_OTHER_NAMES = {
    "nodejs": "node", "gmake": "make", "gsed": "sed", "gtar": "tar", "gawk": "awk", "mawk": "awk", "ncat": "nc",
    "netcat": "nc", "pnpx": "npx", "pypy": "python", "py": "python", "hub": "git",
    # The tools of GNU where others are installed first (Homebrew, BSD).
    **{f"g{name}": name for name in words_of(
        "rm cp mv ln chmod chown chgrp dd shred install tee kill find xargs env timeout nice nohup rmdir unlink "
        "truncate "
        "cat head tail sort split stdbuf mkdir touch ls du df"
    )},
}  # fmt: skip
# What npm(1) and others call their sub-commands besides the name in their manuals.
_NPM = {
    **dict.fromkeys(("run-script", "rum", "urn"), "run"),
    **dict.fromkeys(words_of("i in ins inst insta instal isnt isnta isntal isntall add"), "install"),
    **dict.fromkeys(words_of("un unlink remove rm r"), "uninstall"),
    **dict.fromkeys(("t", "tst"), "test"),
    **dict.fromkeys(words_of("clean-install ic install-clean isntall-clean"), "ci"),
    **dict.fromkeys(("up", "upgrade", "udpate"), "update"),
    "x": "exec",
    "c": "config",
    "author": "owner",
}
# npm also takes the beginning of a name for the name.
_NPM_BEGUN = words_of(
    "publish unpublish install uninstall deprecate config access owner token adduser dist-tag version"
)
_NPM = {name[:end]: name for name in sorted(_NPM_BEGUN) for end in range(3, len(name))} | _NPM
_OTHER_WORDS: dict[str, dict[str, str]] = {
    "npm": _NPM,
    "pnpm": {"run-script": "run", "i": "install", "rm": "remove", "un": "remove", "uninstall": "remove", "t": "test"},
    "cargo": {"b": "build", "c": "check", "d": "doc", "r": "run", "t": "test", "rm": "remove"},
    "brew": {"rm": "uninstall", "remove": "uninstall"},
    "helm": {"del": "uninstall", "delete": "uninstall", "un": "uninstall"},
    "composer": {"i": "install", "u": "update", "r": "require", "rm": "remove"},
}
# `docker image rm` is `docker rmi`, and `docker container run` is `docker run`.
_DOCKER: dict[Argv, Argv] = {("image", "rm"): ("rmi",), ("image", "remove"): ("rmi",), ("image", "ls"): ("images",)}
_DOCKER_GROUPS = frozenset(("image", "container"))
_CONTAINERS = frozenset(("docker", "podman"))
# Commands of git that push without being called so.
_PUSHING: frozenset[Argv] = frozenset((("send-pack",), ("lfs", "push"), ("lfs", "pre-push"), ("subtree", "push"),
    ("svn", "dcommit"), ("p4", "submit"), ("annex", "sync"), ("annex", "push"), ("http-push",), ("remote-http",),
    ("remote-https",), ("remote-ssh",)))  # fmt: skip
# Programs of which each command may be one of its own: `git-push`, `cargo-build`, `docker-compose`.
_DASHED = words_of("git cargo docker kubectl gh podman apt npm")
TARGETS_MAX = 40  # words of a `make` that are looked at
_PYTHON_VALUES = ("-W", "-X")  # these options of Python take the word behind them


def spelled_otherwise(argv: Argv) -> Iterator[Argv]:
    """`argv` in the words rules are written with; nothing for a command that is."""
    name = program_name(argv[0]).removeprefix("=")  # `=ls` of zsh
    plain = name.removesuffix(".exe").rstrip(_VERSION) or name
    plain = _OTHER_NAMES.get(plain, plain)
    if plain == "python":
        yield from _module(argv)
    if plain in COPYING:
        yield from [
            (word.removeprefix("if="),) for word in argv[1:] if word.removeprefix("if=").startswith(PROGRAM_PLACES)
        ]
    if name != program_name(argv[0]):
        yield (name, *argv[1:])
    head, dash, command = name.partition("-")
    if dash and command and head in _DASHED:
        yield (head, command, *argv[1:])
        yield from spelled_otherwise((head, command, *argv[1:]))
    if plain == "git":
        yield from _pushing(argv[1:])
    if plain == "jj" and argv[1:2] == ("git",):
        yield argv[1:]
    rest = argv[1:]
    if plain == "cargo" and rest[:1] and rest[0][:1] == "+":  # the toolchain it is done with
        rest = rest[1:]
    if plain != name or len(rest) < len(argv) - 1:
        yield (plain, *rest)
    if plain in _OTHER_WORDS or plain in _CONTAINERS or plain == "uv":
        yield from _subcommand(plain, rest)
    if plain == "make":
        targets = [word for word in rest[:TARGETS_MAX] if word[:1] != "-"]
        yield from [(plain, word) for word in targets if "=" not in word and len(targets) > 1]


def _subcommand(plain: str, rest: Argv) -> Iterator[Argv]:
    """With the name of the sub-command in the manual, wherever it may stand behind options."""
    words = _OTHER_WORDS.get(plain, {})
    for at in may_come_first(rest, 0):
        word, before, behind = rest[at], rest[:at], rest[at + 1 :]
        if word in words:
            yield (plain, *before, words[word], *behind)
        elif plain == "uv" and word == "pip":
            yield (word, *behind)
        elif plain in _CONTAINERS and word in _DOCKER_GROUPS and behind:
            yield (plain, *before, *_DOCKER.get((word, behind[0]), behind[:1]), *behind[1:])


def _pushing(rest: Argv) -> Iterator[Argv]:
    for at in may_come_first(rest, 0):
        if any(rest[at : at + len(words)] == words for words in _PUSHING):
            yield ("git", "push", *rest[at + 1 :])


def _module(argv: Argv) -> Iterator[Argv]:
    """`python -m pip install`, `python -Impip`: the module means what the program of its name means."""
    at = 1
    while at < len(argv) and argv[at][:1] == "-" and argv[at][:2] != "--":
        letters, marked, module = argv[at][1:].partition("m")
        if marked and (letters.isalpha() or not letters):
            found = (module, *argv[at + 1 :]) if module else argv[at + 1 :]
            if found:
                found = (found[0].removesuffix(".__main__").removesuffix("._internal"), *found[1:])
                yield found
                yield from spelled_otherwise(found)
            return
        at += 1 + (argv[at] in _PYTHON_VALUES)
