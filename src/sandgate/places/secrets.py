"""Where keys, passwords and tokens are kept, by name alone: below a home, on a machine, in any directory.

Two questions are asked of a path: does a command that shows it deserve a question (`secret_names`), and how bad is
reading or changing it (`assessment.places`). Both are answered from here, so that what one of them calls a secret is
one for the other. What is on the disk is not looked at. The names are those the programs' own manuals give.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Relative to a home directory. A trailing slash means everything below. A project may have files of the same names
# that hold nothing, so these count only where a path says that it is below a home.
IN_HOME = words_of("""
    .ssh/ .gnupg/ .aws/ .azure/ .kube/ .age/ .password-store/ .mozilla/ .thunderbird/ .snowflake/ .snowsql/ .oci/
    .electrum/ .bitcoin/ .ethereum/ .solana/ .monero/ .sandgate/ .cloudflared/ .purple/ .remmina/ .openconnect/
    .local/share/keyrings/ .local/share/kwalletd/ .local/share/remmina/ .gnome2/keyrings/ .local/share/Bitwarden/
    .config/gcloud/ .config/gh/ .config/op/ .config/rclone/ .config/doctl/ .config/hcloud/ .config/sops/
    .config/solana/ .config/Bitwarden/ .config/Bitwarden-CLI/ .config/Signal/ .config/anthropic/ .config/stripe/
    .config/configstore/ .config/glab-cli/ .config/tea/ .config/ngrok/ .config/github-copilot/ .config/keepassxc/
    .config/google-chrome/ .config/chromium/ .config/BraveSoftware/ .config/microsoft-edge/ .config/opera/
    .config/vivaldi/ .config/filezilla/ .config/Slack/ .config/discord/ .config/teams/ .config/scaleway/
    .config/1Password/ .config/protonvpn/ .config/lpass/ .var/app/org.mozilla.firefox/ snap/chromium/ snap/firefox/
    Library/Keychains/ Library/Cookies/ Library/Messages/ Library/Mail/
    .netrc _netrc .pgpass .my.cnf .mylogin.cnf .npmrc .yarnrc.yml .pypirc .git-credentials .config/git/credentials
    .docker/config.json .dockercfg .cargo/credentials .cargo/credentials.toml .gem/credentials .bundle/config
    .composer/auth.json .config/composer/auth.json .m2/settings.xml .m2/settings-security.xml
    .gradle/gradle.properties .sbt/.credentials .ivy2/.credentials .hex/hex.config .nuget/NuGet/NuGet.Config
    .condarc .config/pip/pip.conf .pip/pip.conf .terraform.d/credentials.tfrc.json .terraformrc .vault-token
    .s3cfg .boto .mc/config.json .passwd-s3fs .smbcredentials .config/hub .databrickscfg .fly/config.yml
    .netlify/config.json .config/netlify/config.json .wrangler/config/default.toml
    .config/.wrangler/config/default.toml .config/linode-cli .linode-cli .sentryclirc .kaggle/kaggle.json
    .huggingface/token .cache/huggingface/token .cache/huggingface/stored_tokens .ngrok2/ngrok.yml .rclone.conf
    .claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .gemini/google_accounts.json
    .qwen/oauth_creds.json .aider.conf.yml .continue/config.json .local/share/opencode/auth.json
    .pulumi/credentials.json
    .subversion/auth/ .msmtprc .mbsyncrc .offlineimaprc .fetchmailrc .vnc/passwd .weechat/sec.conf .irssi/config
    .config/fish/fish_variables .local/share/fish/fish_history .docker/machine/ .ansible/galaxy_token .cpanel/
    .config/scw/config.yaml .config/fly/config.yml .authinfo .authinfo.gpg .supabase/access-token
    .planetscale/access-token .aliyun/config.json .lein/credentials.clj .config/NuGet/NuGet.Config .modal.toml
    .google_authenticator .near-credentials/ .dbt/profiles.yml .Xauthority .viminfo .zhistory .history
    .local/share/atuin/ .config/Code/User/globalStorage/state.vscdb .config/Cursor/User/globalStorage/state.vscdb
    """)
# Absolute.
ON_MACHINE = words_of("""
    /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d/ /etc/security/opasswd
    /etc/krb5.keytab /etc/ssl/private/ /etc/pki/tls/private/ /etc/wireguard/ /etc/ipsec.secrets
    /etc/ppp/chap-secrets /etc/ppp/pap-secrets /etc/NetworkManager/system-connections/ /etc/wpa_supplicant/
    /etc/openvpn/ /etc/kubernetes/admin.conf /etc/kubernetes/pki/ /etc/rancher/ /etc/mysql/debian.cnf
    /etc/docker/key.json /var/lib/kubelet/pki/ /var/run/secrets/ /run/secrets/ /run/credentials/ /root/.ssh/
    /etc/postfix/sasl_passwd /etc/exim4/passwd.client /etc/davfs2/secrets /etc/gitlab-runner/config.toml
    /etc/ldap.secret /var/lib/tailscale/tailscaled.state /var/lib/rancher/k3s/server/token
    /var/backups/shadow.bak /var/backups/gshadow.bak /var/cache/debconf/passwords.dat
    /var/lib/systemd/credential.secret /etc/credstore/ /etc/credstore.encrypted/ /etc/cryptsetup-keys.d/
    /etc/letsencrypt/archive/ /etc/letsencrypt/accounts/ /etc/bind/rndc.key /etc/rndc.key /etc/chrony/chrony.keys
    /etc/msmtprc /etc/apt/auth.conf /etc/apt/auth.conf.d/ /etc/samba/private/ /var/lib/samba/private/
    /var/lib/iwd/ /var/lib/libvirt/secrets/ /etc/libvirt/secrets/ /var/lib/fwupd/pki/ /etc/pve/priv/
    /var/lib/cloud/instance/user-data.txt /proc/kcore /dev/mem /dev/kmem
    """)
# Wherever they lie.
NAMES = frozenset(words_of("""
    id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk .netrc _netrc .pgpass .my.cnf .git-credentials .htpasswd
    .vault-token .vault_pass .vault_pass.txt .ansible_vault_pass .s3cfg .boto .pypirc .databrickscfg krb5.keytab kcore
    .bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history .rediscli_history
    .sqlite_history .irb_history .lesshst fish_history
    ssh_host_rsa_key ssh_host_ed25519_key ssh_host_ecdsa_key login.keychain-db credentials.tfrc.json
    application_default_credentials.json service_account_key.json service-account.json service-account-key.json
    wallet.dat key3.db key4.db logins.json master.key privkey.pem
    """))  # fmt: skip
# The settings of a program that is being developed, with the passwords it is run with.
OF_PROJECTS = frozenset(words_of("""
    .env .env.local .env.production .env.prod .env.staging .env.development .env.dev .env.development.local
    .env.production.local .env.prod.local .env.staging.local .env.test .env.test.local .env.bak .env.backup .env.old
    .env.secret .env.secrets .envrc .dev.vars credentials.json credentials.yml secrets.yml
    secrets.yaml secrets.json secrets.toml .secrets client_secret.json
    """))  # fmt: skip
ENDINGS = (".p12", ".pfx", ".kdbx", ".jks", ".keystore", ".ppk", ".key", ".p8", ".ovpn", ".tfstate")
_PRIVATE_ENDINGS = ("key.pem", "private.pem", "priv.pem")
_OPEN_ENDINGS = (".pub", ".example", ".sample", ".template", ".dist", ".enc")
_PUBLIC_ENDINGS = (".pub", ".crt", ".cer", ".csr", "chain.pem")

# Names that programs unknown to us give to what they keep below a hidden directory of a home.
_STEMS = frozenset(words_of("""
    auth oauth oauth_creds creds credential credentials token tokens access_token access_tokens refresh_token
    api_key api_keys apikey key keys secret secrets password passwords passwd passphrase cookies session sessions
    stored_tokens service_account
    """))  # fmt: skip
_KEPT_ENDINGS = frozenset(
    ("", "json", "yml", "yaml", "toml", "txt", "ini", "conf", "db", "sqlite", "cfg", "properties")
)

# Settings in a home that tell programs where to go, with secrets among them, and of which form they are. Closed, and
# seen with what is known to be harmless (`without_secrets`):
SEEN_BESIDE_SECRETS = {
    ".npmrc": "npm",
    ".config/pip/pip.conf": "pip",
    ".pip/pip.conf": "pip",
    ".docker/config.json": "docker",
    ".m2/settings.xml": "maven",
}
# Open; where one has a secret in it, closed and seen without that (`without_tokens`). A star ends what a name begins
# with; what git's settings include is of their form, too.
SEEN_LESS_SECRETS = {
    ".gitconfig*": "git",
    ".config/git/*": "git",
    ".cargo/config.toml": "toml",
    ".cargo/config": "toml",
    ".config/pypoetry/config.toml": "toml",
    ".config/mise/config.toml": "toml",
    ".rye/config.toml": "toml",
    ".pixi/config.toml": "toml",
    ".config/go/env": "lines",
    ".gemrc": "lines",
    ".cabal/config": "lines",
    ".conda/.condarc": "lines",
    ".conda/condarc": "lines",
    ".sbt/repositories": "lines",
    ".gradle/init.gradle": "code",
    ".gradle/init.gradle.kts": "code",
    ".Rprofile": "code",
}
# The same on the machine.
MACHINES_LESS_SECRETS = {"/etc/pip.conf": "lines", "/etc/xdg/pip/pip.conf": "lines", "/etc/uv/uv.toml": "toml"}

# Of variables and settings; compared in upper case.
_SECRET_WORDS = ("KEY", "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE")
_SECRET_PREFIX = "AWS_"
_SECRET_SUFFIXES = ("_PAT", "_PWD", "_PASS", "_AUTH", "_JWT")
_SECRET_NAMES = frozenset({"DATABASE_URL", "DOCKER_AUTH_CONFIG", "PASS", "PGPASS", "SSHPASS"})

# Harmless words around a secret one. They are struck out before the name is judged, so that `KEYBOARD_LAYOUT` stays
# and `KEYBOARD_API_KEY` does not.
_HARMLESS_WORDS = ("KEYBOARD", "KEYMAP", "KEYTIMEOUT", "LESSKEYIN", "LESSKEY", "HOTKEY", "MONKEY", "KEYRING_BACKEND",
                   "KEYRING_PROVIDER", "TOKENIZERS", "TOKENIZER", "MAX_TOKENS")  # fmt: skip
_HARMLESS_NAMES = frozenset({"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_DEFAULT_OUTPUT", "AWS_PAGER"})

# What the tokens of services begin with, whatever the variable is called, and how long they are at least. The shapes
# are those of `commandline/redaction.py`; a test compares the two.
_TOKENS: tuple[tuple[tuple[str, ...], int], ...] = (
    (("sk-", "glpat-", "glrt-", "gldt-", "glsoat-", "glcbt-", "dckr_pat_"), 15),
    (("sk_live_", "sk_test_", "rk_live_", "rk_test_", "xapp-"), 13),
    (("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"), 13),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "npm_", "pypi-", "hf_", "hvs.", "hvb.", "hvr."), 19),
    (("doo_v1_", "dop_v1_", "dor_v1_", "shpat_", "shpss_", "shpca_", "shppa_", "ya29."), 17),
    (("AKIA", "ASIA", "ABIA", "ACCA"), 20),
    (("AIza", "SG."), 28),
    (("eyJ",), 20),
)
_TOKEN_STARTS = tuple(start for starts, _length in _TOKENS for start in starts)
_SCHEMES = ("bearer ", "basic ", "digest ", "negotiate ")  # of an `Authorization`, compared in lower case
_SECRET_SIGNS = (
    "PASS",
    "PWD",
    "AUTH",
    "PROXY",
    "HEADER",
    "BEARER",
    "BASIC ",
    "AWS_",
    "_PAT",
    "PAT =",
    "PAT=",
    "JWT",
    "CURL",
    "://",
    "\\U00",  # an ASCII letter that does not stand for itself
)

_PRIVATE_KEY_SIGNS = ("PRIVATE KEY-----", "PuTTY-User-Key-File-", "AGE-SECRET-KEY-1")

_HOME_WORDS = ("~/", "$HOME/", "${HOME}/", "/root/")
_HOME_PARENTS = ("/home/", "/Users/")
_GLOBS = ("*", "?", "[", "{")

FILES_IN_HOME = frozenset([place for place in IN_HOME if place[-1] != "/"])
_trees = tuple([place for place in IN_HOME if place[-1] == "/"])
TREES_IN_HOME = frozenset([tree[:-1] for tree in _trees])
PLAIN_NAMES_IN_HOME = frozenset(words_of("snap Library _netrc Maildir mail Mail mbox"))  # first names without a dot
_machine_files = frozenset([place for place in ON_MACHINE if place[-1] != "/"])
_machine_trees = tuple([place for place in ON_MACHINE if place[-1] == "/"])
_machine_bare_trees = frozenset([tree[:-1] for tree in _machine_trees])


def kept_in_home(inner: str) -> bool:
    """Whether `inner`, relative to a home, holds secrets or is a directory of them."""
    return inner in FILES_IN_HOME or in_secret_tree(inner) or _sounds_kept(inner)


def kept_on_machine(path: str) -> bool:
    """Whether `path`, absolute, is where a machine keeps secrets."""
    if path in _machine_files or path in _machine_bare_trees:
        return True
    return path.startswith(_machine_trees) and not path.endswith(_PUBLIC_ENDINGS)


def named_for_secrets(name: str) -> bool:
    """Whether a file of this name (without its directory) holds secrets wherever it lies."""
    if name.endswith(_OPEN_ENDINGS):
        return False
    return name in NAMES or name in OF_PROJECTS or name.endswith(ENDINGS) or name.endswith(_PRIVATE_ENDINGS)


def sounds_like(beginning: str) -> bool:
    """Whether a name that begins so may be one of those that mean secrets everywhere."""
    return any(name.startswith(beginning) for name in (*NAMES, *OF_PROJECTS))


def may_be_hidden_secret(pattern: str) -> bool:
    """Whether a pattern that says the dot, `.e*`, may stand for one of those names."""
    if pattern[:1] != ".":
        return False
    from sandgate.places.patterns import could_be

    return any(could_be(pattern, name) for name in (*NAMES, *OF_PROJECTS) if name[0] == ".")


def may_match_machine(pattern: str) -> bool:
    """Whether a pattern, absolute, may stand for a place where a machine keeps secrets."""
    from sandgate.places.patterns import could_be

    return any(could_be(pattern, place) for place in (*_machine_files, *_machine_bare_trees))


def in_secret_tree(inner: str) -> bool:
    """Whether `inner`, relative to some directory, lies in a tree that no project has, or is one."""
    return inner in TREES_IN_HOME or inner.startswith(_trees)


def inside_home(path: str) -> str | None:
    """`~/.aws/config`, `$HOME/…`, `/home/u/…` → what comes behind the home; None for a path that names no home."""
    if path.startswith(_HOME_PARENTS):
        return path.split("/", 3)[3] if path.count("/") > 2 else ""
    if path.startswith(_HOME_WORDS) or (path[:1] == "~" and "/" in path):  # `~user/`
        return path[path.index("/", path[:1] == "/") + 1 :]
    return None


def may_match_kept(inner: str) -> bool:
    """Whether a pattern, relative to a home, may stand for one of the places; exact paths are `kept_in_home`."""
    at = min([found for mark in _GLOBS if (found := inner.find(mark)) >= 0], default=-1)
    if at < 0:
        return False
    sure = inner[:at]
    return bool(sure) and any(place.startswith(sure) for place in IN_HOME)


def is_secret_name(name: str) -> bool:
    """True for names that by the built-in list hold secrets."""
    name = name.upper()
    if name in _HARMLESS_NAMES:
        return False
    for word in _HARMLESS_WORDS:
        name = name.replace(word, "")
    return (
        any(word in name for word in _SECRET_WORDS)
        or name.startswith(_SECRET_PREFIX)
        or name.endswith(_SECRET_SUFFIXES)
        or name in _SECRET_NAMES
    )


def may_hold_secrets(text: str) -> bool:
    """A quick look at settings: false only where none of the words are in them by which secrets are known."""
    upper = text.upper()
    return (
        ("@" in text and ("://" in text or "\\" in text or any(map(_names_who, text.split()))))
        or "\\u" in text
        or any(word in upper for word in (*_SECRET_WORDS, *_SECRET_SIGNS))
        or any(start in text for start in _TOKEN_STARTS)
    )


def _names_who(word: str) -> bool:
    who, at, _ = word.partition("@")
    return bool(at) and ":" in who


def is_private_key(value: str) -> bool:
    """True for values that look like private keys, whatever their variable is called."""
    return any(sign in value for sign in _PRIVATE_KEY_SIGNS)


def is_secret_value(value: str) -> bool:
    """True for values that are secrets by themselves: a private key, a service's token, an address with a password."""
    if is_private_key(value) or value[:10].lower().startswith(_SCHEMES):
        return True
    return _is_token(value) or ("@" in value and any(map(_carries_password, value.split())))


def _is_token(value: str) -> bool:
    if not value.startswith(_TOKEN_STARTS):
        return False
    one_word = value.isascii() and not any(mark in value for mark in " /:,;=")
    return one_word and any(value.startswith(starts) and len(value) >= length for starts, length in _TOKENS)


def _carries_password(address: str) -> bool:
    """`scheme://user:password@host`, or a token in the place of the user."""
    _scheme, separator, rest = address.partition("://")
    before_path = rest.partition("/")[0]
    who, at, _host = before_path.rpartition("@")
    return bool(separator and at) and (bool(who.partition(":")[2]) or _is_token(who))


def _sounds_kept(inner: str) -> bool:
    """`.program/auth.json`: in a hidden directory, and called what secrets are called."""
    if inner[:1] != "." or "/" not in inner:
        return False
    stem, _, ending = inner.rsplit("/", 1)[-1].lstrip(".").lower().partition(".")
    return ending in _KEPT_ENDINGS and (stem in _STEMS or stem.endswith(("_token", "_creds", "_credentials")))
