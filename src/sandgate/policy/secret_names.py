"""Words of a command that name private keys or passwords.

"Safe" says that a command only reads, and reading a private key is where most thefts begin: what a command prints goes
to the model, and from there anywhere. So a command that shows what such a file holds is worth a question. By name only:
deciding does no I/O, and a variable may hide any name; the sandbox has a list of its own.
"""

from __future__ import annotations

from posixpath import normpath

from sandgate.commandline.words import words_of
from sandgate.places.home import standing
from sandgate.places.secrets import (
    in_secret_tree,
    inside_home,
    kept_in_home,
    kept_on_machine,
    may_be_hidden_secret,
    may_match_kept,
    may_match_machine,
    named_for_secrets,
    sounds_like,
)
from sandgate.policy.secret_settings import asks_for_secret_setting, shows_secret_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that show names, sizes and times, and nothing of what a file holds.
LISTERS = frozenset(words_of("ls dir vdir stat test [ [[ file du df tree exa eza realpath readlink basename "
                             "dirname cd pushd "
                             "wc md5sum sha1sum sha256sum sha512sum namei getfacl lsattr find fd fdfind locate "
                             "which type "
                             "echo printf true ssh-keygen ssh-add"))  # fmt: skip
SOUGHT = (
    ".pem",
    ".key",
    "id_rsa",
    "id_ed",
    "credential",
    "secret",
    "passw",
    ".env",
    ".p12",
    ".kdbx",
    "token",
    "wallet",
)
_OPEN = frozenset(words_of("known_hosts known_hosts.old config authorized_keys environment rc gitconfig "
                           "pubring.kbx trustdb.gpg sshd_config ssh_config"))  # fmt: skip
_OPEN_TREES = (".ssh/", ".aws/", ".gnupg/")  # whose `config` holds no secret; that of `.kube` does
# These tell names, dates and states, and no content, unless they are asked for changes.
_GIT_LISTERS = frozenset(words_of("ls-files clean check-ignore check-attr status ls-tree rev-parse"))
# Programs that print what is in a file; `lsblk` and `smartctl` are given devices as well, and print nothing of them.
_PRINTING = frozenset(words_of("cat head tail tac nl rev xxd od hexdump hd strings dd base64 base32 cut grep egrep "
                               "fgrep sed awk less more cmp diff sort fold hexyl"))  # fmt: skip
_NO_DATA = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/std", "/dev/fd/", "/dev/tty",
            "/dev/shm/", "/dev/pts/")  # fmt: skip
_FILTERING = frozenset(words_of("jq yq gojq jaq"))  # whose first word is a filter, as a searcher's is a pattern
_CHOOSING = frozenset(words_of("-g --glob --iglob --include"))  # their values are files, not patterns
_GIVING = ("--regexp", "--file", "--from-file", "--match", "--expression")  # a pattern or a filter
_GIT_PLAIN = frozenset(words_of("--no-pager -P -p --paginate --no-optional-locks --literal-pathspecs"))
# Options of `git log` with which it shows no content, each with whatever follows in the same word.
_LOG_LISTS = (
    "--oneline", "--all", "--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--format", "--pretty",
    "--follow", "--graph", "--decorate", "--date", "--since", "--until", "--after", "--before", "--author", "--grep",
    "--max-count", "-n", "--no-color", "--reverse", "--abbrev", "--first-parent", "--no-merges", "--merges",
    "--diff-filter",
)  # fmt: skip
_CHOOSING_FILES = frozenset(words_of("-name -iname -path -ipath -wholename -regex -iregex -newer -mtime -mmin -size "
                                     "-empty -maxdepth -user -perm -newermt -samefile -inum"))  # fmt: skip
_GLOB_MARKS = ("*", "?", "[", "{")
_SURE_MIN = 3  # characters before a mark of a pattern, to be sure that it means one of ours

# Programs that search in what files hold; the second ones go through directories unasked.
_SEARCHERS = frozenset(words_of("grep egrep fgrep rgrep zgrep"))
_TREE_SEARCHERS = frozenset(words_of("rg ag ack ugrep"))
_SOUGHT_TEXTS = ("passw", "secret", "token", "akia", "api_key", "apikey", "api-key", "private key", "private_key",
                 "credential", "begin rsa", "begin openssh", "aws_", "ghp_", "sk-", "xoxb")  # fmt: skip
_ANY_LINE = frozenset(("", ".", ".*", "^", "$", "-e."))  # patterns that every line has
# Trees that hold the secrets of an account or a machine.
_WIDE_TREES = frozenset(words_of("/ ~ $HOME ${HOME} /home /Users /root /etc /var /opt /srv /mnt /proc ~/.config"))


def shows_secrets(program: str, words: tuple[str, ...]) -> bool:
    """Whether `program`, which prints what it reads, is given a file that holds keys or passwords."""
    if shows_secret_variable(program, words) or (program == "ps" and shows_environments(words)):
        return True
    if program in LISTERS:
        return False
    if program in _PRINTING and any(_is_raw_device(word) for word in words):
        return True
    if "config" in words and asks_for_secret_setting(words):
        return True
    if program == "git":
        return not _only_lists(words) and any(names_secret(word.rpartition(":")[2]) for word in words)
    for word in _files_among(program, words):
        if ("." in word or "/" in word or "_" in word) and names_secret(word):
            return True
    return searches_secrets(program, words)


def _is_raw_device(word: str) -> bool:
    """A disk, the memory or a keyboard as a file: more is in it than any file that it holds."""
    path = word.rpartition("=")[2]
    return path.startswith("/dev/") and not path.startswith(_NO_DATA)


def _only_lists(words: tuple[str, ...]) -> bool:
    """Whether git, so told, shows nothing of what files hold; only options without a value are passed over."""
    at = next((at for at, word in enumerate(words) if word not in _GIT_PLAIN), len(words))
    if words[at : at + 1] == ("log",):
        options = [word for word in words[at:] if word[:1] == "-" and word != "--"]
        return all(word.startswith(_LOG_LISTS) or word[1:].isdecimal() for word in options)
    return not _GIT_LISTERS.isdisjoint(words[at : at + 1])


def _files_among(program: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without the pattern or filter that comes first: `grep .env .gitignore` reads `.gitignore` only."""
    if not (is_searcher(program) or program in _FILTERING):
        return words
    if "--files" in words:
        return ()
    if any(word.startswith(_GIVING) or _has_letter(word, "ef") for word in words):
        return words  # the pattern is in an option, and the first word is a file
    for at, word in enumerate(words):
        if word[:1] == "-" or word.isdecimal():
            continue
        return words if at and words[at - 1] in _CHOOSING else (*words[:at], *words[at + 1 :])
    return words


def seeks_values(words: Sequence[str]) -> bool:
    """`env | grep -i token`: whether the values of what is named like a secret come out; counting shows none."""
    if any(word in ("-c", "-q", "--count", "--quiet") for word in words):
        return False
    return any(mark in word.lower() for word in words for mark in (*_SOUGHT_TEXTS, "_key", "key|", "|key"))


def is_searcher(program: str) -> bool:
    """Whether it looks for texts in files."""
    return program in _SEARCHERS or program in _TREE_SEARCHERS


def searches_secrets(program: str, words: tuple[str, ...]) -> bool:
    """`grep -r password ~`: whether this goes through a home or the system for keys or passwords."""
    deep = program in _TREE_SEARCHERS or program == "rgrep"
    if not deep and program in _SEARCHERS:
        deep = any(word in ("--recursive", "--dereference-recursive") or _has_letter(word, "rR") for word in words)
    if not deep or not any(_is_wide(word) for word in words):
        return False
    return any(word in _ANY_LINE or any(mark in word.lower() for mark in _SOUGHT_TEXTS) for word in words)


def _has_letter(word: str, letters: str) -> bool:
    return word[:1] == "-" and word[:2] != "--" and any(letter in word for letter in letters)


def _is_wide(word: str) -> bool:
    """A whole home, or a whole tree of the system."""
    tree = word.rstrip("/*") or word[:1]
    return (
        tree in _WIDE_TREES
        or tree.endswith("/.config")
        or (tree.startswith(("/home/", "/Users/")) and tree.count("/") == 2)
    )


def seeks_secrets(words: tuple[str, ...]) -> bool:
    """Whether `find` with these words looks for keys or passwords outside the working directory."""
    outside = any(word[:1] in ("/", "~") or word.startswith("$HOME") for word in words[:3] if word[:1] != "-")
    return outside and any(
        mark in words[at + 1].lower()
        for at, word in enumerate(words[:-1])
        if word in ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex")
        for mark in SOUGHT
    )


def finds_everything(words: tuple[str, ...]) -> bool:
    """Whether `find` with these words finds all files of a home or of the machine, and so those with secrets."""
    bases = [word.rstrip("/*") or "/" for word in words[:3] if word[:1] != "-"]
    homes = any(base in ("/", "~", "$HOME", "${HOME}", "/root", "/home", "/Users") for base in bases) or any(
        base.startswith(("/home/", "/Users/")) and base.count("/") == 2 for base in bases
    )
    return homes and not any(word in _CHOOSING_FILES for word in words)


def shows_environments(words: tuple[str, ...]) -> bool:
    """`ps auxe`, `ps eww`: with the variables of each process, secrets included."""
    first = words[0] if words else ""
    return first.isalpha() and "e" in first


def names_secret(word: str) -> bool:
    """Whether a word is, or ends in, the path of a file with keys or passwords, or of a directory of such files."""
    if "." not in word and "/" not in word and "_" not in word:
        return False
    path = word.partition("=")[2] if word[:1] == "-" and "=" in word else word
    path = _direct(path)
    name = path.rsplit("/", 1)[-1]
    if named_for_secrets(name):
        return "/" in path or name != "kcore"
    if name.endswith(".pub") or "*.pub" in name:
        return False
    if kept_on_machine(path) or (name in ("environ", "mem") and (path[:6] == "/proc/" or path[:1] == "$")):
        return True
    return _kept_below(path, name) or _pattern_means_secret(path, name)


def _direct(path: str) -> str:
    """The path without its detours: `/etc//shadow`, `/etc/./shadow` and `/proc/self/root/etc/shadow` are one file."""
    path = path.rstrip("/").removeprefix("./")
    if path[:1] not in ("/", "~", "$"):
        return path
    if "//" in path or "/." in path:
        path = normpath(path)
        path = path[1:] if path[:2] == "//" else path
    while path[:6] == "/proc/" and "/root/" in path:
        path = path[path.index("/root/") + 5 :]
    return path


def _kept_below(path: str, name: str) -> bool:
    """Whether `path` is, below a home or below any directory, one of the places where a home keeps secrets."""
    inner = inside_home(path)
    if inner is not None and standing(inner) in ("secret", "unknown"):
        return True
    if inner is None and path[:1] == "." and "/" in path:  # relative: the working directory may be a home
        inner = path
    if inner is not None and kept_in_home(inner):
        return not _is_open(inner, name)
    marked = f"/{path}"
    at = marked.find("/.")
    while at >= 0:
        if in_secret_tree(marked[at + 1 :]):
            return not _is_open(marked[at + 1 :], name)
        at = marked.find("/.", at + 1)
    return False


def _is_open(inner: str, name: str) -> bool:
    """`~/.ssh/known_hosts`: beside secrets, and none."""
    return name in _OPEN and inner.startswith(_OPEN_TREES)


def _pattern_means_secret(path: str, name: str) -> bool:
    """`.env*`, `~/.codex/*.json`, `~/.*`."""
    if path in ("~/.*", "$HOME/.*", ".*"):
        return True
    inner = inside_home(path)
    if inner is not None and may_match_kept(inner):
        return True
    at = min([found for mark in _GLOB_MARKS if (found := name.find(mark)) >= 0], default=-1)
    if at >= 0 and may_be_hidden_secret(name):
        return True
    if path.startswith("/proc/[0-9]"):  # of processes; what is secret of one is asked for by its name
        return False
    if path[:1] == "/" and any(mark in path for mark in _GLOB_MARKS) and may_match_machine(path):
        return True
    return at >= _SURE_MIN and sounds_like(name[:at])
