"""What a command does in the draft of a git directory never runs when the person next uses git there.

Each attack writes into `.git` what git obeys later; the victim then works on as people do. Unconfined it runs, in a
draft it does not. The draft itself is a matter of the namespace backend; elsewhere `.git` stays closed.
"""

from __future__ import annotations

import os
import shutil

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage
from support.escape.git_victim import Victim

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the victim's git is the judge")

NAMESPACE = pytest.mark.host("namespace", "overlay")
HOOK = "printf '#!/bin/sh\\ntouch $MARK\\nfalse\\n' >"
PROGRAM = "core.fsmonitor 'touch $MARK; false'"  # which `git status` runs
FAKE_INDEX = """
import hashlib, os, subprocess
said = b"#!/bin/sh\\ntouch " + os.environb[b"MARK"] + b"\\n"
made = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=said, capture_output=True, check=True).stdout
entry = f"100755,{made.decode().strip()},xgit/hooks/post-checkout"
subprocess.run(["git", "update-index", "--add", "--cacheinfo", entry], check=True)
index = open(".git/index", "rb").read()[:-20].replace(b"xgit/hooks", b".git/hooks")
open(".git/index", "wb").write(index + hashlib.sha1(index).digest())
"""
# To readers of 32-byte hashes its names are `aaa` and `ccc…`; to git, with 20 here, `bb` and the settings.
TWO_FACED_INDEX = """
import hashlib, os, struct, subprocess
said = b"[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = touch " + os.environb[b"MARK"] + b"; false\\n"
made = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=said, capture_output=True, check=True).stdout
name, mode = bytes.fromhex(made.decode()), struct.pack(">I", 0o100644)
first = bytes(24) + mode + bytes(12) + name + struct.pack(">H", 2) + b"bb" + bytes(8)
second = struct.pack(">H", 3) + b"aaa" + bytes(19) + mode + bytes(4) + mode + bytes(4) + name + struct.pack(">H", 11)
tail = b".git/config" + bytes(7) + b"AA" + bytes(2) + b"c" * 0x141
body = b"DIRC" + struct.pack(">II", 3, 2) + first + second + tail
body += bytes(8 - (len(body) - 12) % 8)
open(".git/index", "wb").write(body + hashlib.sha256(body).digest())
"""
FOREIGN_LINE = """
with open(".git/config", "a") as config:
    config.write("[core]\\n\\twhitespace = x\\u2028[advice]\\n\\tfsmonitor = touch $MARK\\n")
"""
NESTED = f"git init -q sub; git -C sub commit -q --allow-empty -m s; git -C sub config {PROGRAM}"
LINKED_TREE = (
    "(git ls-tree HEAD; printf '160000 commit %s\\tsub\\n' $(git -C sub rev-parse HEAD)) | git mktree --missing"
)
ODD_TREE = """
import subprocess
def git(*words, said=b""): return subprocess.run(["git", *words], input=said, capture_output=True, check=True).stdout
there = bytes.fromhex(git("-C", "sub", "rev-parse", "HEAD").decode())
tree = git("cat-file", "tree", "HEAD^{tree}") + b"160755 sub\\0" + there
made = git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", said=tree).decode().strip()
print(git("commit-tree", "-p", "HEAD", "-m", "x", made).decode())
"""
REBASE = "git rev-parse HEAD | tee onto > orig-head; echo refs/heads/main > head-name; echo 1 | tee msgnum > end"
NESTED_DEEPER = (
    "mkdir evil; git init -q evil/sub; git -C evil/sub commit -q --allow-empty -m s --no-verify; "
    "git -C evil/sub config core.fsmonitor 'touch $MARK; false'; h=$(git -C evil/sub rev-parse HEAD)"
)
DEEPER_TREE = (
    "t=$(printf '160000 commit %s\\tsub\\n' $h | git mktree --missing); "
    "(git ls-tree HEAD; printf '040000 tree %s\\tevil\\n' $t) | git mktree --missing"
)
ATTACKS = {
    "a hook": f"{HOOK} .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "a setting": f"git config {PROGRAM}",
    "a setting that somebody else's reader takes for another": f"python3 -c '{FOREIGN_LINE}'",
    "a name that ends early for git": "git config branch.main.remote .; git config branch.main.merge refs/heads/main; "
    """printf '[remote "..uploadpack\\0"]\\n\\tprune = "touch %s; false"\\n' $MARK >> .git/config""",
    "a file of settings": f"git config -f evil {PROGRAM}; git config include.path ../evil",
    "settings of a working tree": f"git config extensions.worktreeConfig true; git config --worktree {PROGRAM}",
    "a directory of hooks": f"mkdir h; {HOOK} h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h",
    "another program for a remote": "git remote add x 'ext::sh -c touch% '$MARK; git config protocol.ext.allow always; "
    "git config branch.main.remote x; git config branch.main.merge refs/heads/main",
    "an alias": "git config alias.st '!touch $MARK'",
    "a staged repository": f"{NESTED}; git add sub",
    "a repository that only a commit names": f"{NESTED}; "
    f"git update-ref HEAD $(git commit-tree -p HEAD -m x $( {LINKED_TREE} ))",
    "a repository that only a commit names, with another mode": f"{NESTED}; "
    f"git update-ref HEAD $(python3 -c '{ODD_TREE}')",
    "a repository that only a commit names, as another one is called": f"{NESTED_DEEPER}; "
    "git update-index --add --cacheinfo 160000,$h,gone/sub; "
    f"git update-ref HEAD $(git commit-tree -p HEAD -m x $( {DEEPER_TREE} ))",
    "a tree that stands for another": f"{NESTED_DEEPER}; one=$(printf 'x' | git hash-object -w --stdin); "
    "t=$(printf '100644 blob %s\\tx\\n' $one | git mktree); "
    "c=$( (git ls-tree HEAD; printf '040000 tree %s\\tevil\\n' $t) | git mktree ); "
    "git update-ref HEAD $(git commit-tree -p HEAD -m x $c); "
    "git update-ref refs/replace/$t $(printf '160000 commit %s\\tsub\\n' $h | git mktree --missing)",
    "a name in the index": f"python3 -c '{FAKE_INDEX}'",
    "an index that says another thing to git": f"python3 -c '{TWO_FACED_INDEX}'",
    "a filter": "git config filter.f.clean 'touch $MARK; cat'; mkdir -p .git/info; "
    "echo '* filter=f' > .git/info/attributes; touch -d '1 hour ago' file",
    "a step of a rebase": f"mkdir .git/rebase-merge; cd .git/rebase-merge; {REBASE}; : > interactive; "
    'echo "exec touch $MARK" > git-rebase-todo',
    "a submodule's settings": "git clone -q . .git/modules/m -n --bare; "
    f"git config -f .git/modules/m/config core.bare false; git config -f .git/modules/m/config {PROGRAM}; "
    "mkdir m; echo 'gitdir: ../.git/modules/m' > m/.git; "
    "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m; git commit -qm m --no-verify",
    "a writer that outlives it": f"(for i in $(seq 200); do {HOOK} .git/hooks/pre-commit; "
    "chmod +x .git/hooks/pre-commit; done) > /dev/null 2>&1 & echo began",
}


@pytest.fixture
def victim(stage: Stage) -> Victim:
    return Victim(stage)


@pytest.mark.parametrize("attack", ATTACKS)
def test_unconfined_it_runs(victim: Victim, attack: str) -> None:
    victim.here(f"{ATTACKS[attack]}; wait")
    assert victim.is_caught()


@BOTH_BACKENDS
@pytest.mark.parametrize("attack", ATTACKS)
def test_in_a_draft_it_does_not(victim: Victim, attack: str, backend: str) -> None:
    ran = victim.inside(ATTACKS[attack], backend=backend)
    assert ran.exit_code not in (None, 125), ran
    assert not victim.is_caught()
    assert victim.here("git fsck --connectivity-only 2>&1 | grep -v dangling") == ""


@NAMESPACE
def test_what_is_harmless_of_the_same_command_is_carried_over(victim: Victim) -> None:
    ran = victim.inside(
        f"{ATTACKS['a hook']}; echo y > file; git commit -q --no-verify -am two; git config user.name m"
    )
    assert "create " + str(victim.stage.repo / ".git/hooks/pre-commit") in ran.stderr
    assert victim.here("git log --format=%s; git config user.name; git status --short") == "two\none\nm"
    assert not victim.is_caught()


@NAMESPACE
def test_nor_does_it_in_two_steps(victim: Victim) -> None:
    """Required: what one command leaves as objects, another one could name."""
    made = victim.inside(f"{NESTED}; git add sub; git commit-tree -p HEAD -m x $( {LINKED_TREE} )").stdout.strip()
    victim.inside(f"git update-ref HEAD {made}")
    assert not victim.is_caught()
    made = victim.here(f"git commit-tree -p HEAD -m x $( {LINKED_TREE} )")
    victim.here(f"git update-ref HEAD {made}")
    assert victim.is_caught()


@NAMESPACE
def test_an_old_tree_with_a_submodule_is_hung_nowhere_else(victim: Victim) -> None:
    """Required: the history of a repository may have one that its index has no longer."""
    victim.here(
        "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),old/sub; git commit -qm with; git tag with; "
        "git rm -q --cached old/sub; git commit -qm without"
    )
    hung = "(git ls-tree HEAD; printf '040000 tree %s\\tevil\\n' $(git rev-parse with:old)) | git mktree"
    attack = f"{NESTED_DEEPER}; git update-ref HEAD $(git commit-tree -p HEAD -m x $( {hung} ))"
    assert "has a submodule `evil/sub` that its index has not" in victim.inside(attack).stderr
    assert not victim.is_caught()
    victim.here(f"rm -rf evil; {attack}")
    assert victim.is_caught()


@NAMESPACE
def test_what_gc_packs_anew_is_no_news(victim: Victim) -> None:
    """Required: a submodule that only another branch has neither costs a tag nor a commit, and opens nothing."""
    victim.here(
        "git checkout -qb other; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),old/sub; "
        "git commit -qm with; git tag -am with with; git checkout -q -; git clean -qfdx"
    )
    found = victim.inside("git tag v1; echo x > new; git add new; git commit -qm new; git gc -q")
    assert "index has not" not in found.stderr
    assert (
        victim.here("git tag; git log -1 --format=%s; git rev-parse with^{} other | uniq | wc -l") == "v1\nwith\nnew\n1"
    )
    hung = "(git ls-tree HEAD; printf '040000 tree %s\tevil\n' $(git rev-parse with:old)) | git mktree"
    attack = f"{NESTED_DEEPER}; git update-ref HEAD $(git commit-tree -p HEAD -m x $( {hung} )); git gc -q"
    assert "has a submodule `evil/sub` that its index has not" in victim.inside(attack).stderr
    assert not victim.is_caught()
    victim.here(f"rm -rf evil; {attack}")
    assert victim.is_caught()


@NAMESPACE
def test_a_git_directory_cannot_be_taken_away(victim: Victim) -> None:
    """Required: neither its hooks nor its settings, nor the whole."""
    victim.here("git config core.pager less; echo true > .git/hooks/pre-commit")
    before = victim.here("cat .git/config .git/hooks/pre-commit .git/HEAD; git log --format=%H")
    victim.inside("rm -rf .git/hooks .git/config; rm .git/HEAD; mv .git other; ln -s other .git; rm -rf .git")
    assert victim.here("cat .git/config .git/hooks/pre-commit .git/HEAD; git log --format=%H") == before


EVIL_LIST = '[submodule "m"]\n\tpath = m\n\turl = ../m\n\tupdate = !touch $MARK\n'


@BOTH_BACKENDS
def test_a_list_of_submodules_runs_nothing(victim: Victim, backend: str) -> None:
    """Required: also not with a git that still takes commands from it."""
    attack = f"printf '{EVIL_LIST}' > .gitmodules; ln .gitmodules other"
    ran = victim.inside(attack, backend=backend)
    assert f"{victim.stage.repo}/.gitmodules" in ran.stderr, ran
    assert not (victim.stage.repo / ".gitmodules").exists()
    victim.here(attack)
    assert "touch" in victim.here("git config -f .gitmodules submodule.m.update")


@NAMESPACE
def test_submodules_are_added_and_changed_without_a_question(victim: Victim) -> None:
    lib = victim.stage.outside / "lib"
    victim.here(f"git init -q {lib}; git -C {lib} commit -q --allow-empty -m l; git -C {lib} branch dev")
    allowed = "git -c protocol.file.allow=always"
    ran = victim.inside(
        f"{allowed} submodule add -q {lib} lib; {allowed} submodule add -q -b dev {lib} v/lib; git commit -qm subs"
    )
    assert (ran.exit_code, ran.stderr) == (0, ""), ran
    assert victim.inside("git submodule set-branch -b dev lib; git commit -qam dev").stderr == ""
    assert victim.here("git submodule status | cut -d ' ' -f 3; git status --short") == "lib\nv/lib"
    assert victim.here("git config -f .gitmodules submodule.lib.branch; git log -1 --format=%s") == "dev\ndev"
    assert victim.here("git -C lib log --format=%s") == "l"


@NAMESPACE
def test_links_lead_nowhere(victim: Victim) -> None:
    """Required: what carries over follows no link, neither one in the draft nor one that lies there."""
    outside = victim.stage.outside
    victim.here(f"git init -q nested; rm -rf nested/.git/logs; ln -s {outside} nested/.git/logs")
    victim.inside(
        f"ln -s {outside} .git/refs/heads/away; git branch ok; rm -rf .git/logs; ln -s {outside} .git/logs; true"
    )
    victim.inside("cd nested; git commit -q --allow-empty -m n; echo x > .git/logs/new")
    assert list(outside.iterdir()) == []
    assert "away" not in victim.here("git branch")


@NAMESPACE
def test_an_object_is_what_its_name_says(victim: Victim) -> None:
    """Required: nothing waits under the name of what a person will fetch."""
    name = "d6459e005434a49a66a3ddec92279a86160ad71f"
    here = f".git/objects/{name[:2]}"
    fake = f"mkdir {here}; cp .git/objects/$(git rev-parse HEAD:file | sed 's,^..,&/,') {here}/{name[2:]}"
    victim.inside(f"{fake}; echo y > file; git commit -qam two")
    assert victim.here("git log --format=%s") == "one"
    assert victim.here(f"git cat-file -t {name} 2>&1 || echo none").endswith("none")
    victim.here(fake)
    assert victim.here(f"git cat-file -t {name} 2>&1; git cat-file -p {name} 2>&1").startswith(("blob", "error"))


@NAMESPACE
def test_what_leads_elsewhere_is_not_carried_over(victim: Victim) -> None:
    names = (
        "objects/info/alternates",
        "commondir",
        "info/attributes",
        "config.worktree",
        "remotes/x",
        "worktrees/e/gitdir",
    )
    writes = "; ".join(f"mkdir -p $(dirname .git/{name}); echo /tmp > .git/{name}" for name in names)
    ran = victim.inside(writes)
    assert ran.exit_code == 0, ran
    assert [name for name in names if (victim.stage.repo / ".git" / name).exists()] == []


@NAMESPACE
def test_a_command_that_only_reads_is_known_to_who_stages_a_submodule(victim: Victim) -> None:
    """Required: policy vouches for `git status`; what git runs for it in a repository that a command made may write
    where the submodule will lie, which was no such place when it began."""
    repo = victim.stage.repo
    os.mkfifo(repo / "gate")
    (repo / "later.sh").write_text(
        "#!/bin/sh\n[ -e lib ] && exit\necho began > gate; read go < gate; mkdir lib\n"
        "echo gitdir: ../evil/.git > lib/.git\n"
    )
    victim.stage.own()
    victim.here(
        "for each in evil driver; do git init -q $each; git -C $each commit -q --allow-empty -m s --no-verify; done; "
        "git -C evil config core.fsmonitor 'touch $MARK; false'; "
        "git -C driver config core.fsmonitor 'cd ..; sh later.sh; false'"
    )
    stages = "git update-index --add --cacheinfo 160000,$(git -C evil rev-parse HEAD),lib; git commit -qm x"
    with victim.starting("", "git", "-C", "driver", "status", "-s") as reader:
        assert (repo / "gate").read_text() == "began\n"
        victim.inside(stages)
        (repo / "gate").write_text("go\n")
        reader.read()
    victim.here("rm -rf driver gate")
    assert (repo / "lib/.git").exists()
    assert not victim.is_caught()
    victim.here(stages)
    assert victim.is_caught()
