"""What a configuration file says beside its secrets, for files of a home whose form is known.

A program that may not read its settings fetches from the public registry without a word. So what names registries
stays, and everything that is not known to be harmless goes: names and passwords in addresses, tokens, headers, keys.
A line, a word or an address of a form that is not expected makes the whole file one that is not shown.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

SECRET_CHARS_MIN = 16  # a word of letters and digits that is longer may be a token
SECRET_DIGITS_MIN = 6  # and as many letters, in one part of a path with SECRET_PART_CHARS_MIN of them together
SECRET_PART_CHARS_MIN = 24
VALUE_CHARS_MAX = 256
DEPTH_MAX = 32  # of a JSON text, and of elements in XML

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "0123456789"
_HOST_CHARS = frozenset(_LETTERS + _DIGITS + ".-")
_PATH_CHARS = frozenset(_LETTERS + _DIGITS + "._~/@+-")
_VALUE_CHARS = frozenset(_LETTERS + _DIGITS + " ._~/@^=:,*<>+-")
_KEY_CHARS = frozenset(_LETTERS + _DIGITS + "._/@:*-[]")

# npmrc(5), of npm 10 and pnpm 9: those that may stay, by what they hold.
_NPM_ADDRESSES = words_of("registry proxy https-proxy noproxy replace-registry-host")
_NPM_PLAIN = words_of("""
    always-auth audit audit-level auto-install-peers bin-links cache cafile color depth dedupe-peer-dependents
    engine-strict fetch-retries fetch-retry-factor fetch-retry-maxtimeout fetch-retry-mintimeout fetch-timeout fund
    global-style hoist ignore-scripts include init-license install-links install-strategy legacy-bundling
    legacy-peer-deps link-workspace-packages lockfile lockfile-version loglevel maxsockets network-concurrency
    node-linker node-version offline omit optional package-import-method package-lock prefer-dedupe prefer-offline
    prefer-online prefer-workspace-packages prefix progress public-hoist-pattern resolution-mode save save-exact
    save-peer save-prefix save-workspace-protocol scope script-shell shamefully-hoist shrinkwrap side-effects-cache
    store-dir strict-peer-dependencies strict-ssl symlink tag unicode update-notifier use-node-version user-agent
    workspaces yes
    """)
# pip's manual, "Configuration".
_PIP_ADDRESSES = words_of("index-url extra-index-url find-links index proxy")
_PIP_PLAIN = words_of("""
    break-system-packages cache-dir cert constraint default-timeout disable-pip-version-check exists-action format
    ignore-installed keyring-provider no-binary no-build-isolation no-cache-dir no-color no-compile no-deps no-index
    no-input only-binary pre prefer-binary progress-bar quiet require-hashes require-virtualenv retries
    root-user-action timeout trusted-host upgrade upgrade-strategy use-feature user verbose
    """)
_DOCKER_PLAIN = words_of("detachKeys imagesFormat psFormat servicesFormat tasksFormat experimental")
# maven.apache.org/ref/current/maven-settings/settings.html: what may stay, by the name of what it lies in.
_REPOSITORY = "id name url layout releases snapshots"
_MAVEN: dict[str, frozenset[str]] = {
    "settings": words_of("localRepository interactiveMode offline pluginGroups mirrors profiles activeProfiles"),
    "pluginGroups": words_of("pluginGroup"),
    "mirrors": words_of("mirror"),
    "mirror": words_of("id name url mirrorOf layout mirrorOfLayouts blocked"),
    "profiles": words_of("profile"),
    "profile": words_of("id activation repositories pluginRepositories"),
    "activation": words_of("activeByDefault"),
    "repositories": words_of("repository"),
    "pluginRepositories": words_of("pluginRepository"),
    "repository": words_of(_REPOSITORY),
    "pluginRepository": words_of(_REPOSITORY),
    "releases": words_of("enabled updatePolicy checksumPolicy"),
    "snapshots": words_of("enabled updatePolicy checksumPolicy"),
    "activeProfiles": words_of("activeProfile"),
}


class _Unexpected(Exception):
    """Nothing of the file is shown."""


_WITHOUT_LINES = dict.fromkeys(map(ord, "\n\r\t"))


def without_secrets(form: str, text: str) -> str | None:
    """What may be shown of a file of this form (`places.secrets`); None: nothing, as it is of another one."""
    if not text.translate(_WITHOUT_LINES).isprintable():
        return None
    try:
        return _FORMS[form](text)
    except _Unexpected:
        return None


def plain_address(value: str) -> str:
    """An address of a server without who logs in there. Raises `_Unexpected` for what may hold another secret."""
    scheme, colon, rest = value.partition("://")
    authority, slash, path = rest.partition("/")
    host, _, port = authority.rpartition("@")[2].partition(":")
    if scheme not in ("http", "https") or not colon or not host or not _HOST_CHARS.issuperset(host):
        raise _Unexpected
    numbered = authority.rpartition("@")[2].partition(":")[1]
    if bool(numbered) != bool(port) or (port and not (port.isascii() and port.isdigit())):
        raise _Unexpected
    if not _PATH_CHARS.issuperset(path) or any("@" in part[1:] or may_be_secret(part) for part in path.split("/")):
        raise _Unexpected
    return f"{scheme}://{host}{numbered}{port}{slash}{path}"


def may_be_secret(part: str) -> bool:
    """Whether a part of a path, or a word, looks like none that people make."""
    words = "".join(char if char.isalnum() else " " for char in part).split()
    if any(len(word) >= SECRET_CHARS_MIN and not (word.islower() and word.isalpha()) for word in words):
        return True
    digits, letters = sum(map(str.isdigit, part)), sum(map(str.isalpha, part))
    return min(digits, letters) >= SECRET_DIGITS_MIN and digits + letters >= SECRET_PART_CHARS_MIN


def _plain(value: str) -> str:
    if len(value) > VALUE_CHARS_MAX or not _VALUE_CHARS.issuperset(value) or "://" in value:
        raise _Unexpected
    if any(may_be_secret(part) for part in value.replace("/", " ").split()) or _names_login(value):
        raise _Unexpected
    return value


def _names_login(value: str) -> bool:
    """`user:password@host`, of an address without a scheme."""
    return any(":" in word.partition("@")[0] and "@" in word for word in value.replace(",", " ").split())


def _npm(text: str) -> str:
    shown = []
    for line in map(str.strip, text.splitlines()):
        if not line or line[0] in "#;":
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not key or not _KEY_CHARS.issuperset(key) or not (equals or key in _NPM_PLAIN):
            raise _Unexpected
        if key[0] == "@" and may_be_secret(key):
            raise _Unexpected
        if value[:1] in ('"', "'"):
            if len(value) < 2 or value[-1] != value[0]:
                raise _Unexpected
            value = value[1:-1]
        if key in _NPM_ADDRESSES or (key[0] == "@" and key.endswith(":registry") and key.count(":") == 1):
            shown.append(f"{key}={plain_address(value) if '://' in value else _plain(value)}")
        elif key in _NPM_PLAIN:
            shown.append(f"{key}={_plain(value)}" if equals else key)
    return _lines(shown)


def _pip(text: str) -> str:
    shown: list[str] = []
    check: Callable[[str], str] | None = None  # of the option whose lines these are; None: it goes
    named = False
    for line in text.splitlines():
        words = line.strip()
        if not words or words[0] in "#;":
            continue
        if line[0] in " \t":
            if not named:
                raise _Unexpected
            shown += [f"    {_each(words, check)}"] if check is not None else []
        elif words[0] == "[":
            named, check = False, None
            if words[-1] != "]" or not _KEY_CHARS.issuperset(words[1:-1]):
                raise _Unexpected
            shown.append(f"[{_plain(words[1:-1])}]")
        else:
            at = min((place for sign in "=:" if (place := words.find(sign)) >= 0), default=0)
            key, value = words[:at].strip().lower().replace("_", "-"), words[at + 1 :].strip()
            if not key or not _KEY_CHARS.issuperset(key):
                raise _Unexpected
            named, check = True, _check_of(key)
            shown += [f"{key} = {_each(value, check)}"] if check is not None else []
    return _lines(shown)


def _check_of(key: str) -> Callable[[str], str] | None:
    if key in _PIP_ADDRESSES:
        return lambda word: plain_address(word) if "://" in word else _plain(word)
    return _plain if key in _PIP_PLAIN else None


def _each(value: str, check: Callable[[str], str]) -> str:
    return " ".join(map(check, value.split()))


def _docker(text: str) -> str:
    from _json import encode_basestring_ascii as quoted  # `json` brings `re`, and costs as much as a warm command

    found = _json_object(text)
    shown = [f"{quoted(key)}: {_json_plain(found[key], quoted)}" for key in _DOCKER_PLAIN if key in found]
    if "auths" in found:
        hosts = found["auths"]
        if not isinstance(hosts, dict):
            raise _Unexpected
        names = [plain_address(host) if "://" in host else _plain(host) for host in hosts]
        shown.append(f'"auths": {{{", ".join(f"{quoted(name)}: {{}}" for name in names)}}}')
    return f"{{{', '.join(sorted(shown))}}}\n"


def _json_plain(value: object, quoted: Callable[[str], str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise _Unexpected
    if len(value) > VALUE_CHARS_MAX or any(map(may_be_secret, value.split())) or _names_login(value):
        raise _Unexpected
    return quoted(value)


class _Strict:  # what it is made of is a contract of `_json`
    """What `_json` reads by."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_int = parse_constant = str
    memo: ClassVar[dict[str, str]] = {}


def _json_object(text: str) -> Mapping[str, object]:
    from _json import make_scanner

    text = text.strip()
    if text.count("{") + text.count("[") > VALUE_CHARS_MAX:  # the scanner goes one step down for each
        raise _Unexpected
    try:
        value, end = make_scanner(_Strict)(text, 0)  # type: ignore[arg-type] # anything with these names will do
    except (ValueError, StopIteration, RecursionError) as problem:
        raise _Unexpected from problem
    if end != len(text) or not isinstance(value, dict):
        raise _Unexpected
    return value


def _maven(text: str) -> str:
    from pyexpat import ExpatError, ParserCreate

    reader = _Maven()
    parser = ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = reader.begins, reader.ends
    parser.CharacterDataHandler = reader.says
    parser.StartDoctypeDeclHandler = reader.declares
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(), True)
    except ExpatError as problem:
        raise _Unexpected from problem
    return "".join(reader.shown) + "\n"


class _Maven:
    """Writes again what may stay."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self._open: list[str] = []
        self._dropped = 0  # elements that are open, from the first that goes on
        self._text = ""

    def declares(self, *_: object) -> None:
        raise _Unexpected  # entities

    def begins(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._text.strip() or len(self._open) + self._dropped >= DEPTH_MAX:
            raise _Unexpected
        self._text = ""
        inside = _MAVEN.get(self._open[-1], frozenset()) if self._open else frozenset(("settings",))
        if self._dropped or name not in inside:
            self._dropped += 1
            return
        if attributes and self._open:
            raise _Unexpected
        self._open.append(name)
        self.shown.append(f"<{name}>")

    def says(self, text: str) -> None:
        if not self._dropped:
            self._text += text

    def ends(self, name: str) -> None:
        if self._dropped:
            self._dropped -= 1
            return
        text, self._text = self._text.strip(), ""
        if text and name in _MAVEN:
            raise _Unexpected
        self.shown.append(f"{_xml(_maven_value(name, text))}</{name}>")
        self._open.pop()


def _maven_value(name: str, text: str) -> str:
    if name == "url":
        return plain_address(text)
    if name == "localRepository":
        return _plain(text.replace("${user.home}", "~")).replace("~", "${user.home}")
    return _plain(text.replace("!", "")) and text


def _xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _lines(shown: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in shown)


_FORMS: dict[str, Callable[[str], str]] = {"npm": _npm, "pip": _pip, "docker": _docker, "maven": _maven}
