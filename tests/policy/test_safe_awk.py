"""What an awk program may do unasked."""

from __future__ import annotations

from sandgate.policy.safe_awk import only_prints
from sandgate.policy.safety import is_safe
from support.suite.rows import every


@every(
    "program, safe",
    [
        ("{print $1}", True),
        ("$3 > 5", True),
        ("{if ($1 > 5) print}", True),
        ('{print $1 " -> " $2}', True),
        ("$1 || $2", True),
        ("/re/{print}", True),
        ('{print > "x"}', False),
        ('{print >> "x"}', False),
        ('{print | "sh"}', False),
        ('{"id" | getline}', False),
        ("BEGIN{system(x)}", False),
        ("BEGIN{@f()}", False),
        ('/"/{print > "x"} /"/', False),
        ('{print "unbalanced}', False),
        ("}{print > x", False),
        ('BEGIN{ARGV[1]="x"}{print}', False),
        ('{printf("x") > "y"}', False),
        ("{print $1 > $2}", False),
        ('{print $1, ($2 > 3) > "x"}', False),
        ("{print ($2 > 3)}", True),
        ("NR > 1 && /re/ {n++} END {print n}", True),
        ("$1 ~ /a\\/b[ch]+/ {print $2 / 4}", True),
        ("/[(]/{print}", True),
        ("{x = $1 > 5; print x}", True),
        ("{for (i = 1; i <= NF; i++) print $i}", True),
        ('{for (print "x" > "f";;) exit}', False),
        ('{print "a",\n"b" > "f"}', False),
        ('{print "a" # (\n > "f"}', False),
        ('# " \n{print > "x"} # "', False),
        ('/"(/{print > "x"} /)"/', False),
        ('/(/{print > "x"} /)/', False),
        ('{print "(" > "x"; print ")"}', False),
        ('{print ")" | "sh" "("}', False),
        ('/[/"]/{print > "x"} /"/', False),
        ('/[[:alpha:]/"]/{print > "x"} /"/', False),
        ('/[]/"]/{print > "x"} /"/', False),
        ('{if (1) /"/; print > "x"; "/"}', False),
        ('{print /"/ > "x" /"/}', False),
        ('{length /"/; print > "x"; "/"}', False),
        ('"id" |& getline', False),
        ('BEGIN{f="sys"; @f("id")}', False),
        ('BEGIN{extension("./x.so", "i")}', False),
        ("{print \\\n> $1}", False),
        ('{print "a\\" > "x"}', False),
        ("{1e5print > $1}", False),
    ],
)
def test_an_awk_program_may_only_print(program: str, safe: bool) -> None:
    assert only_prints(program) is safe
    assert is_safe(("awk", program, "file")) is safe
