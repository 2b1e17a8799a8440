"""What a command line says it will execute, so that an approval can be tied to what it holds."""

import pytest

from sandgate.commandline.executed import BASES_MAX, PROJECT_FILES, executed_files, programs_run
from sandgate.commandline.words import split
from support.suite.rows import every

NAMED = {
    "bash deploy.sh": "deploy.sh",
    "bash -e deploy.sh --now": "deploy.sh",
    "bash --rcfile setup.sh deploy.sh": "setup.sh deploy.sh",
    "./deploy.sh": "./deploy.sh",
    "env X=1 ./deploy.sh": "./deploy.sh",
    "sudo -u me ./deploy.sh": "./deploy.sh",
    "timeout 5 python3.11 -u x.py": "x.py",
    "bash -c '. ./lib.sh && source more.sh'": "./lib.sh more.sh",
    "bash -c 'cd sub; ./run'": "sub/./run",
    "python -m pkg.tool": "pkg/tool.py pkg/tool/__main__.py",
    "node -r ./hook.js x.js": "./hook.js x.js",
    "make": "GNUmakefile makefile Makefile",
    "make -C sub -f other.mk all": "sub/other.mk",
    "make --file=other.mk": "other.mk",
    "npm --prefix app test": "app/package.json",
    "npm run build": "package.json",
    "just ship": "justfile",
    "cargo build": "build.rs Cargo.toml",
    "docker compose up": "compose.yaml",
    "perl script.pl": "script.pl",
    "java -jar tool.jar": "tool.jar",
    "find . -exec ./each.sh {} ;": "./each.sh",
    "xargs ./each.sh": "./each.sh",
    "bash -c 'bash < x.sh'": "x.sh",
    "bash -c 'cat x.sh | sh'": "x.sh",
    "bash -c 'cat x.sh | python3 -'": "x.sh",
    "env BASH_ENV=./rc.sh bash -c ls": "./rc.sh",
    "bash -c 'cd -P sub; ./run'": "sub/./run",
    "bash -c 'cd -- sub && ./run'": "sub/./run",
    "bash -c 'cd $PWD/sub; bash run'": "sub/run",
    "bash -c 'cd \"$(echo sub)\"; bash run'": "sub/run",
    "bash -c 'cp x.sh y; sh y'": "x.sh y",
    "bash -c 'cp x.sh out/; sh out/x.sh'": "x.sh",
    "bash -c 'ln -s x.sh y; ./y'": "x.sh",
    "bash -c 'dd if=x.sh of=y; sh y'": "y",
    "bash -c 'cat x.sh > y; sh ./y'": "x.sh",
    "bash -c '. /dev/stdin < x.sh'": "x.sh",
    "bash -c 'exec 3<x.sh; bash /dev/fd/3'": "x.sh",
    "bash -c 'PATH=$PWD/bin:$PATH tool'": "bin/tool",
    "bash -c 'export PATH=bin:$PATH; tool'": "bin/tool",
    "bash -c 'make; cp a.c b.c'": "Makefile",
    "env LD_PRELOAD=./x.so ls": "./x.so",
}


@every("line", NAMED)
def test_what_is_named_is_found(line: str) -> None:
    argv = split(line)
    assert argv is not None
    found = executed_files(argv, "/ws")
    assert {f"/ws/{name}" for name in NAMED[line].split()} <= set(found)


@pytest.mark.parametrize("line", ["ls -l a b", "cat deploy.sh", "git status", "grep -r x .", "cp a.sh b.sh"])
def test_what_only_reads_files_executes_none(line: str) -> None:
    assert executed_files(tuple(line.split()), "/ws") == ()


@pytest.mark.parametrize("line", ["cp a.c b.c; make", "mv a.txt b.txt && pytest", "cat a.txt > b.txt; sh x.sh"])
def test_what_is_only_copied_beside_is_not_tied(line: str) -> None:
    """Or an answer for the session would end with every change of a source."""
    assert not any(path.endswith(("/a.c", "/a.txt")) for path in executed_files(("bash", "-c", line), "/ws"))


def test_every_order_of_wrappers_finds_the_same_script() -> None:
    wrappers = (("env", "A=b"), ("nice", "-n", "5"), ("timeout", "9"), ("nohup",), ("setsid",))
    for first in wrappers:
        for second in wrappers:
            argv = (*first, *second, "sh", "deploy.sh")
            assert "/ws/deploy.sh" in executed_files(argv, "/ws"), argv


def test_every_program_of_the_table_names_its_files_by_any_path() -> None:
    for program, names in PROJECT_FILES.items():
        for spelled in (program, f"/usr/bin/{program}"):
            found = executed_files((spelled, "x"), "/ws")
            assert {f"/ws/{name}" for name in names} <= set(found), spelled


def test_directories_are_bounded() -> None:
    script = "; ".join(f"cd d{number}" for number in range(50)) + "; ./x"
    assert len(executed_files(("bash", "-c", script), "/ws")) <= 3 * BASES_MAX


def test_programs_are_those_of_the_whole_line() -> None:
    assert {"bash", "tool", "other"} <= set(programs_run(("bash", "-c", "tool | other")))


def test_variables_that_are_asked_for_name_files_too() -> None:
    assert executed_files(("bash", "-c", "ls"), "/ws", (("BASH_ENV", "rc.sh"), ("COLOR", "x.sh"))) == ("/ws/rc.sh",)


LEFT_TO_THE_SHELL = {
    'bash "$PWD/x.sh"': "x.sh",
    "bash ~/x.sh": "/home/me/x.sh",
    "$HOME/x.sh": "/home/me/x.sh",
    "X=x.sh; bash $X": "x.sh",
    "for s in a.sh b.sh; do bash $s; done": "a.sh b.sh",
    'eval "$(cat x)"': "x",
    'bash -c "$(< x)"': "x",
    "bash <(sed s/a/b/ x)": "x",
    "bash ${X:-./x}": "./x",
    '"$(pwd)/x"': "x",
    "while read c; do $c; done < x": "x",
    "psql < x.sql": "x.sql",
    "cat x | ssh host": "x",
}


@pytest.mark.parametrize("script", LEFT_TO_THE_SHELL)
def test_where_the_shell_makes_the_name_every_path_of_the_line_counts(script: str) -> None:
    """Required: an approval of `bash "$PWD/x.sh"` was tied to no file at all."""
    found = executed_files(("bash", "-c", script), "/ws", home="/home/me")
    for name in LEFT_TO_THE_SHELL[script].split():
        assert (name if name[0] == "/" else f"/ws/{name}") in found
