"""The official conformance suite, run against our server with the suite's tools in front of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from peers.serving import node
from support.suite.source_tree import REPOSITORY

if TYPE_CHECKING:
    from peers.conftest import Endpoint

pytestmark = [pytest.mark.host("peers"), pytest.mark.slow]

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"

SUITES = {
    "released": "conformance-released/dist/index.js",  # the last release; knows the handshake era only
    "next": "@modelcontextprotocol/conformance/dist/index.js",  # knows both
}

RUNS = [("released", HANDSHAKE), ("next", HANDSHAKE), ("next", STATELESS)]

APPLICABLE: Mapping[str, set[str]] = {
    HANDSHAKE: {
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "tools-list",
        "tools-call-simple-text",
        "tools-call-error",
        "tools-call-with-progress",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "json-schema-2020-12",
        "server-sse-multiple-streams",
        "server-sse-polling",
        "dns-rebinding-protection",
    },
    STATELESS: {
        "server-stateless",
        "tools-list",
        "tools-call-simple-text",
        "tools-call-error",
        "tools-call-with-progress",
        "json-schema-2020-12",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "http-custom-header-server-validation",
        "input-required-result-basic-elicitation",
        "input-required-result-request-state",
        "input-required-result-multi-round",
        "input-required-result-missing-input-response",
        "input-required-result-result-type",
        "input-required-result-unsupported-methods",
        "input-required-result-tampered-state",
        "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    },
}
"""Scenarios that a server of tools can pass; every other one must have its reason below."""

BEYOND_RELEASED = {
    "server-session-lifecycle": "the released suite does not have it",
    "server-sse-polling": "the released suite calls with a version older than the events it then waits for",
}
"""Applicable scenarios → why only the next suite judges them."""

ELSEWHERE = {
    "tools-call-(image|audio|embedded-resource|mixed-content)": "Sandgate's tools answer with text",
    "(tools-call|input-required-result-basic)-sampling": "Sandgate does not borrow the client's model",
    "input-required-result-basic-list-roots": "Sandgate's folders come from its user, not from the client",
    "input-required-result-multiple-input-requests": "asks for sampling and roots as well",
    "input-required-result-capability-check": "wants a question to a client that only lends its model",
    "input-required-result-non-tool-request": "there are no prompts",
    "tools-call-with-logging|logging-set-level": "MCP logging is deprecated; Sandgate's log is a file",
    "completion-complete": "nothing to complete: there are no prompts and no resource templates",
    "resources-.*|sep-2164-resource-not-found": "there are no resources",
    "prompts-.*": "there are no prompts",
}
"""Patterns of scenario names → why they do not apply."""

EXCUSED = {
    "sep-2549-(prompts|resources).*": "caching: only `tools/list` exists here",
    "sep-2575-server-(sends|tags|honors)-.*": "the list of tools never changes, so nothing is subscribed to",
}
"""Patterns of single checks, inside scenarios that apply otherwise → why they do not."""

Checks = list[dict[str, Any]]


@pytest.fixture(scope="module")
def outcomes(
    fixtures_endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[tuple[str, str], dict[str, Checks]]:
    """Each run's checks by scenario. A run takes two seconds, a scenario by itself half a second."""
    return {run: _run(*run, fixtures_endpoint, tmp_path_factory.mktemp("conformance")) for run in RUNS}


def _run(suite: str, version: str, endpoint: Endpoint, folder: Path) -> dict[str, Checks]:
    options = ["server", "--url", endpoint.url, "--suite", "all", "--output-dir", str(folder / "out")]
    if suite != "released":
        options += ["--spec-version", version]
    with_token = f"--import={(REPOSITORY / 'tests/peers/bearer.mjs').as_uri()}"
    ended = node(SUITES[suite], *options, home=folder, NODE_OPTIONS=with_token, SANDGATE_MCP_TOKEN=endpoint.token)
    found = {}
    for path in (folder / "out").glob("*/checks.json"):
        scenario = re.sub(r"^server-(.*)-\d{4}-\d\d-\d\dT.*$", r"\1", path.parent.name)
        found[scenario] = json.loads(path.read_text())
    assert found, ended.stdout + ended.stderr
    return found


def _named(patterns: Mapping[str, str], name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _problems(checks: Checks) -> list[str]:
    return [
        f"{check['id']}: {check['status']}: {check.get('errorMessage')}"
        for check in checks
        if check["status"] not in ("SUCCESS", "INFO") and not _named(EXCUSED, check["id"])
    ]


@pytest.mark.parametrize(
    ("suite", "version", "scenario"),
    [
        (suite, version, scenario)
        for suite, version in RUNS
        for scenario in sorted(APPLICABLE[version])
        if suite != "released" or scenario not in BEYOND_RELEASED
    ],
)
def test_scenario_passes(
    suite: str, version: str, scenario: str, outcomes: Mapping[tuple[str, str], dict[str, Checks]]
) -> None:
    """Required: no check of a scenario that applies fails or warns."""
    checks = outcomes[suite, version].get(scenario)
    assert checks, f"the suite has no scenario {scenario}"
    assert _problems(checks) == []
    assert [check["id"] for check in checks if check["status"] == "SUCCESS"]


@pytest.mark.parametrize(("suite", "version"), RUNS)
def test_every_scenario_that_is_left_out_has_its_reason(
    suite: str, version: str, outcomes: Mapping[tuple[str, str], dict[str, Checks]]
) -> None:
    """Required: a new scenario of a newer suite is looked at, not passed over."""
    left_out = outcomes[suite, version].keys() - APPLICABLE[version]
    assert [scenario for scenario in sorted(left_out) if not _named(ELSEWHERE, scenario)] == []
