"""Makes thousands of disguises of one dangerous command, each of which bash still runs as that command.

Three layers, drawn with a seed: the words are spelled in other ways, the command is put behind wrappers and into
statements, and the whole script is carried to a shell by other means. A `Disguise` says how much of the danger a
reader of the text can still see, and whether running it proves anything.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import NamedTuple

Argv = tuple[str, ...]
Mutator = Callable[[str, random.Random], str]

# Nobody lives there, so that even a stand-in that is missed does no harm when a disguise is really run.
VICTIM = "/home/nobody-lives-here"

DANGERS: tuple[Argv, ...] = (
    ("rm", "-rf", VICTIM),
    ("rm", "-fr", f"{VICTIM}/"),
    ("rm", "-r", "-f", "--", VICTIM),
    ("rm", "--recursive", "--force", VICTIM),
    ("shred", "-u", f"{VICTIM}/thesis.tex"),
    ("dd", "if=/dev/zero", "of=/dev/sdzz", "bs=1M"),
    ("mkfs.ext4", "/dev/sdzz1"),
    ("git", "push", "--force", "origin", "main"),
    ("chmod", "-R", "777", VICTIM),
)


class Disguise(NamedTuple):
    """`visible`: the text holds program and arguments where they can be read. `provable`: stand-ins may run it."""

    argv: Argv  # the danger
    script: str
    visible: bool
    provable: bool
    layers: tuple[str, ...]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _hex(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def _octal(text: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in text.encode())


# --- words

SPELLINGS: tuple[Mutator, ...] = (
    lambda piece, _: piece,
    lambda piece, _: f"'{piece}'",
    lambda piece, _: f'"{piece}"',
    lambda piece, _: "".join("\\" + char for char in piece),
    lambda piece, _: piece + "''",
    lambda piece, _: '""' + piece,
    lambda piece, _: f"$'{_hex(piece)}'",
    lambda piece, _: f"$'{_octal(piece)}'",
    lambda piece, _: "$'" + "".join(f"\\u{ord(char):04x}" for char in piece) + "'",
    lambda piece, _: "\\\n".join(piece),
    lambda piece, _: f'$"{piece}"',
)
# Spellings only the shell can read: what stands there is not in the text as it is.
HIDDEN: tuple[Mutator, ...] = (
    lambda word, _: f"$(echo {word})",
    lambda word, _: f"`echo {word}`",
    lambda word, _: f"$(printf '{_octal(word)}')",
    lambda word, _: f"$(echo {base64.b64encode(word.encode()).decode()} | base64 -d)",
    lambda word, _: f"${{nothing:-{word}}}",
    lambda word, _: f"$(rev <<< {quoted(word[::-1])})",
    lambda word, _: word[0] + "$@" + word[1:],
    lambda word, _: word[0] + "${nothing}" + word[1:],
    lambda word, _: word[:1] + "`true`" + word[1:],
)


def spelled(word: str, draw: random.Random) -> str:
    """The same word for bash, in other quotes."""
    pieces = []
    while word:
        size = draw.randint(1, len(word))
        piece, word = word[:size], word[size:]
        pieces.append(draw.choice(SPELLINGS)(piece, draw))
    return "".join(pieces)


def hidden(argv: Argv, draw: random.Random) -> str:
    """The command with its program computed by the shell."""
    program, *rest = argv
    tail = " ".join(rest)
    ways = [
        f"{draw.choice(HIDDEN)(program, draw)} {tail}",
        f"x={program}; $x {tail}",
        f"x={program} && ${{x}} {tail}",
        f"a={program[:1]} b={program[1:]}; $a$b {tail}",
        f"x={program}; y=x; ${{!y}} {tail}",
        f'c=({program} {tail}); "${{c[@]}}"',
        f'set -- {program} {tail}; "$@"',
        f"c='{program} {tail}'; $c",
        f"IFS=,; c={program},{','.join(rest)}; $c",
        f"{{{program},{','.join(rest)}}}",
        f"read -r c <<< {quoted(program)}; $c {tail}",
        f"printf -v c %s {program}; $c {tail}",
        f"for c in {program}; do $c {tail}; done",
    ]
    return draw.choice(ways)


# --- around one simple command

# Programs that run another; the innermost place.
PROGRAMS = (
    "env ", "env A=1 ", "env -u B ", "nice ", "nice -n 5 ", "timeout 9 ", "timeout -k 1 9s ", "nohup ", "setsid -w ",
    "stdbuf -o L ", "ionice -c 3 ", "env -- ", "env env env ", "xargs </dev/null ", "xargs -r -n 9 <<< x ",
)  # fmt: skip
# The same, where a proof would need rights or a program that may be missing.
STRANGERS = (
    "sudo ", "sudo -n -u root -- ", "doas ", "chroot / ", "busybox ", "flock /tmp ", "unshare -r ", "strace -f ",
    "taskset 1 ", "chrt -i 0 ", "systemd-run --scope ", "watch ", "runuser -u root -- ", "pkexec ", "fakeroot ",
    "prlimit --core=0 ", "unbuffer ", "xvfb-run -a ", "ltrace -f ", "dbus-run-session -- ", "catchsegv ",
)  # fmt: skip
# Builtins; what they run may stand behind them, they themselves only behind syntax.
PAST_STAND_INS = "command -p -- "  # looks for the program where the system has its own: bash(1)
BUILTINS = ("", "", "command ", "exec ", "builtin command ", PAST_STAND_INS, "eval ", "exec -a ls ", "command exec ")
# Words and signs of the shell, the outermost place.
SYNTAX = (
    "",
    "",
    "time ",
    "time -p ",
    "! ",
    "A=1 ",
    "LC_ALL=C ",
    ">/dev/null ",
    "2>/dev/null ",
    "</dev/null ",
    "coproc ",
)

FRAMES = (
    "( {} )", "{{ {}; }}", "ls; {}", "ls && {}", "false || {}", "ls | {}", "{} | cat", "{} &\nwait", "echo $( {} )",
    "echo `{}`", 'echo "a $( {} ) b"', "if true; then {}; fi", "if {}; then :; fi", "if false; then :; else {}; fi",
    "while true; do {}; break; done", "until false; do {}; break; done", "for i in 1; do {}; done",
    "case x in *) {} ;; esac", "f() {{ {}; }}; f", "function f {{ {}; }}\nf", "cat <( {} )", "x=$( {} )",
    "x=$( {} ) ls", ": ${{x:=$( {} )}}", "# comment\n{}", "ls # comment\n{}", "{} # comment", "{} >/dev/null 2>&1",
    "\t{}", "  \n\n {}", "true && ( ( {} ) )", "[ -z '' ] && {}", "[[ -z '' ]] && {}", "cat <<EOF\n$( {} )\nEOF",
    "cat <<'EOF'\nx\nEOF\n{}", "cat <<< \"$( {} )\"", "ls > \"$( {} )/x\"", "echo ${{x:-$( {} )}}", "trap -- - INT; {}",
    "select x in a; do {}; break; done <<< 1", "time {}", "! {}", "coproc {{ {}; }}\nwait", "echo $(( $( {} ) + 1 ))",
    "echo 'a'\"'\"'b'; {}", "ls \\\n; {}", "for ((i=0; i<1; i++)); do {}; done", "test -n \"$( {} )\"",
)  # fmt: skip


# --- the whole script

CARRIERS: tuple[tuple[str, Mutator], ...] = (
    ("bash -c", lambda script, _: f"bash -c {quoted(script)}"),
    ("sh -ec", lambda script, _: f"bash -ec {quoted(script)}"),
    ("bash +x -euo", lambda script, _: f"bash +x -o pipefail -c {quoted(script)} name"),
    ("bash --norc", lambda script, _: f"bash --noprofile --norc -c {quoted(script)}"),
    ("env bash", lambda script, _: f"/usr/bin/env bash -c {quoted(script)}"),
    ("eval", lambda script, _: f"eval {quoted(script)}"),
    ("eval two", lambda script, _: f"eval '' {quoted(script)}"),
    ("trap", lambda script, _: f"trap {quoted(script)} EXIT"),
    ("find -exec", lambda script, _: f"find / -maxdepth 0 -exec bash -c {quoted(script)} \\;"),
    ("find +", lambda script, _: f"find / -maxdepth 0 -exec bash -c {quoted(script)} _ {{}} +"),
    ("xargs bash", lambda script, _: f"echo x | xargs bash -c {quoted(script)}"),
    ("timeout bash", lambda script, _: f"timeout 9 bash -c {quoted(script)}"),
    ("alias", lambda script, _: f"shopt -s expand_aliases\nalias zz={quoted(script)}\nzz"),
    ("here string", lambda script, _: f"bash <<< {quoted(script)}"),
    ("here document", lambda script, _: f"bash <<'THE_END'\n{script}\nTHE_END"),
    ("echo to sh", lambda script, _: f"printf '%s\\n' {quoted(script)} | bash"),
    ("source <()", lambda script, _: f"source <(printf %s {quoted(script)})"),
    ("bash <()", lambda script, _: f"bash <(printf %s {quoted(script)})"),
    ("variable", lambda script, _: f'x={quoted(script)}; bash -c "$x"'),
    ("eval variable", lambda script, _: f'x={quoted(script)}; eval "$x"'),
    (
        "git alias",
        lambda script, _: (
            f"git -c alias.zz={quoted('!' + script)} zz" if "\n" not in script else f"bash -c {quoted(script)}"
        ),
    ),
)


_BASH_C = '"bash", "-c"'
_BACK: dict[int, str] = {
    ord(char): "abcdefghijklmnopqrstuvwxyz"[index - 1] for index, char in enumerate("abcdefghijklmnopqrstuvwxyz")
}


def _by_awk(script: str) -> str:
    return f"awk 'BEGIN {{ system(\"echo {base64.b64encode(script.encode()).decode()} | base64 -d | bash\") }}'"


ENCODED: tuple[tuple[str, Mutator], ...] = (
    ("base64", lambda s, _: f"echo {base64.b64encode(s.encode()).decode()} | base64 -d | bash"),
    ("base64 <<<", lambda s, _: f"bash <<< \"$(base64 --decode <<< {base64.b64encode(s.encode()).decode()})\""),
    ("base64 eval", lambda s, _: f"eval \"$(echo {base64.b64encode(s.encode()).decode()} | base64 -d)\""),
    ("octal", lambda s, _: f"printf '{_octal(s)}' | bash"),
    ("hex", lambda s, _: f"echo -e '{_hex(s)}' | bash"),
    ("rev", lambda s, _: f"rev <<< {quoted(s[::-1])} | bash" if "\n" not in s else f"bash -c {quoted(s)}"),
    ("tr", lambda s, _: f"tr a-z b-za <<< {quoted(s.translate(_BACK))} | bash"),
    ("python", lambda s, _: f"python3 -c {quoted(f'import os; os.system({s!r})')}"),
    ("python list", lambda s, _: f"python3 -c {quoted(f'import subprocess as p; p.run(list(({_BASH_C}, {s!r})))')}"),
    ("perl", lambda s, _: f"perl -e {quoted(f'system(pack(q(H*), q({s.encode().hex()})))')}"),
    ("awk", lambda s, _: _by_awk(s) if not set(s) & set("\"$`\\") else f"bash -c {quoted(s)}"),
    ("$''", lambda s, _: f"eval $'{_hex(s)}'"),
    ("sed e", lambda s, _: f"sed '1e echo {base64.b64encode(s.encode()).decode()} | base64 -d | bash' /etc/hostname"),
)  # fmt: skip


def disguised(seed: int) -> Disguise:
    """The disguise number `seed`: the same one every time."""
    draw = random.Random(seed)
    argv = draw.choice(DANGERS)
    visible, provable = True, True
    layers: list[str] = []
    if draw.random() < 0.25:
        script, visible = hidden(argv, draw), False
        layers.append("hidden")
    else:
        plainly = draw.random() < 0.4
        words = list(argv) if plainly else [spelled(word, draw) for word in argv]
        script = draw.choice([" ", "  ", " \\\n", "\t"]).join(words)
        strange = draw.random() < 0.3
        programs = [draw.choice(STRANGERS if strange else PROGRAMS) for _ in range(draw.choice([0, 0, 1, 1, 2]))]
        builtin = draw.choice(BUILTINS)
        for prefix in (*programs, builtin, draw.choice(SYNTAX)):
            layers.extend([prefix] if prefix else [])
            script = prefix + script
        provable = not (strange and programs) and builtin != PAST_STAND_INS
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        frame = draw.choice(FRAMES)
        layers.append(frame)
        script = frame.format(script)
    for _ in range(draw.choice([0, 0, 0, 1, 1, 2])):
        hides = draw.random() < 0.3
        name, carry = draw.choice(ENCODED if hides else CARRIERS)
        visible = visible and not hides
        layers.append(name)
        script = carry(script, draw)
    return Disguise(argv, script, visible, provable, tuple(layers))
