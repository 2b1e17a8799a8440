"""Other ways to say the same command, for rules that ask or forbid.

Who forbids `pip install` means `pip3 install` and `python -m pip install`, too, and who forbids `npm run deploy` means
`npm run-script deploy`. A spelling too many costs a look: these only ever make a verdict stricter.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

_VERSION = "0123456789.-"  # `pip3`, `python3.11`, `gcc-12`
_OTHER_NAMES = {
    "nodejs": "node", "gmake": "make", "gsed": "sed", "gtar": "tar", "gawk": "awk", "mawk": "awk", "ncat": "nc",
    "netcat": "nc", "pnpx": "npx", "pypy": "python",
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
# A program that is copied, or gets another name, runs under that name afterwards.
_COPYING = words_of("cp mv ln install")
_PROGRAM_PLACES = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
_PYTHON_VALUES = ("-W", "-X")  # these options of Python take the word behind them


def spelled_otherwise(argv: Argv) -> Iterator[Argv]:
    """`argv` in the words rules are written with; nothing for a command that is."""
    name = program_name(argv[0])
    plain = name.rstrip(_VERSION) or name
    plain = _OTHER_NAMES.get(plain, plain)
    if plain == "python":
        yield from _module(argv)
    if plain == "uv" and argv[1:2] == ("pip",):
        yield argv[1:]
    if plain in _COPYING:
        yield from [(word,) for word in argv[1:] if word.startswith(_PROGRAM_PLACES)]
    words = _OTHER_WORDS.get(plain)
    at = next((at for at, word in enumerate(argv[1:], 1) if word in words), 0) if words else 0
    rest = (*argv[1:at], words[argv[at]], *argv[at + 1 :]) if words and at else argv[1:]
    if plain != name or at:
        yield (plain, *rest)
    if plain in _CONTAINERS and rest[:1] and rest[0] in _DOCKER_GROUPS:
        yield (plain, *_DOCKER.get(rest[:2], rest[1:2]), *rest[2:])


def _module(argv: Argv) -> Iterator[Argv]:
    """`python -m pip install`, `python -Impip`: the module means what the program of its name means."""
    at = 1
    while at < len(argv) and argv[at][:1] == "-" and argv[at][:2] != "--":
        letters, marked, module = argv[at][1:].partition("m")
        if marked and (letters.isalpha() or not letters):
            found = (module, *argv[at + 1 :]) if module else argv[at + 1 :]
            if found:
                yield found
                yield from spelled_otherwise(found)
            return
        at += 1 + (argv[at] in _PYTHON_VALUES)
