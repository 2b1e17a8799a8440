"""Which programs take options behind their operands.

`node x.js -v` runs x.js and hands it `-v`; `docker history app --no-trunc` heeds the option. Whoever takes an option
for evidence has to know which it is. A program that is not named here is taken to do either (`arguments.readings`),
which is enough for nearly all: what they may be told is harmless as an option and as an operand.

Programs that leave it to getopt(3) of the GNU C library are not named on purpose. They permute only while
`POSIXLY_CORRECT` is not in their environment, and with other C libraries getopt(3) never does.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Programs, or commands of theirs, by what says so.
_BY_SOURCE = {
    # pflag, FlagSet.SetInterspersed: true unless a command says otherwise; those that do (`docker exec`) start programs
    "pflag": words_of("docker podman kubectl helm minikube kind kubeadm gh"),
}
_KNOWN: frozenset[str] = frozenset().union(*_BY_SOURCE.values())


def permutes(command: str) -> bool:
    """Whether options behind operands surely are options. `command`: the program, or it and its command (`git tag`)."""
    return command in _KNOWN or command.partition(" ")[0] in _KNOWN
