"""What projects keep, listed and cleared."""

from pathlib import Path

from sandgate.sandbox.cache_layers import Layers
from sandgate.sandbox.kept_caches import ClearedCaches, clear_caches, kept_caches
from sandgate.sandbox.private_tmp import private_directory


def test_caches_of_projects_are_listed_by_their_paths_and_cleared_one_by_one_or_together(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    assert kept_caches(state) == ()
    assert clear_caches(state, None) == ClearedCaches((), ())
    (tmp_path / ".cache").mkdir()
    for project in ("/ws/a+b%c", "/ws/other"):
        held = private_directory(state, project)
        assert held is not None
        (layer,) = Layers(held.path).over([str(tmp_path / ".cache")])
        (Path(layer.upper) / "file").write_text("x")
    kept = kept_caches(state)
    assert [(one.project, one.place, one.files, one.complete) for one in kept] == [
        ("/ws/a+b%c", str(tmp_path / ".cache"), 1, True),
        ("/ws/other", str(tmp_path / ".cache"), 1, True),
    ]
    assert clear_caches(state, "/ws/a+b%c") == ClearedCaches(("/ws/a+b%c",), ())
    assert [one.project for one in kept_caches(state)] == ["/ws/other"]
    assert clear_caches(state, None) == ClearedCaches(("/ws/other",), ())
    assert clear_caches(None, "/ws/other") == ClearedCaches((), ())
