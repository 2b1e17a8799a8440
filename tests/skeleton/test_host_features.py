import pytest

from support.machine import host_features


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A feature this host does not have."""
    monkeypatch.setitem(host_features.PROBES, "broken", lambda: "there is none here")


@pytest.mark.usefixtures("broken")
def test_missing_feature_skips_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SANDGATE_REQUIRE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="broken: there is none here"):
        host_features.demand("broken")


@pytest.mark.usefixtures("broken")
def test_missing_feature_fails_when_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a skipped proof is no proof."""
    monkeypatch.setenv("SANDGATE_REQUIRE", "landlock,broken")
    with pytest.raises(pytest.fail.Exception, match="SANDGATE_REQUIRE asks for broken: there is none here"):
        host_features.demand("broken")


def test_misspelt_requirement_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a misspelt name would silently require nothing."""
    monkeypatch.setenv("SANDGATE_REQUIRE", "landlok")
    with pytest.raises(pytest.UsageError, match="landlok"):
        host_features.required()


@pytest.mark.parametrize("feature", [name for name in host_features.PROBES if name != "namespace"])
def test_probe_answers_none_or_a_reason(feature: str) -> None:
    reason = host_features.PROBES[feature]()
    assert reason is None or reason.strip()


def test_refused_probe_gives_the_last_word_of_the_child() -> None:
    assert host_features._refusal("import sys; sys.exit('no such thing')") == "no such thing"
    assert host_features._refusal("") is None
