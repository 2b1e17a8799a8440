"""What is known to only read."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from sandgate.commandline import segments
from sandgate.commandline.words import joined, split
from sandgate.policy.safety import is_safe, only_system_bins, safe_commands, trusted_program
from support.suite.rows import every

SOON_S = 2  # of processor time
CORPUS = Path(__file__).parent / "corpus"
NEEDLESS_QUESTIONS_MAX = 0.03
"""Of realistic commands that only read, the share we may ask about."""


def lines(name: str) -> list[str]:
    text = (CORPUS / name).read_text(encoding="utf-8").replace("\\\n", "\\\0")
    return [line.replace("\0", "\n") for line in text.split("\n") if line and not line.startswith("#")]


def is_safe_script(script: str, shell: str = "bash") -> bool:
    return all(safe_commands(segments((shell, "-lc", script))))


def test_commands_that_only_read_are_almost_never_asked_about() -> None:
    reading = lines("reading.txt")
    asked = [line for line in reading if not is_safe_script(line)]
    assert len(reading) >= 300
    assert len(asked) / len(reading) <= NEEDLESS_QUESTIONS_MAX, asked


def test_no_command_that_acts_is_safe() -> None:
    acting = lines("acting.txt")
    assert len(acting) >= 500
    assert [line for line in acting if is_safe_script(line)] == []


def test_no_command_that_acts_is_safe_as_an_argv() -> None:
    plain = [line for line in lines("acting.txt") if not set("|&;<>$`*?{(\\~#") & set(line)]
    shells = {"bash", "sh", "zsh"}  # their script is judged, and may well only read
    argvs = [argv for argv in map(split, plain) if argv and argv[0] not in shells]
    assert len(argvs) > 300
    assert [argv for argv in argvs if all(safe_commands(segments(argv)))] == []


@pytest.mark.parametrize(
    "dress",
    [
        "ls && {}",
        "{} ; ls",
        "{}\nls",
        "({})",
        "if ls; then {}\nfi",
        "echo $({})",
        "cat <({})",
        "for f in a; do {}\ndone",
        "ls 2>/dev/null; {}",
        "timeout 5 bash -c {quoted}",
        "find . -exec {} ;",
        "env {}",
        "LC_ALL=C {}",
        "time {}",
        "! {}",
    ],
)
def test_no_command_that_acts_becomes_safe_in_company(dress: str) -> None:
    scripts = [dress.format(line, quoted=joined((line,))) for line in lines("acting.txt")]
    assert [script for script in scripts if is_safe_script(script)] == []


@pytest.mark.parametrize("shell", ["/tmp/bash", "./bash", "bin/sh"])
def test_a_shell_from_anywhere_is_not_trusted(shell: str) -> None:
    assert not is_safe_script("ls", shell)
    assert is_safe_script("ls", "/bin/bash")


def test_a_path_is_trusted_only_directly_inside_a_system_directory() -> None:
    paths = ["ls", "/bin/ls", "/usr/bin/ls", "./ls", "/tmp/ls", "/usr/bin/../x/ls", "/usr/bin/x/ls", "bin/ls", "/ls"]
    assert [trusted_program(path) for path in paths] == [True, True, True] + [False] * 6
    assert is_safe(("/opt/bin/ls",), system_bins=("/opt/bin",))
    assert not is_safe(("/bin/ls",), system_bins=("/opt/bin",))


@pytest.mark.parametrize("program", ["'ls'", '"ls"', "\\ls", "l''s", "l\\s"])
def test_a_program_spelled_in_quotes_is_not_safe(program: str) -> None:
    """Our choice: nobody writes `ls` like that without a reason, so a person should see it."""
    assert not is_safe_script(f"{program} x")


@pytest.mark.parametrize(
    ("redirection", "safe"),
    [
        ("2>/dev/null", True),
        (">/dev/null 2>&1", True),
        ("&>/dev/null", True),
        ("2>&1", True),
        ("1>&2", True),
        ("2>&-", True),
        ("< file", True),
        ("</dev/null", True),
        ("<<< word", True),
        ("> file", False),
        (">> /dev/nullx", False),
        (">&file", False),
        ("<> file", False),
        ("< /dev/tcp/h/80", False),
        ("> $x", False),
        ("< $x", False),
        ("> /dev/nul*", False),
    ],
)
def test_only_redirections_that_read_or_discard_are_harmless(redirection: str, safe: bool) -> None:
    assert is_safe_script(f"cat {redirection}") is safe


@every(
    "script, safe",
    [
        ("cat $x", True),
        ("cat *", True),
        ("grep -n foo *", True),
        ("sort src/*.txt", True),
        ('sort "src/$x"', True),
        ("sort $x", False),
        ("sort *", False),
        ('sort "$x"', False),
        ("uniq src/*", False),
        ("rg foo src/*.py", True),
        ("rg foo $x", False),
        ("rg src/* foo", True),
        ("sed -n 1p src/*.py", True),
        ("sed src/*.py x", False),
        ("awk '{print}' src/*.py", True),
        ("git log src/*", True),
        ("git $x", False),
        ("git config a*", False),
        ("git reflog exp*", False),
        ("sysctl a*", False),
        ("find src/* -name x", True),
        ("find . -name lib*.so", True),
        ("find * -name x", False),
        ("find . $x", False),
        ("xargs cat", True),
        ("xargs sort", False),
        ("timeout $x ls", False),
        ("$x", False),
    ],
)
def test_words_the_shell_still_changes_need_a_program_that_takes_anything(script: str, safe: bool) -> None:
    assert is_safe_script(script) is safe


@pytest.mark.parametrize(
    ("script", "safe"),
    [
        ("cat <<'EOF'\nhi\nEOF", True),
        ("cat <<EOF | wc -l\nhi $USER\nEOF\nls", True),
        ("cat <<'EOF' > f\nhi\nEOF", False),
        ("cat <<EOF\n$(rm x)\nEOF", False),
        ("cat <<EOF\n`rm x`\nEOF", False),
        ("cat <<EOF\nhi\nEOF\nrm x", False),
        ("cat <<EOF; rm x\nhi\nEOF", False),
        ("cat <<EOF | sh\nls\nEOF", False),
        ("bash <<EOF\nls\nEOF", False),
        ("# cat <<EOF\nrm x\nEOF", False),
        ("echo '<<EOF\nrm x\nEOF'; rm x", False),
        ("cat <<EOF\nhi\\\nEOF\nrm x\nEOF", False),
        ("cat <<EOF\nhi\n EOF\nrm x", False),
    ],
)
def test_a_here_document_is_text_for_the_command_that_reads_it(script: str, safe: bool) -> None:
    assert is_safe_script(script) is safe


@pytest.mark.parametrize("script", ["strings $x", "nm $x", "ls | xargs nm", "strings *"])
def test_what_may_become_a_response_file_is_not_harmless(script: str) -> None:
    assert not is_safe_script(script)


@pytest.mark.parametrize(
    "script",
    ["git status", "git -C sub log -1", "cd sub && git status", "timeout 5 git diff", "find . -exec git show {} \\;"],
)
def test_reading_a_repository_is_harmless_only_where_its_programs_are_confined(script: str) -> None:
    """Its configuration may name some: core.fsmonitor, diff.external, textconv, filter.clean."""
    what = segments(("bash", "-lc", script))
    assert all(safe_commands(what))
    assert not all(safe_commands(what, confined=False))
    assert all(safe_commands(segments(("bash", "-lc", "cat x; ls")), confined=False))


SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games"


@pytest.mark.parametrize(
    ("path", "only"),
    [
        (None, True),
        (SYSTEM_PATH, True),
        (f"/ws/bin:{SYSTEM_PATH}", False),
        ("/usr/local/bin:/ws/bin:/usr/bin", False),
        (f"{SYSTEM_PATH}:/ws/bin", False),
        ("/usr/bin:", False),
        ("", False),
        ("/usr/bin/../../ws:/usr/bin", False),
    ],
)
def test_a_path_leads_to_system_programs_only_when_every_entry_does(path: str | None, only: bool) -> None:
    assert only_system_bins(path) is only


def test_wrappers_are_looked_through_to_a_depth() -> None:
    assert is_safe(("timeout", "5", "nice", "env", "LC_ALL=C", "ls"))
    assert not is_safe((*("nice",) * 50, "ls"))
    assert not is_safe(("timeout", "5"))
    assert not is_safe(())


@pytest.mark.parametrize("script", ["find . -exec sort + -o f ';'", "find . -exec uniq + out ';'"])
def test_a_plus_that_does_not_end_what_find_runs_hides_no_arguments(script: str) -> None:
    words, ended = split(script), split("find . -exec head -n 3 {} + -o -name x")
    assert words is not None
    assert ended is not None
    assert not is_safe(words)
    assert is_safe(ended)


@every(
    "script",
    [
        "sox --i '|touch x'", "soxi '|touch x'", "exiftool 'touch x|'", "mkvinfo @options", "scc @flags", "pbzip2 -l f",
        "javap @options", "openssl x509 -noout -in http://host/c", "openssl verify -trusted http://host/c a.pem",
        "pdfinfo http://host/a.pdf", "svn proplist ^/trunk", "svn propget p http://host/r", "svn status -u", "jps host",
        "inxi -i", "inxi -v 7", "javap http://host/a.class", "javap jar:http://host/a.jar!/b", "gio list sftp://host/",
        "gio info sftp:host", "ghcup list", "luarocks list --outdated", "xmllint --c14n a.xml",
    ],
)  # fmt: skip
def test_a_name_that_is_a_program_an_address_or_more_options_is_no_file_to_read(script: str) -> None:
    words = split(script)
    assert words is not None
    assert not is_safe(words)


@pytest.mark.parametrize(
    "script",
    [
        "magick identify a.png",
        "npm ls",
        "rustup which rustc",
        "cloc .",
        "exiftool a.jpg",
        "qemu-img info a.qcow2",
        "named-checkconf named.conf",
        "named-checkzone a.org a.zone",
    ],
)
def test_what_a_project_may_send_elsewhere_is_harmless_only_where_it_is_confined(script: str) -> None:
    assert is_safe(tuple(script.split()))
    assert not is_safe(tuple(script.split()), confined=False)


@pytest.mark.parametrize(
    "script", ["flake8 --version", "rspec -v", "rubocop --version", "ansible --version", "mocha --version", "npx -v"]
)
def test_a_version_told_after_reading_the_project_s_settings_is_told_in_the_sandbox(script: str) -> None:
    assert is_safe(tuple(script.split()))
    assert not is_safe(tuple(script.split()), confined=False)


def test_no_sub_command_asks_for_the_sandbox_where_its_program_does_not() -> None:
    from sandgate.policy.safe_programs import SAFE
    from sandgate.policy.safe_subcommands import SUBCOMMANDS

    asking = [key for key, line in SUBCOMMANDS.items() if "confined" in line.split()]
    assert [key for key in asking if "confined" not in SAFE[key.partition(" ")[0]].split()] == []


def test_reading_the_configuration_of_git_names_a_key() -> None:
    assert is_safe(("git", "config", "user.name"))
    assert is_safe(("git", "config", "get", "user.name"))
    assert not is_safe(("git", "config", "edit"))  # opens an editor


def test_file_does_not_put_back_the_times_of_what_it_looked_at() -> None:
    assert is_safe(("file", "-b", "a"))
    assert not is_safe(("file", "-p", "a"))  # utimes(2): a build takes the file for older than it is


def test_starting_points_out_of_a_file_may_be_options_of_what_find_runs() -> None:
    assert is_safe(("find", "-files0-from", "list"))
    assert not is_safe(("find", "-files0-from", "list", "-exec", "sort", "{}", "+"))


@pytest.mark.parametrize(
    ("argv", "safe"),
    [(("tail", "/dev/zero"), False), (("sort", "-u", "/dev/urandom"), False), (("head", "-c9", "/dev/urandom"), True)],
)
def test_an_input_without_end_is_not_collected(argv: tuple[str, ...], safe: bool) -> None:
    assert is_safe(argv) is safe


@pytest.mark.parametrize(
    ("script", "safe"),
    [('find "$PWD" -type f', True), ('find "$HOME"/a -name x', True), ("find ~ -name x", True),
     ('find "$X" -name x', False), ("find $PWD -name x", False), ('find "$PWD/$X" -delete', False),
     ("while true; do sleep 9 & done", False), ("for x in a b; do sleep 1 & done", False)],
)  # fmt: skip
def test_a_word_that_begins_with_a_known_directory_is_one_path(script: str, safe: bool) -> None:
    assert all(safe_commands(segments(("bash", "-c", script)))) is safe


@pytest.mark.parametrize(
    ("script", "safe"),
    [("grep -r password ~", False), ("rg -i secret ~/", False), ("grep -rn AKIA /", False), ("grep -rn main ~", True),
     ("grep -rn token src", True), ('grep -rn "" token.txt', True)],
)  # fmt: skip
def test_a_search_for_secrets_in_everything_is_no_mere_reading(script: str, safe: bool) -> None:
    assert is_safe_script(script) is safe


NESTED = ["eval " * 5_000 + "ls", "eval command " * 5_000 + "ls", "find . " + "-exec ls {} + " * 5_000]


@pytest.mark.parametrize("script", NESTED, ids=["eval", "eval command", "find"])
def test_what_nests_or_repeats_without_end_is_not_safe_and_soon_known(script: str) -> None:
    before = process_time()
    assert not is_safe_script(script)
    assert process_time() - before < SOON_S


@every(
    "asked, vouched",
    [
        ("bash evil.sh -n", "bash -n evil.sh"),
        ("bash -n +n", "bash -n evil.sh"),
        ("bash -n", "bash --version"),  # a terminal's shell ignores `-n`
        ("bash -n -", "bash -n ./-"),
        ("sh evil.sh --version", "sh --version"),
        ("zsh evil.sh -n", "zsh -n evil.sh"),
        ("node evil.js -v", "node -v"),
        ("node evil.js -c", "node -c evil.js"),
        ("node evil.js --help", "node --help"),
        ("ruby evil.rb -c", "ruby -c evil.rb"),
        ("php evil.php -l", "php -l evil.php"),
        ("php -ldextension=./evil.so", "php --syntax-check evil.php"),
        ("screen ./evil -ls", "screen -ls"),
        ("unzip a.zip planted -v", "unzip -v a.zip planted"),
        ("kill 12 -l", "kill -l 12"),
        ("unsquashfs a.sqfs -s", "unsquashfs -s a.sqfs"),
        ("bsdtar -xf a.tar planted -O", "bsdtar -xOf a.tar planted"),
        ("rpm -- a.rpm -q", "rpm -q a.rpm"),
        ("gpg planted.gpg --list-keys", "gpg --list-keys planted"),
        ("git config user.name --list", "git config --list"),
        ("git tag planted -l", "git tag -l planted"),
        ("sed 's/a/b/w planted' -e p", "sed -e p file"),
        ("dmsetup -j ls remove_all", "dmsetup ls"),
        ("ag -g -- --pager=planted x", "ag -g x"),
        ("lvs -o -- --config x", "lvs -o lv_name"),
        ("mkvinfo -- -r planted a.mkv", "mkvinfo -- a.mkv"),
        ("mkvmerge -J -- -r planted", "mkvmerge -J a.mkv"),
        ("mediainfo -- --LogFile=planted a.mkv", "mediainfo --Full a.mkv"),
        ("git format-patch --stdout -v -- --output=planted", "git format-patch --stdout -v 2 main"),
        ("hexyl -- --unknown", "rg -- --unknown"),
        ("cpan -v", "perl -v"),  # makes its configuration first
        ("debugreiserfs --help", "debugfs --help"),  # `-h -e -l -p`: writes a file
        ("script", "script --version"),
        ("xdg-user-dir 'A}$(touch planted)${B'", "xdg-user-dir DESKTOP"),
        ("dscl . -append /Groups/admin -read", "dscl . -read /Groups/admin"),
    ],
)
def test_an_option_vouches_only_where_the_program_takes_it(asked: str, vouched: str) -> None:
    assert not is_safe(split(asked) or ())
    assert is_safe(split(vouched) or ())


@pytest.mark.parametrize(
    ("script", "vouched"),
    [
        ("""zgrep "it's" a.gz""", True),
        ("""zgrep "--label='" ';touch planted;#' a.gz""", False),
        ("""xzgrep "-e'" ';touch planted;#' a.gz""", False),
        ("""zdiff -U "1';touch planted;'" a.gz b.gz""", False),
        ("zgrep x logs/*.gz", True),
        ("zgrep x *.gz", False),  # a name may begin with a dash
        ('zgrep "$x" a.gz', False),
        ("ls | xargs zgrep x", False),
        ("find . -name '*.gz' -exec zgrep x {} +", True),
        ("find . -exec diffstat {} +", False),
        ("diffstat a.patch", True),
        ("diffstat '$(touch planted).gz'", False),
        ("diffstat *.gz", False),  # a name may be of that kind
        ("rpm -qp a.rpm", True),
        ("rpm -qp '%(touch planted)'", False),
        ("cloc src", True),
        ("cloc \"a'$(touch planted)'.tar.gz\"", False),
        ("info -w ls", True),
        ("info -w './a;touch planted;.gz'", False),
    ],
)
def test_no_word_is_evaluated_by_a_program_that_is_a_script(script: str, vouched: bool) -> None:
    assert is_safe_script(script) is vouched


@pytest.mark.parametrize("command", ["docker history app --no-trunc", "helm template ./chart -f values.yaml"])
def test_a_program_known_to_permute_is_believed(command: str) -> None:
    assert is_safe(split(command) or ())


@pytest.mark.parametrize(
    "script", ["POSIXLY_CORRECT=1 {}", "env POSIXLY_CORRECT=1 {}", "export POSIXLY_CORRECT=1; {}", "set -o posix; {}"]
)
def test_the_variable_that_ends_permuting_is_asked_about(script: str) -> None:
    assert not is_safe_script(script.format("grep -r x ."))
