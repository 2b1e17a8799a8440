"""Options by which a program loads something else, wherever and however they are written."""

from __future__ import annotations

import itertools

from sandgate.commandline.loading import loads
from support.suite.rows import every

LOADING = [
    "make lint --eval=x", "make lint -f other.mk", "make lint -fother.mk", "make -kf other.mk lint",
    "make lint --makef x", "make lint --eva x", "make lint LINT=x", "make -C sub lint", "npm run x --prefix sub",
    "npm run x --script-shell ./x", "cargo test --config x", "cargo test --manifest-path x", "just -f other x",
    "just x --set a b", "pytest -c other", "pytest -p evil", "pytest --rootdir /x", "pytest -o addopts=x",
    "tox -c other", "docker compose -f x up", "docker build -f x .", "docker compose --project-directory x up",
    "terraform apply -chdir=x", "kubectl --kubeconfig x get", "kubectl get -s x", "ansible-playbook site.yml -i x",
    "node --require ./x a.js", "node -r ./x a.js", "git -c core.fsmonitor=x status", "git -C x status",
    "git --git-dir=x status", "mvn test -s x", "gradle test -I x", "eslint . --rulesdir x",
    "mypy --python-executable x", "pylint --init-hook x", "bazel test --run_under=x //y", "go test -toolexec=x",
    "unknown-tool lint --config x", "prettier --plugin=x .", "poetry run -C x y", "composer install -d x",
    "gcc -specs=x y.c", "gcc -wrapper ./x y.c", "gcc -fplugin=./x y.c", "clang -Xclang -load y.c", "go test -exec ./x",
    "go vet -vettool=x", "javac -processorpath x y.java", "rustc --sysroot x y.rs", "zig build --build-file x",
    "jest --globalSetup=x", "ansible-playbook --vault-password-file ./x s.yml",
]  # fmt: skip
PLAIN = [
    "make lint", "make -j4 lint", "make -k lint", "npm run build --silent", "cargo test --release",
    "pytest -q -k name x.py", "pytest -x", "git status -s", "git commit -c HEAD", "docker compose logs -f",
    "docker logs -f x", "git log --oneline", "docker compose up -d", "kubectl get pods -A", "node a.js --require x",
    "tox -e py311", "terraform plan -no-color", "eslint src --fix", "ruff check .", "go test ./...", "tar -cf x y",
    "grep -c x y", "just build", "mvn -q test", "gradle test --info",
    "gcc -DBAR -Iinclude -lBar x.c", "g++ -O2 -Wall -o x x.cc", "go vet ./...", "javac -d out X.java",
]  # fmt: skip


@every("line", LOADING)
def test_an_option_that_loads_something_else_is_seen(line: str) -> None:
    assert loads(tuple(line.split()))


@every("line", PLAIN)
def test_ordinary_options_load_nothing(line: str) -> None:
    assert loads(tuple(line.split())) == []


@every("line", [line for line in LOADING if line.split()[0] not in ("git", "node", "docker")])
def test_where_the_option_stands_does_not_matter(line: str) -> None:
    """Required: each of these takes options behind operands, or its sub-command."""
    program, *words = line.split()
    for order in itertools.islice(itertools.permutations(words), 24):
        assert loads((program, *order))
