"""Whatever is planted, the number of mounts stays bounded and nothing protected is left uncovered."""

from hypothesis import given
from hypothesis import strategies as st

from sandgate.sandbox.mount_budget import cover, outside_of

ROOT = "/w"
PATHS = st.lists(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4).map(lambda parts: f"{ROOT}/{'/'.join(parts)}/.envrc"),
    max_size=40,
)


def test_few_paths_stay_as_they_are() -> None:
    paths = (f"{ROOT}/a/.envrc", f"{ROOT}/b/.envrc")
    assert cover(paths, (), ROOT, limit=2).paths == paths


def test_the_directory_that_holds_most_is_closed_and_no_more() -> None:
    crowd = [f"{ROOT}/x/crowd/{number}/.envrc" for number in range(10)]
    found = cover([*crowd, f"{ROOT}/y/.envrc"], (), ROOT, limit=5)
    assert found.directories == (f"{ROOT}/x/crowd",)
    assert set(found.paths) == {f"{ROOT}/x/crowd", f"{ROOT}/y/.envrc"}


def test_what_cannot_be_gathered_is_told() -> None:
    assert cover([f"{ROOT}/{number}/.envrc" for number in range(9)], (), ROOT, limit=5).mounts == 9


def test_a_few_in_one_directory_are_not_worth_closing_it() -> None:
    paths = [f"{ROOT}/{number}/{part}/.envrc" for number in range(9) for part in "ab"]
    assert cover(paths, (), ROOT, limit=5, least=3).directories == ()


def test_directories_that_must_be_held_in_place_count() -> None:
    git = [f"{ROOT}/{number}/.git" for number in range(4)]
    found = cover(git, {path.rpartition("/")[0] for path in git}, ROOT, limit=5)
    assert found.mounts <= 5
    assert len(found.directories) == 3


@given(PATHS, st.integers(1, 20))
def test_every_path_stays_covered_and_the_number_bounded(paths: list[str], limit: int) -> None:
    found = cover(paths, (), ROOT, limit=limit)
    assert found.mounts == len(found.paths) <= max(limit, len({path.split("/")[2] for path in paths}))
    assert outside_of(paths, found.paths, ROOT) == ()
    assert ROOT not in found.paths
