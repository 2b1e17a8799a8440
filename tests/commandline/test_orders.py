"""Files that a program does not run and whose orders it follows all the same."""

import pytest

from sandgate.commandline.executed import executed_files

OBEYED = {
    "psql -f clean.sql": "clean.sql",
    "kubectl apply -f all.yaml": "all.yaml",
    "kubectl apply -k over": "over/kustomization.yaml",
    "terraform apply plan.out": "plan.out",
    "dpkg -i ./tool.deb": "./tool.deb",
    "apt install ./tool.deb": "./tool.deb",
    "go run main.go": "main.go go.mod",
    "uv run tool.py": "tool.py",
    "docker build sub": "sub/Dockerfile",
    "pip install -e sub": "sub/setup.py",
    "pip install -r more.txt": "more.txt",
    "node app": "app/package.json app/index.js",
    "python app": "app/__main__.py",
    "node --run build": "package.json",
    "sed -f change.sed data": "change.sed",
    "ssh -F hosts.conf host": "hosts.conf",
    "vim -S session.vim": "session.vim",
    "prove t/x.t": "t/x.t",
}


@pytest.mark.parametrize("line", OBEYED)
def test_files_whose_orders_are_followed_count_like_scripts(line: str) -> None:
    found = executed_files(tuple(line.split()), "/ws")
    for name in OBEYED[line].split():
        assert f"/ws/{name}" in found


def test_sources_that_are_only_worked_on_do_not() -> None:
    for line in ("git add x.py", "gcc x.c -o x", "black x.py", "cp x y", "tar xf x"):
        assert executed_files(tuple(line.split()), "/ws") == ()
