"""Words of a command that name private keys or passwords.

"Safe" says that a command only reads, and reading a private key is where most thefts begin: what a command prints goes
to the model, and from there anywhere. So a command that shows what such a file holds is worth a question. By name only:
deciding does no I/O, and a variable may hide any name; the sandbox has a list of its own.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Programs that show names, sizes and times, and nothing of what a file holds.
LISTERS = frozenset(words_of("ls dir vdir stat test [ [[ file du df tree exa eza realpath readlink basename "
                             "dirname cd pushd "
                             "wc md5sum sha1sum sha256sum sha512sum namei getfacl lsattr find fd fdfind locate "
                             "which type "
                             "echo printf true ssh-keygen ssh-add"))  # fmt: skip
_TREES = (".ssh/", ".gnupg/", ".aws/", ".azure/", ".kube/", ".config/gcloud/", ".config/gh/", ".password-store/",
          ".local/share/keyrings/", ".config/op/", ".mozilla/", ".config/google-chrome/", ".config/chromium/",
          ".config/rclone/", ".terraform.d/", ".snowflake/", ".thunderbird/", "/etc/ssl/private/", "/run/secrets/",
          "/var/run/secrets/", ".config/doctl/", ".oci/", ".config/hcloud/", ".config/sops/", ".electrum/", ".bitcoin/",
          ".ethereum/", "Library/Keychains/")  # fmt: skip
# One of these is in every tree: most paths have none.
_TREE_MARKS = tuple(dict.fromkeys("/." if tree[0] == "." else f"/{tree}" for tree in _TREES))
_NAMES = frozenset(words_of(
    "id_rsa id_dsa id_ecdsa id_ed25519 .netrc _netrc .pgpass .my.cnf .git-credentials .htpasswd .vault-token "
    ".s3cfg .boto "
    ".bash_history .zsh_history .python_history .psql_history .mysql_history shadow gshadow sudoers "
    "credentials.tfrc.json "
    ".databrickscfg krb5.keytab kcore ssh_host_rsa_key ssh_host_ed25519_key ssh_host_ecdsa_key .pypirc "
    "login.keychain-db "
    "application_default_credentials.json service_account_key.json wallet.dat key3.db key4.db logins.json"
))  # fmt: skip
_WHOLE = (".docker/config.json", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", "/.npmrc",
          "~/.npmrc", "/etc/kubernetes/admin.conf", "/dev/mem", "/dev/kmem", ".config/hub")  # fmt: skip
_SOUGHT = (
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


# Programs that search in what files hold; the second ones go through directories unasked.
_SEARCHERS = frozenset(words_of("grep egrep fgrep rgrep zgrep"))
_TREE_SEARCHERS = frozenset(words_of("rg ag ack ugrep"))
_SOUGHT_TEXTS = ("passw", "secret", "token", "akia", "api_key", "apikey", "api-key", "private key", "private_key",
                 "credential", "begin rsa", "begin openssh", "aws_", "ghp_", "sk-", "xoxb")  # fmt: skip
# Trees that hold the secrets of an account or a machine.
_WIDE_TREES = frozenset(words_of("/ ~ $HOME ${HOME} /home /Users /root /etc /var /opt /srv /mnt /proc ~/.config"))


def shows_secrets(program: str, words: tuple[str, ...]) -> bool:
    """Whether `program`, which prints what it reads, is given a file that holds keys or passwords."""
    if program in LISTERS:
        return False
    return any(names_secret(word) for word in words) or searches_secrets(program, words)


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
    return any(mark in word.lower() for word in words for mark in _SOUGHT_TEXTS)


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
        for mark in _SOUGHT
    )


def names_secret(word: str) -> bool:
    """Whether a word is, or ends in, the path of a file with keys or passwords, or of a directory of such files."""
    if "." not in word and "/" not in word and "_" not in word and word not in _NAMES:
        return False
    path = word.partition("=")[2] if word[:1] == "-" and "=" in word else word
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if name in _NAMES:
        return "/" in path or name not in ("shadow", "gshadow", "sudoers", "kcore")
    if name.endswith(".pub") or "*.pub" in name:
        return False
    if path.endswith(_WHOLE) or path in ("~/.*", "$HOME/.*"):
        return True
    if path.startswith("/proc/") and name == "environ":
        return True
    inside = f"/{path}" if path.endswith("/") else f"/{path}/"
    if not any(mark in inside for mark in _TREE_MARKS):
        return False
    for tree in _TREES:
        if f"/{tree}" in inside:
            return not (name in _OPEN and tree in _OPEN_TREES)
    return False
