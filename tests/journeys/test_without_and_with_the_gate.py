"""What was once vouched for, run without the gate, where it does what was planted, and through it, where it does not.

Nobody is there to be asked. The planted effect is a file `effect` that comes to exist, or for forbidden commands what
these do. Spellings come from `forbidden_spellings`; those are run that change nothing outside their own directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from sandgate.protocol.environment import Environment
from sandgate.runtime.opening import open_runtime
from support.command.forbidden_spellings import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.runtime import Runtime

PLAIN_LIMIT_S = 20
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
EFFECT = "#!/bin/sh\ntouch effect\n"
FILES = {
    "evil.sh": EFFECT,
    "evil.js": "require('fs').writeFileSync('effect', '')",
    "evil.rb": "File.write('effect', '')",
    "evil.py": "open('effect', 'w')",
    "evil.pl": "open(my $f, '>', 'effect')",
    "evil.php": "<?php touch('effect');",
    "Makefile": "lint:\n\t@true\n",
    "other.mk": "$(shell touch effect)\nlint:\n\t@true\n",
    "bin/git": EFFECT,
    "other/Makefile": "lint:\n\ttouch ../effect\n",
    "build": "kept",
}
# Program needed → lines: an option behind an operand, which only looks like one that explains or checks.
BEHIND = {
    "bash": ["bash evil.sh -n", "bash evil.sh --version", "bash ./evil.sh --help"],
    "sh": ["sh evil.sh -n", "sh evil.sh --version"],
    "dash": ["dash evil.sh --version", "dash evil.sh -n"],
    "zsh": ["zsh evil.sh -n", "zsh evil.sh --version"],
    "node": ["node evil.js -v", "node evil.js -c", "node evil.js -h"],
    "ruby": ["ruby evil.rb -c", "ruby evil.rb --version"],
    "perl": ["perl evil.pl -v", "perl evil.pl -c"],
    "php": ["php evil.php -v", "php evil.php -l"],
    "python3": ["python3 evil.py -V", "python3 evil.py --help"],
    "unzip": ["unzip -q evil.zip effect -v", "unzip evil.zip effect -l"],
    "xdg-user-dir": ["xdg-user-dir 'A}$(touch effect)${B'"],
}
# What rules that allow `git status` and `make lint` do not allow.
BESIDE_RULES = {
    "git": ["./bin/git status", '"$PWD/bin/git" status', "PATH=$PWD/bin:$PATH git status",
            "PATH=bin:$PATH; git status"],
    "make": ["make lint --eval='$(shell touch effect)'", "make lint -f other.mk", "make -C other lint",
             "make lint SHELL=./evil.sh", "MAKEFILES=other.mk make lint"],
}  # fmt: skip
ALLOWED = 'prefix_rule(["git", "status"], "allow")\nprefix_rule(["make", "lint"], "allow")\n'
FORBIDDEN = 'prefix_rule(["rm"], "forbidden")\nprefix_rule(["git", "push"], "forbidden")\n'
# Of the table of spellings: those that change no system, ask for no account and need nothing unusual.
HARMLESS = """
{B} {A}
env {C}
env -S'{C}'
runuser -c '{C}'
BASH_CMDS[g]={B}; g {A}
BASH_CMDS[g]=$(which {P}); g {A}
BASH_CMDS=([g]={B}); g {A}
typeset 'BASH_CMDS[g]={B}'; g {A}
hash -p {B} g; g {A}
hash -p $(which {P}) g && g {A}
cp {B} f; ./f {A}
cp $(which {P}) f; ./f {A}
ln -s {B} f; ./f {A}
install -m755 {B} f; ./f {A}
cat {B} > f; chmod +x f; ./f {A}
dd if={B} of=f; chmod +x f; ./f {A}
/lib64/ld-linux-x86-64.so.2 {B} {A}
x={P}; $x {A}
echo '{C}' | xargs -I X sh -c X
echo 'x:; {C}' | make -f -
printf '{C}' > s; sh s
find . -maxdepth 0 -exec {C} \\;
bash -c 'eval "{C}"'
setsid {C}
python3 -c 'import os; os.system("{C}")'
awk 'BEGIN {{ system("{C}") }}'
sed -n '1e {C}' f
git -c alias.x='!{C}' x
make --eval='$(shell {C})'
""".strip().splitlines()
OF_PUSH = """
git-push origin
/usr/lib/git-core/git-push origin
$(git --exec-path)/git-push origin
git -C . push origin
git {push,origin}
g=push; git $g origin
echo push | xargs git
""".strip().splitlines()
NEEDS_ROOT, NEEDS_LOADER, NEEDS_CORE = "runuser", "/lib64/ld-linux-x86-64.so.2", "/usr/lib/git-core"


def places(root: Path) -> Path:
    """A directory of a workspace with everything planted in it, and a remote to push to."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    with zipfile.ZipFile(root / "evil.zip", "w") as archive:
        archive.writestr("effect", "")
    return root


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit; each case pushes a copy of it to a remote of its own."""
    made = tmp_path_factory.mktemp("origin") / "repo"
    settings = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q", str(made)], ["-C", str(made), "commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", *settings, *words], check=True, env=variables(made), timeout=PLAIN_LIMIT_S)
    subprocess.run(["git", "-C", made, "config", "remote.origin.push", "main"], check=True, timeout=PLAIN_LIMIT_S)
    return made


def variables(home: Path) -> dict[str, str]:
    return {"PATH": SYSTEM_PATH, "HOME": str(home), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1"}


def plain(script: str, directory: Path, **more: str) -> None:
    """The script as bash runs it with nothing between."""
    subprocess.run(
        ["bash", "-c", script], cwd=directory, env={**variables(directory), **more}, stdin=subprocess.DEVNULL,
        capture_output=True, check=False, timeout=PLAIN_LIMIT_S,
    )  # fmt: skip


def gated(script: str, directory: Path, rules: str, policy: str, more: Mapping[str, str] | None = None) -> bool:
    """The same through a session of its own, nobody attached, the workspace writable: whether it was refused."""
    home = directory.parent / f"{directory.name}.home"
    (home / "rules").mkdir(parents=True)
    (home / "rules" / "default.rules").write_text(rules)
    environ = {**variables(home), "SANDGATE_HOME": str(home), "XDG_STATE_HOME": str(home / "state"), **(more or {})}
    with opened(directory, environ, policy) as runtime:
        return runtime.run(runtime.request(("bash", "-c", script))).refusal is not None


def opened(directory: Path, environ: Mapping[str, str], policy: str) -> Runtime:
    overrides = (f"approval_policy={policy}", "sandbox_mode=workspace-write")
    return open_runtime(Environment(cwd=str(directory), environ=environ, overrides=overrides))


def needs(program: str) -> None:
    if shutil.which(program, path=SYSTEM_PATH) is None:
        pytest.skip(f"no {program} here")


ONCE_VOUCHED_FOR = [(program, line, "") for program, lines in BEHIND.items() for line in lines]
ONCE_VOUCHED_FOR += [(program, line, ALLOWED) for program, lines in BESIDE_RULES.items() for line in lines]


@pytest.mark.host("namespace")
@pytest.mark.parametrize(("program", "script", "rules"), ONCE_VOUCHED_FOR, ids=[each[1] for each in ONCE_VOUCHED_FOR])
def test_a_line_that_only_looks_harmless_does_nothing_unasked(
    tmp_path: Path, program: str, script: str, rules: str
) -> None:
    needs(program)
    for name in ("plain", "gated"):
        places(tmp_path / name)
    plain(script, tmp_path / "plain")
    assert gated(script, tmp_path / "gated", rules, "untrusted")
    assert [(tmp_path / name / "effect").exists() for name in ("plain", "gated")] == [True, False]


@pytest.mark.host("namespace")
@pytest.mark.parametrize(("rules", "policy"), [("", "untrusted"), (FORBIDDEN, "on-request")])
@pytest.mark.parametrize("spelling", HARMLESS)
def test_a_forbidden_deletion_is_none_in_any_spelling(tmp_path: Path, spelling: str, rules: str, policy: str) -> None:
    """By policy alone, which asks; and by the rule alone, where the sandbox would let it happen."""
    script = spelled("rm")[spelling]
    if (spelling.startswith(NEEDS_ROOT) and os.geteuid() != 0) or not os.path.exists(NEEDS_LOADER):
        pytest.skip("not possible here")
    for name in ("plain", "gated"):
        places(tmp_path / name)
        if spelling.startswith("sed"):
            (tmp_path / name / "f").write_text("one\n")
    plain(script, tmp_path / "plain")
    assert gated(script, tmp_path / "gated", rules, policy)
    assert [(tmp_path / name / "build").exists() for name in ("plain", "gated")] == [False, True]


@pytest.mark.host("namespace")
def test_without_the_rule_the_sandbox_lets_it_happen(tmp_path: Path) -> None:
    work = places(tmp_path / "gated")
    assert not gated(spelled("rm")["hash -p {B} g; g {A}"], work, "", "on-request")
    assert not (work / "build").exists()


@pytest.mark.host("namespace")
@pytest.mark.parametrize("spelling", OF_PUSH)
def test_a_forbidden_push_is_none_in_any_spelling(tmp_path: Path, repository: Path, spelling: str) -> None:
    if not os.path.isdir(NEEDS_CORE):
        pytest.skip("git keeps its programs elsewhere")
    script = spelled("push")[spelling]
    branches = []
    for name in ("plain", "gated"):
        work = tmp_path / name
        shutil.copytree(repository, work)
        remote = work / "remote"  # in the workspace, so that it is no sandbox that refuses
        subprocess.run(["git", "init", "-q", "--bare", remote], check=True, timeout=PLAIN_LIMIT_S)
        subprocess.run(["git", "-C", work, "config", "remote.origin.url", remote], check=True, timeout=PLAIN_LIMIT_S)
    more = {"PATH": f"{NEEDS_CORE}:{SYSTEM_PATH}"}
    plain(script, tmp_path / "plain", **more)
    assert gated(script, tmp_path / "gated", FORBIDDEN, "on-request", more)
    for name in ("plain", "gated"):
        asked = ["git", "-C", str(tmp_path / name / "remote"), "branch", "--list", "main"]
        branches.append(bool(subprocess.run(asked, capture_output=True, check=True, timeout=PLAIN_LIMIT_S).stdout))
    assert branches == [True, False]
