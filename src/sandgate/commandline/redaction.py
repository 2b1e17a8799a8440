"""Takes secrets out of text that is about to leave this machine.

What is sent to a model is evidence about a command, and commands carry passwords, tokens and keys. Known by their
place (an option, an assignment, a header, an address) or by their shape. Whatever might be one goes: a rating can do
without it, and nothing calls it back. What stays is where it stood, so that the command still reads as what it is.

The text may be hostile, so every pattern is bounded: it begins where a word begins, or looks only so far.
"""

from __future__ import annotations

import re

MARK = "[redacted]"

# In options, variables, headers and queries.
_SECRET_NAME = r"(?:key|secret|token|passw(?:or)?d|passphrase|credentials?|cookie|authorization|signature)"
_NAME = rf"[\w.-]{{0,64}}{_SECRET_NAME}[\w-]{{0,64}}|[\w-]{{0,64}}_(?:pat|pwd|pass|auth)\b|pass|pwd(?=:)|pgpass"
_VALUE = r"(?:\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s&;|<>\"']+)"
_HEADER = r"(?:proxy-)?authorization|cookie|set-cookie|x-[\w-]{0,64}(?:key|token|auth|secret)[\w-]{0,64}"

# What begins like `-p` and a password and is none: other options; ports and paths are told by their first character.
_OPTIONS_WITH_P = (
    "ackage arallel arent arents ass assive atch ath atterns attern erl erm ersist id ipe ix_fmt lugin ort orts "
    "osition r refix reserve reset resent retty rint rint0 rintf rivileged roc roduction rofile rogress roject "
    "roperty roto rovider roxy rune ublic ublish ull ush uppet ython ython3"
)
_PASSWORD_WORD = (
    rf"(?<![\w-])-p(?!(?:{'|'.join(_OPTIONS_WITH_P.split())})(?!\S))(?=[^\s\d=/.,:\[-]|\d\w{{0,64}}[^\W\d])\S{{3,}}"
)

_PRIVATE_KEY = (
    r"-----BEGIN [^-\n]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [^-\n]{0,60}-----|\Z)"
    r"|(?<![A-Za-z0-9+/=\s])[A-Za-z0-9+/=\s]{16,}-----END [^-\n]{0,40}PRIVATE KEY(?: BLOCK)?-----"
)
_SHAPES = (
    r"sk-[\w-]{12,200}",
    r"[rsp]k_(?:live|test)_\w{8,}",
    r"gh[pousr]_\w{16,}",
    r"github_pat_\w{16,}",
    r"gl(?:pat|rt|dt|soat|cbt)-[\w-]{12,200}",
    r"xox[a-z]-[\w-]{8,200}",
    r"xapp-[\w-]{8,200}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    r"AIza[\w-]{30,200}",
    r"ya29\.[\w-]{12,400}",
    r"eyJ[\w-]{8,2000}\.[\w-]{8,2000}(?:\.[\w-]{0,2000})?",
    r"npm_\w{16,}",
    r"pypi-[\w-]{16,400}",
    r"hf_\w{16,}",
    r"do[opr]_v1_\w{16,}",
    r"shp(?:at|ss|ca|pa)_\w{16,}",
    r"SG\.[\w-]{12,100}\.[\w-]{12,100}",
    r"dckr_pat_[\w-]{12,200}",
    r"hv[sbr]\.[\w-]{16,400}",
    r"AGE-SECRET-KEY-1\w+",
)

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(_PRIVATE_KEY, re.DOTALL), MARK),
    (re.compile(rf"(?i)\b({_HEADER})(\s{{0,4}}:\s{{0,4}})[^\"'\r\n]+"), rf"\1\2{MARK}"),
    (re.compile(r"(?i)\b(bearer|basic|digest|negotiate)(\s{1,4})[\w.~+/=-]{6,}"), rf"\1\2{MARK}"),
    (re.compile(r"(\b(?!ssh:)[A-Za-z][\w+.-]{0,20}://)[^\s/@\"'<>?#]{1,500}@"), rf"\1{MARK}@"),
    (re.compile(r"(\bssh://[^\s/@:\"'<>]{0,64}):[^\s/@\"'<>]{1,500}@"), rf"\1:{MARK}@"),
    (re.compile(rf"(?i)(?<![\w.-])(-{{0,2}}(?:{_NAME})[\"']?)(\s{{0,4}}[=:]\s{{0,4}}){_VALUE}"), rf"\1\2{MARK}"),
    (re.compile(rf"(?i)(?<![\w-])(--?[\w-]{{0,64}}{_SECRET_NAME}[\w-]{{0,64}}|--pass)(\s{{1,4}})(?!-){_VALUE}"),
     rf"\1\2{MARK}"),
    (re.compile(r"(?<![\w-])(-u|--user|-U|--proxy-user)([\s=]{0,4})([\w.@+-]{1,64})([:%])(?!//)\S+"),
     rf"\1\2\3\4{MARK}"),
    (re.compile(rf"\b(sshpass\s{{1,4}}-p|docker\s{{1,4}}login\b[^|;&\n]{{0,100}}?\s-p)(\s{{1,4}}){_VALUE}"),
     rf"\1\2{MARK}"),
    (re.compile(_PASSWORD_WORD), f"-p{MARK}"),
    (re.compile(r"(?<!\w)(?:" + "|".join(_SHAPES) + ")"), MARK),
)  # fmt: skip
# Options whose value is the next word; a whole word, so that no shell text is taken for one.
_TAKES_SECRET = re.compile(rf"(?i)--?[\w-]*{_SECRET_NAME}[\w-]*|--pass")
_TAKES_USER = frozenset({"-u", "--user", "-U", "--proxy-user"})
_PASSWORD_NEXT = {"sshpass": ("-p",), "login": ("-p",), "redis-cli": ("-a",), "ldapsearch": ("-w",), "zip": ("-P",),
                  "unzip": ("-P",)}  # fmt: skip


def redacted(text: str) -> str:
    """`text` without what might be a secret, each replaced by `MARK`."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def redacted_argv(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, each redacted; a secret may also be known by the word before it."""
    shown: list[str] = []
    programs = {word[word.rfind("/") + 1 :] for word in argv[:3]}
    next_options = {option for program in programs for option in _PASSWORD_NEXT.get(program, ())}
    for word, before in zip(argv, ("", *argv), strict=False):
        if before in next_options or (_TAKES_SECRET.fullmatch(before) and not word.startswith("-")):
            shown.append(MARK)
        elif before in _TAKES_USER and ":" in word.removeprefix(":"):
            shown.append(word.partition(":")[0] + ":" + MARK)
        else:
            shown.append(redacted(word))
    return tuple(shown)
