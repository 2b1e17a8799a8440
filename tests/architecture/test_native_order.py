"""The helper's files call and include one another in one direction, as import-linter has it for the package."""

import re
from collections.abc import Mapping
from pathlib import Path

from support.suite.source_tree import REPOSITORY

NATIVE = REPOSITORY / "native"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DEFINED = re.compile(
    r"^(?!static\b|extern\b|typedef\b|return\b)[a-z_][\w ()*,]*?\b(\w+)"
    r"(?:\([^;{}]*\) ?\{|(?:\[[^\]]*\])* =(?!=))",
    re.MULTILINE,
)
INCLUDED = re.compile(r'^#include "(\w+)\.h"', re.MULTILINE)
SYMBOL = re.compile(r"(?<![\w.>])\w+")  # no member of a struct


def test_no_file_of_the_helper_leads_back_to_itself() -> None:
    """Required: what a file needs can be read, and tested, without what needs the file."""
    assert _circle(_calls(_sources(".c"))) == []


def test_no_header_of_the_helper_includes_itself() -> None:
    assert _circle(_includes(_sources(".h"))) == []


def test_a_planted_call_upwards_is_noticed() -> None:
    """Required: a check that cannot fail protects nothing."""
    sources = _sources(".c")
    sources["trees"] += "\nint planted(struct sandbox *sandbox) { return finish_view(sandbox); }\n"
    assert {"trees", "mounts"} <= set(_circle(_calls(sources)))


def test_a_planted_include_upwards_is_noticed() -> None:
    headers = _sources(".h")
    headers["sys"] += '\n#include "plan.h"\n'
    assert {"sys", "plan"} <= set(_circle(_includes(headers)))


def test_what_is_defined_is_found() -> None:
    """Functions and tables, whether the opening brace ends the line or not."""
    defined = _definers(_sources(".c"))
    expected = {"memcpy": "library", "fail": "tasks", "main": "main", "start_task": "library", "covered_proc": "proc"}
    expected["first_namespaces"] = "namespaces"
    assert {name: defined.get(name) for name in expected} == expected


def _sources(suffix: str) -> dict[str, str]:
    """By the file's stem, without comments."""
    return {path.stem: COMMENT.sub(" ", path.read_text(encoding="utf-8")) for path in _files(suffix)}


def _files(suffix: str) -> list[Path]:
    return sorted(NATIVE.glob(f"*{suffix}"))


def _definers(sources: Mapping[str, str]) -> dict[str, str]:
    return {name: stem for stem, text in sources.items() for name in DEFINED.findall(text)}


def _calls(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """By each file, the files that define what it names."""
    definers = _definers(sources)
    named = {stem: set(SYMBOL.findall(STRING.sub(" ", text))) for stem, text in sources.items()}
    own = {
        stem: set(re.findall(r"^static [^;={]*?\b(\w+)(?:\(|\[| =|;)", text, re.M)) for stem, text in sources.items()
    }
    return {
        stem: {definers[name] for name in names - own[stem] if name in definers} - {stem}
        for stem, names in named.items()
    }


def _includes(headers: Mapping[str, str]) -> dict[str, set[str]]:
    return {stem: set(INCLUDED.findall(text)) for stem, text in headers.items()}


def _circle(edges: Mapping[str, set[str]]) -> list[str]:
    """Those that cannot be put in an order; empty when there is one."""
    left = dict(edges)
    while free := [stem for stem, needs in left.items() if not needs & left.keys()]:
        for stem in free:
            del left[stem]
    return sorted(left)
