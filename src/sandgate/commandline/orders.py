"""Programs that are no interpreters of scripts and yet do what a file says, or install it: which words name the file.

An approval of `psql -f clean.sql` or `terraform apply plan.out` is about what stands in the file. From the manuals; for
tying an approval to contents, so a name too many costs a look at the disk. Programs whose operands are a person's
sources (`gcc x.c`, `git add x`) are left out: they change all the time, and what is done with them is seen afterwards.
"""

from __future__ import annotations

from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

# Program → options whose value names the file.
_OPTIONS: dict[str, frozenset[str]] = {
    program: words_of(options)
    for programs, options in (
        ("psql", "-f --file"),
        ("sqlite3", "-init"),
        ("kubectl oc", "-f --filename -k --kustomize"),
        ("helm helmfile", "-f --values --file"),
        ("vim vi nvim ex view", "-S -s -u"),
        ("emacs", "--script -l --load"),
        ("gdb lldb", "-x --command -s --source"),
        ("sed gsed awk gawk mawk", "-f --file"),
        ("ssh scp sftp", "-F -b"),
        ("tmux screen", "-f -c"),
        ("parallel xargs", "-a --arg-file --xargsfile"),
        ("pip pip3 uv", "-r --requirement -e --editable -c --constraint"),
        ("terraform tofu", "-var-file --var-file"),
        ("nix nix-build nix-shell guix", "-f --file"),
        ("snakemake", "-s --snakefile"),
        ("az gcloud aws", "--template-file --zip-file --cli-input-json --source -f"),
        ("playwright jest vitest mocha cypress", "-c --config --require -r"),
    )
    for program in programs.split()
}
# Programs whose operands, behind a sub-command or not, are such files.
_OPERANDS = words_of(
    "go terraform tofu dpkg rpm apt apt-get dnf yum zypper snap flatpak gem jupyter papermill streamlit nodemon pm2 "
    "forever mocha prove ava tap nextflow puppet dart flutter crystal nim v zig wasmtime wasmer rspec helm uv poetry "
    "pdm hatch pipenv rye composer packer bpftrace systemd-run"
)
# Programs for which an operand may be the directory that they work in.
_IN_DIRECTORIES = words_of(
    "docker podman buildah pip pip3 uv node nodejs python python3 pytest py.test npm npx pnpm yarn gem go kubectl"
)
OPERANDS_MAX, DIRECTORIES_MAX = 16, 3


def obeyed_files(argv: Argv, options: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Names of files whose orders `argv` follows. `options`: each with what may be its value."""
    name = program_name(argv[0])
    known = _OPTIONS.get(name, frozenset())
    yield from (value.removeprefix("fileb://").removeprefix("file://") for option, value in options if option in known)
    if name in _OPERANDS:
        yield from _operands(argv)


def worked_in(argv: Argv) -> Iterator[str]:
    """Operands that may be directories in which the program looks for its orders."""
    if program_name(argv[0]) in _IN_DIRECTORIES:
        yield from [word for word in _operands(argv) if ":" not in word and "." not in word[2:]][:DIRECTORIES_MAX]


def _operands(argv: Argv) -> tuple[str, ...]:
    return tuple([word for word in argv[1:] if word[:1] != "-"][:OPERANDS_MAX])
