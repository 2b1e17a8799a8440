"""Takes the secrets out of settings that programs need and that may be seen but for these: git's, cargo's and others'.

Other than `without_secrets`, which shows what is known to be harmless of a closed file: here all stays that is not
known to be a secret, by the name of a setting, by the shape of a word, or as who logs in at an address. What cannot be
told apart makes the whole file one that is not shown. A file without any is its own answer.
"""

from __future__ import annotations

from sandgate.commandline import git_settings
from sandgate.commandline.words import words_of
from sandgate.places.secrets import is_private_key, is_secret_name, is_secret_value
from sandgate.places.toml_statements import NotToldApart, array_members, pair, statements
from sandgate.places.without_secrets import may_be_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandgate.places.toml_statements import TomlStatement

# Of one file, which may be one that a command writes: more than people write, and little to look through.
LINES_MAX, LINE_CHARS_MAX, HEAD_CHARS_MAX, ADDRESSES_MAX = 4096, 16_384, 1024, 1024
WORD_CHARS_MIN = 4  # of what is assigned to a secret's name in the midst of something else
_BREAKS = str.maketrans(dict.fromkeys("\"'`,;()[]{}<>|&\\", " "))
_HEADERS = ("authorization:", "cookie:", "x-api-key:", "private-token:")
_SCHEMES = ("bearer", "basic", "digest", "negotiate", "token")
SCHEME_CHARS_MIN = 8  # of what stands behind one, with a digit or an `=` in it
_VARIABLE = ("$", "%", "{", "<")  # what stands for a value, and is none
_WEB = ("http", "https", "ftp", "ftps")
# git-config(1), git-send-email(1), git-imap-send(1): those that are a secret, and those that only sound so.
_GIT_SECRETS = words_of("extraheader smtppass pass oauthtoken")
_GIT_HARMLESS = words_of("""
    signingkey sslkey proxysslkey cookiefile savecookies defaultkeycommand sslcertpasswordprotected
    proxysslcertpasswordprotected credentialstore credentialcacheoptions showsignature sshkeycommand keyid
    """)
_GIT_STORES = ("cookiefile", "sslkey", "proxysslkey")  # the value is a file of secrets
_FREE = ("alias.", "credential-alias.", "trailer.")  # sections in which people choose the names
# Short names that mean secrets as a whole only.
_WHOLE = words_of("auth authorization oauth pat pwd jwt")
_GIVES = ("-u", "--user", "--proxy-user", "-U")  # options behind which a login stands
_GIVEN = words_of("registries source target profile")  # tables of cargo, of tables that people name
DEPTH_MAX = 16  # of tables and arrays in one another
_HARMLESS = words_of("credential_provider global_credential_providers root_keys key_threshold keyring_provider")


class _Unclear(Exception):
    """Nothing of the file is shown."""


def without_tokens(form: str, text: str) -> str | None:
    """`text`, a file of that form, without its secrets: itself where there are none, None: nothing of it."""
    if text.count("\n") > LINES_MAX or text.count("://") > ADDRESSES_MAX or is_private_key(text):
        return None
    try:
        return _FORMS[form](text)
    except _Unclear:
        return None


def stores_of_git(text: str) -> Iterator[str]:
    """The files in which git's settings say that secrets are kept, as they are written there."""
    for key, value in git_settings.settings_in(text):
        if key.endswith(_GIT_STORES):
            yield value
        words = value.split()
        if key.startswith("credential.") and key.endswith(".helper") and words and words[0].endswith("store"):
            yield from (word for word in _after_option(words, "--file") if word)


def _after_option(words: list[str], option: str) -> Iterator[str]:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word == option:
            yield following.strip("\"'")
        elif word.startswith(f"{option}="):
            yield word[len(option) + 1 :].strip("\"'")


def holds_secret(text: str) -> bool:
    """Whether a word in it is a secret by its shape, or is given to the name of one."""
    lowered = text.lower()
    if any(header in lowered for header in _HEADERS):
        return True
    words = "=".join(map(str.strip, text.split("="))).translate(_BREAKS).split()
    if any(map(_is_given, words, words[1:])) or any(_is_assigned(word) or _is_login(word) for word in words):
        return True
    return any(is_secret_value(part) for word in words for part in (word, *word.replace(":", "=").split("=")))


def _is_given(word: str, following: str) -> bool:
    """`Bearer …`, `--token …`, `password= …`, `-u user:…`."""
    if word.endswith("sshpass") and following[:2] == "-p":
        return True
    if following.startswith((*_VARIABLE, "-")):
        return False
    if word in _GIVES:
        who, colon, password = following.partition(":")
        return bool(who and colon and password) and not password.startswith((*_VARIABLE, "//"))
    is_named = word[:2] == "--" or word[-1:] == "="
    return _is_scheme_of(word, following) or (is_named and _is_secret(word.strip("-=")))


def _is_scheme_of(word: str, following: str) -> bool:
    telling = "=" in following or any(map(str.isdigit, following))
    return word.lower() in _SCHEMES and telling and len(following) >= SCHEME_CHARS_MIN


def _is_assigned(word: str) -> bool:
    """`password=x`, in the text of a command."""
    name, equals, value = word.partition(":" if word.startswith("pass:") else "=")
    return bool(equals) and len(value) >= WORD_CHARS_MIN and not value.startswith(_VARIABLE) and _is_secret(name)


def _is_login(word: str) -> bool:
    """`user:password@host`, of an address without a scheme."""
    who, at, host = word.partition("@")
    return bool(at and host) and ":" in who and "://" not in word


def _is_secret(name: str) -> bool:
    name = name.strip("\"'-: \t").replace("-", "_")
    return name.lower() not in _HARMLESS and (name.lower() in _WHOLE or is_secret_name(name))


def without_logins(text: str, *, hidden_parts: bool) -> str:
    """Each address in `text` without who logs in there. Raises `_Unclear` for one with a secret in its path."""
    before, separator, rest = text.partition("://")
    shown = before
    while separator:
        scheme = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) :].lower()
        ends = [rest.find(mark) for mark in " \t\r\n\"'`,;<>|"]
        end = min((each for each in ends if each >= 0), default=len(rest))
        address, (following, next_separator, after) = rest[:end], rest[end:].partition("://")
        authority, slash, path = address.partition("/")
        who, at, host = authority.rpartition("@")
        if "@" in path and ":" in authority:  # a slash in a password
            raise _Unclear
        kept = "" if scheme in _WEB else who.partition(":")[0]
        if scheme in _WEB and hidden_parts and (any(map(may_be_secret, path.split("/"))) or "/t/" in f"/{path}"):
            raise _Unclear  # conda's servers take a token behind `/t/`
        shown += f"://{kept + at if kept else ''}{host}{slash}{path}{following}"
        before, separator, rest = following, next_separator, after
    return shown


def _git(text: str) -> str:
    shown, head = [], ""
    for line in _logical(text, goes_on=lambda line: git_settings.goes_on(line.rstrip("\r\n"))):
        clean = without_logins(line, hidden_parts=False)
        said = clean.lstrip(" \t\ufeff")
        begins = ""
        if said[:1] == "[":
            end = git_settings.header_end(said) + 1
            begins, clean = clean[: len(clean) - len(said) + end], said[end:]
            head, said = said[:end] + "\n", clean.lstrip()
            if len(head) > HEAD_CHARS_MAX or holds_secret(head):
                raise _Unclear
        secret = _comments(said) if said[:1] in ("#", ";") else _is_gits_secret(head, said)
        shown.append(begins + (clean if not secret else "\n" if begins else ""))
    return "".join(shown)


def _is_gits_secret(head: str, line: str) -> bool:
    value = line.partition("=")[2]
    for key, said in git_settings.settings_in(head + line):
        last = key.rpartition(".")[2]
        free = last in _GIT_HARMLESS or key.startswith(_FREE)
        if value.strip() and not free and (last in _GIT_SECRETS or _is_secret(last)):
            return True
        # Quotes and lines that go on may stand anywhere in what git reads as one word.
        if without_logins(said, hidden_parts=False) != said or holds_secret(said):
            return True
        if key.startswith("credential.") and last == "helper" and said[:1] == "!" and "password" in said:
            return True
    return holds_secret(value) or _ends_in_secret(value)


def _ends_in_secret(value: str) -> bool:
    """Whether behind it, in a comment, a secret's name is followed by something."""
    marks = [at for mark in (" #", " ;", "\t#", "\t;", " //") if (at := value.find(mark)) >= 0]
    words = value[min(marks) + 2 :].replace("=", " ").replace(":", " ").split() if marks else []
    return any(_is_secret(word) for word in words[:-1])


def _comments(line: str) -> bool:
    """Whether a secret is in a comment: a setting that was put out of force, for one."""
    words = line.strip().lstrip("#;-/* ").replace("=", " ").replace(": ", " ").split()
    telling = "=" in line or ":" in line or any(map(str.isdigit, words[-1] if words else ""))
    return holds_secret(line) or (len(words) == 2 and telling and _is_secret(words[0]))


def _toml(text: str) -> str:
    shown: list[str] = []
    section: tuple[str, ...] = ()
    if any(len(line) > LINE_CHARS_MAX for line in text.splitlines()):
        raise _Unclear
    try:
        for each in statements(without_logins(text, hidden_parts=True)):
            section = each.names if each.begins_table else section
            shown.append(_statement(each, section))
    except NotToldApart as problem:
        raise _Unclear from problem
    return "".join(shown)


def _statement(each: TomlStatement, section: tuple[str, ...]) -> str:
    comment = "" if _comments(each.comment) or _ends_in_secret(f" {each.comment}") else each.comment
    if not each.names:
        return each.before + comment + each.end if comment == each.comment else ""
    if each.begins_table:
        if holds_secret(each.before):
            raise _Unclear
        return "" if _names_secret(section, is_table=True) else each.before + comment + each.end
    value = None if _names_secret(section, is_table=True) else _value((*section, *each.names), each.value, 0)
    if "\n" in each.value and (value != each.value or _tells_secret(each.value)):
        raise _Unclear  # more than settings need; what a long text says is not looked through
    return "" if value is None else each.before + value + comment + each.end


def _tells_secret(value: str) -> bool:
    """A line of it, or what stands behind a `#` in one."""
    return any(
        _comments(line) or _comments(line.partition("#")[2]) or _ends_in_secret(line) for line in value.splitlines()
    )


def _value(path: tuple[str, ...], value: str, depth: int) -> str | None:
    """What may be seen of the value at `path`; None: nothing."""
    if depth > DEPTH_MAX:
        raise _Unclear
    first = value.strip()[:1]
    if _names_secret(path, is_table=first == "{"):
        return None
    match first:
        case "{":
            return _table(path, value, depth)
        case "[":
            return _array(path, value, depth)
        case _:
            if "\\u" in value.lower():  # another way to write any letter
                raise _Unclear
            return None if holds_secret(value) else value


def _table(path: tuple[str, ...], value: str, depth: int) -> str:
    """`{ index = "…", token = "…" }` without the secrets in it."""
    kept: list[str] = []
    all_of_it = array_members(value)
    for member in all_of_it:
        names, inner = pair(member)
        shown = _value((*path, *names), inner, depth + 1)
        if shown is not None:
            kept.append(member[: len(member) - len(inner)] + shown)
    if kept == all_of_it:
        return value
    margin, space = value[: len(value) - len(value.lstrip())], value[len(value.rstrip()) :]
    return f"{margin}{{{','.join(kept)}}}{space}"


def _array(path: tuple[str, ...], value: str, depth: int) -> str | None:
    """All of it or nothing: what is left of a command's words would be another command."""
    words = [member.strip() for member in array_members(value)]
    if any(_value(path, word, depth + 1) != word for word in words) or holds_secret(value):
        return None
    options = [word.strip("\"'") for word in words[:-1]]
    return None if any(word[:1] == "-" and "=" not in word and _is_secret(word) for word in options) else value


def _names_secret(path: tuple[str, ...], *, is_table: bool) -> bool:
    """Whether a setting is a secret, or lies in one: `MY_TOKEN.value`. What people call their own things is neither."""
    if not path or f"{path[0]}." in _FREE:
        return False
    given = 1 if path[0] in _GIVEN and (is_table or len(path) > 2) else len(path)
    return any(map(_is_secret, (*path[:given], *path[given + 1 :])))


def _plain_lines(text: str) -> str:
    """Of the forms `name = value`, `name: value` and lists below a name."""
    shown = []
    dropped_at = -1  # how far a secret's name is from the margin, while what belongs to it may follow
    for line in _logical(text):
        margin = len(line) - len(line.lstrip(" \t"))
        belongs = margin > dropped_at or not line.strip() or (margin == dropped_at and line[margin] == "-")
        if dropped_at >= 0 and belongs:
            continue
        dropped_at = -1
        clean = without_logins(line, hidden_parts=True)
        said = clean.strip()
        if said.startswith(("#", "--", "//", "/*", "*")):
            shown.append("" if _comments(clean) else clean)
            continue
        said = said.removeprefix("export ").lstrip("-: ")
        at = min((place for sign in "=: " if (place := said.find(sign)) >= 0), default=len(said))
        named, value = _is_secret(said[:at]), said[at:].lstrip("=: ")
        dropped_at = margin if named else -1
        is_dropped = (named and value) or holds_secret(value) or holds_secret(said) or _ends_in_secret(said)
        if (is_dropped and not _is_ended(said)) or (named and not value and said.endswith("=")):
            raise _Unclear
        shown.append("" if is_dropped else clean)
    return "".join(shown)


def _is_ended(said: str) -> bool:
    """Whether what a line says is not gone on with, by brackets, quotes or a sign, where the margin does not tell."""
    opened = any(said.count(one) > said.count(other) for one, other in ("()", "[]"))
    return not opened and '"""' not in said and said.count('"') % 2 == 0 and not said.endswith(("\\", "+", "=", ","))


def _code(text: str) -> str:
    """A program: what a line means, the others say, so it is shown as it is or not at all."""
    words = "".join(char if char.isalnum() or char in "_-" else " " for char in text).split()
    if without_logins(text, hidden_parts=True) != text or holds_secret(text) or any(map(_is_secret, words)):
        raise _Unclear
    return text


def _logical(text: str, goes_on: Callable[[str], bool] | None = None) -> Iterator[str]:
    """The lines with their ends; those that go on, by `goes_on`, with what follows."""
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        whole = line
        while goes_on is not None and whole.strip()[:1] not in ("#", ";") and goes_on(whole):
            following = next(lines, "")
            # A comment may end here for the program that reads the file.
            if not following or any(mark in whole for mark in "#;") or len(whole) > LINE_CHARS_MAX:
                raise _Unclear
            whole += following
        if len(whole) > LINE_CHARS_MAX:
            raise _Unclear
        yield whole


_FORMS: dict[str, Callable[[str], str]] = {"git": _git, "toml": _toml, "lines": _plain_lines, "code": _code}
