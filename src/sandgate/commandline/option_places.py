"""Where programs take options: behind operands, and behind `--`.

`node x.js -v` runs x.js and hands it `-v`; `docker history app --no-trunc` heeds the option. `rg -- --pre=x` looks for
a text; `mkvinfo -- -r x` writes the file x. Whoever takes an option for evidence has to know which it is. A program
that is not named here is taken to do either (`arguments.readings`), which is enough for nearly all: what they may be
told is harmless as an option and as an operand.

Programs that leave it to getopt(3) are not said to permute on purpose. Those of the GNU C library do while
`POSIXLY_CORRECT` is not in their environment, those of other C libraries never.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Programs, or commands of theirs, by what says so.
_PERMUTING = {
    # pflag, FlagSet.SetInterspersed: true unless a command says otherwise; those that do (`docker exec`) start programs
    "pflag": words_of("docker podman kubectl helm minikube kind kubeadm gh"),
}
_HEEDING_END = {
    # clap, Arg::last: `--` is an escape for all that follows
    "clap": words_of("rg fd fdfind"),
    # gitcli(7): `--` separates options and revisions from paths
    "git": words_of("git"),
}


def permutes(command: str) -> bool:
    """Whether options behind operands surely are options. `command`: the program, or it and its command (`git tag`)."""
    return _named(command, _PERMUTING)


def heeds_end(command: str) -> bool:
    """Whether `--` surely ends the options, and is never the value of one that our tables take for a flag."""
    return _named(command, _HEEDING_END)


def _named(command: str, among: dict[str, frozenset[str]]) -> bool:
    program = command.partition(" ")[0]
    return any(command in names or program in names for names in among.values())
