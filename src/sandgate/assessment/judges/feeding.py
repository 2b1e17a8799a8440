"""What one command hands to the next: the paths a `find` or `ls` would print into `xargs` or a loop."""

from __future__ import annotations

from sandgate.assessment.expansion import UNKNOWN, Arg
from sandgate.assessment.findings import HIGH
from sandgate.assessment.listing import words
from sandgate.assessment.options import parsed
from sandgate.assessment.places import FOUND, VERSION_CONTROL
from sandgate.policy.secret_names import LISTERS, finds_everything, is_searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.assessment.inquiry import Call, Inquiry

BASES_MAX = 64  # places of one `find` for which it is judged what is started there

FIND_FILTERS = frozenset(
    words("""
    -name -iname -path -ipath -wholename -regex -iregex -mtime -mmin -atime -amin -ctime -cmin -size -empty -newer
    -user -group -perm -inum -links -lname -uid -gid -nouser -nogroup -samefile
    """)
)
AGES = frozenset(words("-mtime -mmin -atime -amin -ctime -cmin -newer -newermt -user -group"))
NAME_FILTERS = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename", "-regex"})
_PICKING = frozenset(words("grep egrep fgrep rg head tail awk sed"))
DELETERS = frozenset(words("rm unlink shred rimraf trash"))
SOURCE_ENDINGS = frozenset(
    words("py js mjs ts tsx jsx vue svelte java kt go rs c cc cpp h hpp rb php cs swift scala ex sql css scss html tf")
)
SECRET_MARKS = (".pem", ".key", "id_rsa", "id_ed25519", "id_ecdsa", "credential", "secret", "passw", ".env", ".p12",
                ".kdbx",
                "token", ".netrc", ".pgpass", "wallet", "keystore", ".ovpn", ".ppk")  # fmt: skip
SEEKERS = frozenset(words("find fd fdfind locate plocate mlocate mdfind"))
INDEXES = frozenset(words("locate plocate mlocate mdfind"))
NAMES_ONLY = frozenset(words("chmod chown chgrp rm mv touch unlink shred wc read mapfile : for set unset export local"))
FED_BY_LINES = frozenset(words("sort uniq head tail grep egrep fgrep rg sed awk tr cut cat tac rev"))


def find_bases(call: Call) -> tuple[list[Arg], bool]:
    """Where a `find` looks, and whether a filter picks only some of what is there."""
    bases: list[Arg] = []
    for arg in call.args:
        if arg.text[:1] in {"-", "(", "!"} and arg.text not in {"-H", "-L", "-P"}:
            break
        if arg.text[:1] != "-":
            bases.append(arg)
    return bases or [Arg(".")], any(_chooses(at, call) for at in range(len(call.args)))


def judged_bases(bases: Sequence[Arg], inquiry: Inquiry) -> Sequence[Arg]:
    """Those for which what is started there is judged; nobody vouches for the rest."""
    if len(bases) > BASES_MAX:
        inquiry.doubt(f"starts a program in more places than are judged ({BASES_MAX})", level=HIGH)
    return bases[:BASES_MAX]


def _chooses(at: int, call: Call) -> bool:
    """Whether the word at `at` picks something; `! -name keep` and `-path x -prune -o` only spare it."""
    texts = [arg.text for arg in call.args[max(at - 1, 0) : at + 4]]
    before, here, after = (texts[0] if at else ""), texts[1 if at else 0], texts[(2 if at else 1) :]
    spared = before in {"!", "-not"} or (after[1:2] == ["-prune"] and after[2:3] in (["-o"], ["-or"]))
    return here in FIND_FILTERS and not spared


def picked_repository(call: Call) -> str:
    """`.git` when that is what a `find` picks, which is no filter to be glad about."""
    names = [call.args[at + 1].text for at, arg in enumerate(call.args[:-1]) if arg.text in {"-name", "-iname"}]
    return next((name for name in names if name in VERSION_CONTROL), "")


def picks_work(call: Call, bases: Sequence[Arg]) -> bool:
    """`find . -name '*.py'`: a filter that picks what the project is made of; to delete that is to delete it."""
    return _picks_sources(call) or _picks_by_age(call, bases)


def _picks_sources(call: Call) -> bool:
    filters = [arg.text for arg in call.args if arg.text in FIND_FILTERS]
    names = [call.args[at + 1].text for at, arg in enumerate(call.args[:-1]) if arg.text in {"-name", "-iname"}]
    kinds = [name.removeprefix("*.") for name in names]
    return bool(names) and len(filters) == len(names) and any(kind in SOURCE_ENDINGS for kind in kinds)


def _picks_by_age(call: Call, bases: Sequence[Arg]) -> bool:
    """`find . -mtime -1`: in the project itself an age picks sources as well as anything else."""
    filters = [arg.text for at, arg in enumerate(call.args) if arg.text in AGES or _chooses(at, call)]
    return bool(filters) and AGES.issuperset(filters) and any(base.text in {".", "./"} for base in bases)


def find_seeks_keys(call: Call) -> bool:
    """`find / -name '*.pem'`, `find ~ -name id_rsa`: looks for keys outside the workspace."""
    bases, _ = find_bases(call)
    outside = any(base.text[:1] == "/" and not base.text.startswith(call.shell.cwd or "\0") for base in bases)
    names = [call.args[at + 1].text for at, arg in enumerate(call.args[:-1]) if arg.text in NAME_FILTERS]
    return outside and any(mark in name.lower() for name in names for mark in SECRET_MARKS)


def names_secrets(call: Call) -> bool:
    """Whether the names that `call` prints are those of keys or passwords, which others may be told to show."""
    if call.program == "find":
        return find_seeks_keys(call)
    texts = [arg.text for arg in call.args if arg.text[:1] != "-"]
    wide = call.program in INDEXES or any(text[:1] == "/" for text in texts)
    return wide and any(mark in text.lower() for text in texts for mark in SECRET_MARKS)


def shows_everything(call: Call, program: str) -> bool:
    """`find ~ -type f -exec cat {} +`: all that somebody has is shown, and so are the secrets."""
    if call.program != "find" or not shows_what_is_found(program) or is_searcher(program):
        return False
    return finds_everything(tuple([base.text for base in find_bases(call)[0]] + [arg.text for arg in call.args]))


def shows_what_is_found(program: str) -> bool:
    """Whether it is given names to look into the files, rather than at their names, sizes or rights."""
    return program not in NAMES_ONLY and program not in LISTERS


def below_base(base: Arg, *, filtered: bool, named: str = "") -> Arg:
    """What `{}` stands for below `base`; `named`: the one name it has."""
    name = named or (FOUND if filtered else "*")
    return base.but(text=base.text.rstrip("/") + "/" + name, glob=True)


def _picks(filterer: Call) -> bool:
    """Whether a stage of a pipeline lets through what it was asked for; `grep -v` lets through all the rest."""
    if filterer.program not in _PICKING:
        return False
    return not any(arg.text[:1] == "-" and arg.text[:2] != "--" and "v" in arg.text for arg in filterer.args)


def fed_arguments(feeder: Call | None, taker: str = "") -> list[Arg]:
    """What a pipeline hands to `xargs`, which runs the program `taker`, as far as it can be known."""
    filtered = False
    while feeder is not None and feeder.program in FED_BY_LINES and not _has_files(feeder):
        filtered = filtered or _picks(feeder)
        feeder = feeder.feeder
    if feeder is None:
        return [Arg(UNKNOWN, known=False)]
    if feeder.program == "find":
        bases, chosen = find_bases(feeder)
        chosen = chosen and not (taker in DELETERS and picks_work(feeder, bases))
        named = picked_repository(feeder) if taker in DELETERS else ""
        return [below_base(base, filtered=chosen or filtered, named=named) for base in bases]
    operands = list(parsed(feeder.args, "-I -name").operands)
    if feeder.program in {"echo", "printf"}:
        return operands
    if feeder.program in {"locate", "plocate", "mlocate", "mdfind"}:
        return [below_base(Arg("/"), filtered=True)]
    if feeder.program == "ls":
        return [below_base(base, filtered=filtered) for base in operands or [Arg(".")] if not base.glob] + [
            base for base in operands if base.glob
        ]
    if feeder.program == "git":
        return [below_base(Arg("."), filtered=filtered or "ls-files" not in [arg.text for arg in operands])]
    if feeder.program in {"grep", "egrep", "fgrep", "rg", "fd", "ag"}:
        return [below_base(base, filtered=True) for base in operands[1:] or [Arg(".")]]
    return [Arg(UNKNOWN, known=False)]


def narrows(call: Call) -> bool:
    """Whether `call` passes on only some lines of its input; `awk '{print $2}'` passes on all."""
    if call.program == "awk":
        return not any(arg.text.lstrip()[:1] == "{" and "if" not in arg.text for arg in call.args)
    return call.program in {"grep", "egrep", "fgrep", "rg", "head", "tail", "sed", "jq", "fzf"}


def _has_files(call: Call) -> bool:
    if call.program == "tr":
        return False
    operands = parsed(call.args, "-e -n -k -d -f -c -t -F -v -m").operands
    return len(operands) > (1 if call.program in {"grep", "egrep", "fgrep", "rg", "sed", "awk"} else 0)
