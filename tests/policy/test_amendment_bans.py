"""No rule may allow a beginning behind which anything could come."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.launcher_rows import CONTAINERS, DIRECT_RUNNERS, LAUNCHERS, RUNNERS
from sandgate.commandline.words import split
from sandgate.commandline.wrappers import WRAPPERS as WRAPPER_ROWS
from sandgate.policy.amendment_bans import CHARACTERS_MAX, WORDS_MAX, why_banned
from support.suite.rows import every

BANNED = """
python
python3 -
python3.11
python -c
python -m
python -u
python -W ignore
pypy3 -c
node
node -e
node -e 1
perl -e
perl -e 1
ruby -e
php -r
lua -e
awk -f
bash
bash -c
bash -lc
/bin/bash -c
sh -s
bash /dev/stdin
pwsh -Command
osascript
env
/usr/bin/env
env A=1
env -i
env -S
env A=1 bash -c
sudo
sudo -u root
sudo -u root bash
sudo env
doas
timeout 5
timeout 5 python -c
nice -n 5
nohup
stdbuf -oL
git
git -C /x
git -c core.pager=sh log
git --git-dir=/x log
git config
git bisect run
git submodule foreach
git rebase --exec
xargs
xargs rm
find
find . -name x
ssh
ssh host
ssh host ls
docker run
docker run image
docker exec box
docker compose exec web
podman run
kubectl exec pod
make -f
make --file
npx
npx -y
npm exec
uv run
uv run python
poetry run bash -c
rm
curl
dd
tar --to-command
rsync --rsh
A=1
rm -rf
curl -K
docker -H host
docker --context x run
docker compose
kubectl -n x exec
npm --prefix x run
go -C x
java -cp a
valgrind
valgrind -q
perf record
capsh --
hyperfine
entr
nix
rustup run
bwrap --dev-bind
xvfb-run
""".strip().splitlines()

FINE = """
git push
git -C /x push
git commit -m x
python script.py
python3.12 -m pytest
python -c print(1)
node app.js
bash build.sh
sudo apt install
env A=1 ls
timeout 5 ls
make test
npm run build
npx tsc
uv run pytest
cargo build
docker build .
rm -rf /tmp/none
touch a
./configure
/opt/tool --fast
java -jar a.jar
docker compose up
kubectl get pods
valgrind ./a.out
perf stat ls
nix build
""".strip().splitlines()


@every("line", BANNED)
def test_a_beginning_that_leaves_the_program_or_the_code_open_is_banned(line: str) -> None:
    prefix = split(line)
    assert prefix is not None
    assert why_banned(prefix)


@every("line", FINE)
def test_a_beginning_that_names_what_runs_is_not(line: str) -> None:
    prefix = split(line)
    assert prefix is not None
    assert why_banned(prefix) == ""


@pytest.mark.parametrize(
    "word", ["a\nb", "a\x1bb", "*", "a?", "$HOME", "~/x", "`id`", "{a,b}", "[ab]", "\udcff", "\u202e"]
)
def test_words_that_cannot_be_shown_or_that_a_shell_replaces_are_banned(word: str) -> None:
    """Required: a rule compares text, so `rm '*'`, once allowed, would allow `rm *`."""
    assert why_banned(("touch", word))


def test_nothing_and_too_much_are_banned() -> None:
    assert why_banned(())
    assert why_banned(("",))
    assert why_banned(("touch",) * (WORDS_MAX + 1))
    assert why_banned(("touch", "x" * CHARACTERS_MAX))


WRAPPERS = (
    "env A=1",
    "env -i",
    "sudo -u root",
    "sudo",
    "nice -n 5",
    "timeout 5",
    "nohup",
    "stdbuf -oL",
    "setsid",
    "env",
)


@given(
    st.lists(st.sampled_from(WRAPPERS), max_size=6),
    st.sampled_from(("bash", "python", "sh -c", "python3 -c", "perl -e", "xargs", "ssh host", "env")),
)
def test_no_wrapper_hides_an_interpreter(wrappers: list[str], end: str) -> None:
    assert why_banned(tuple(" ".join((*wrappers, end)).split()))


LAUNCHED = {
    (program, *sub)
    for program, rows in LAUNCHERS.items()
    for sub, places in rows
    if not {"rest", "fetched", "behind", "skip1", "joined", "each"}.isdisjoint(places)
}
ALL_LAUNCHERS = sorted(
    LAUNCHED
    | {(program, sub) for program, sub in RUNNERS.items()}
    | {(program,) for program in (*DIRECT_RUNNERS, *WRAPPER_ROWS)}
    | {(program, *sub) for program, subs in CONTAINERS.items() for sub in subs}
)


@every("prefix", ALL_LAUNCHERS)
def test_no_rule_may_allow_whatever_a_launcher_starts(prefix: tuple[str, ...]) -> None:
    """Required: what starts other programs is told by one table, which the bans are made from."""
    assert why_banned(prefix)
    assert why_banned((*prefix, "--some-option"))
