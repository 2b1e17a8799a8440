"""Where credentials lie: the files and directories a confined command may not read unless somebody opens them.

A fixed list, asked for entry by entry, plus the few places where the user's own settings say that keys are
kept elsewhere. No tree is walked. Only existing paths are reported, canonical, so that what is hidden is the file
and not a link to it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.looking import Look

# Relative to the home directory.
CREDENTIALS = (
    ".age",
    ".aws",
    ".azure",
    ".boto",
    ".bundle/config",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".composer/auth.json",
    ".config/Bitwarden",
    ".config/Signal",
    ".config/anthropic",
    ".config/composer/auth.json",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/sops",
    ".databrickscfg",
    ".docker/config.json",
    ".gem/credentials",
    ".gemini/oauth_creds.json",
    ".git-credentials",
    ".gnupg",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".kube",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".snowsql/config",
    ".terraform.d/credentials.tfrc.json",
    ".vault-token",
)
BROWSER_PROFILES = (
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/google-chrome",
    ".config/microsoft-edge",
    ".config/opera",
    ".config/vivaldi",
    ".mozilla",
    ".thunderbird",
    ".var/app/org.mozilla.firefox",
    "snap/chromium",
    "snap/firefox",
)
HISTORIES = (
    ".bash_history",
    ".local/share/fish/fish_history",
    ".mysql_history",
    ".node_repl_history",
    ".psql_history",
    ".python_history",
    ".rediscli_history",
    ".sqlite_history",
    ".zsh_history",
)
# Files only root can read anyway; permission bits do not stop a confined command that *is* root.
ROOT_ONLY = (
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/security/opasswd",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssl/private",
)
SSH_CONFIG_BYTES_MAX = 65536
SSH_CONFIG_FILES_MAX = 32  # followed through `Include`

_HOME_ENTRIES = (*CREDENTIALS, *BROWSER_PROFILES, *HISTORIES)


def secrets_of(home: str | None, look: Look, *, uid: int, opened: Iterable[str] = ()) -> tuple[str, ...]:
    """Existing secret paths. `opened` are those, as canonical paths, that the configuration leaves readable."""
    found = list(_root_only(look)) if uid == 0 else []
    if home:
        found += _in_home(home, look)
        found += _ssh_keys(home, look)
    allowed = frozenset(opened)
    return tuple(path for path in dict.fromkeys(found) if path not in allowed)


def _root_only(look: Look) -> Iterable[str]:
    yield from (path for path in ROOT_ONLY if look.leads_anywhere(path))
    for name in look.names("/etc/ssh"):
        if name.startswith("ssh_host_") and name.endswith("_key"):
            yield "/etc/ssh/" + name


def _in_home(home: str, look: Look) -> Iterable[str]:
    present = frozenset(look.names(home))
    if not present:
        return
    for entry in _HOME_ENTRIES:
        first, _, rest = entry.partition("/")
        if first in present and (path := _canonical(f"{home}/{entry}", look, plain=not rest)):
            yield path


def _ssh_keys(home: str, look: Look) -> Iterable[str]:
    """Private keys by their usual names, and every file that ssh's own settings name as one."""
    directory = home + "/.ssh"
    names = look.names(directory)
    for name in names:
        if name.startswith("id_") and not name.endswith(".pub") and (path := _canonical(f"{directory}/{name}", look)):
            yield path
    pending, read = ([directory + "/config"] if "config" in names else []), 0
    while pending and read < SSH_CONFIG_FILES_MAX:
        keys, included = _ssh_settings(pending.pop(), home, look)
        read += 1
        pending += included
        for key in keys:
            if path := _canonical(key, look):
                yield path


def _ssh_settings(config: str, home: str, look: Look) -> tuple[list[str], list[str]]:
    """The private keys and the further files one ssh configuration file names."""
    keys: list[str] = []
    included: list[str] = []
    for line in look.text(config, SSH_CONFIG_BYTES_MAX).splitlines():
        words = line.strip().replace("=", " ", 1).split(None, 1)
        if len(words) < 2:
            continue
        value = words[1].strip().strip('"')
        keyword = words[0].lower()
        if keyword == "identityfile" and "%" not in value.replace("%d", ""):
            keys.append(_from_home(value.replace("%d", home), home, base=home))
        elif keyword == "include":
            for pattern in value.split():
                included += _matches(_from_home(pattern, home, base=home + "/.ssh"), look)
    return keys, included


def _from_home(value: str, home: str, *, base: str) -> str:
    if value == "~" or value.startswith("~/"):
        return home + value[1:]
    return value if value.startswith("/") else f"{base}/{value}"


def _matches(pattern: str, look: Look) -> list[str]:
    if not any(char in pattern for char in "*?["):
        return [pattern]
    import glob  # heavy (re, fnmatch); few configurations include by pattern

    look.cannot_be_kept()
    return sorted(glob.glob(pattern))


def _canonical(path: str, look: Look, *, plain: bool = False) -> str | None:
    """The real path of something that exists. `plain`: its directory is canonical already."""
    if not look.exists(path):  # most entries end here, for the price of one call
        return None
    if plain and not look.is_link(path):
        return path
    led = look.follow(path)
    return None if led is None else led.real
