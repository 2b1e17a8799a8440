"""The places that docs/how-to/caches.md names; what it shows is played by test_sessions.py."""

from sandgate.places.caches import KEPT_BY
from support.docs.how_to_pages import PAGES


def test_the_page_names_places_that_have_layers() -> None:
    page = (PAGES / "caches.md").read_text()
    named = (".cache", ".npm", ".cargo", "go/pkg", ".m2/repository", ".gradle/caches", ".nuget/packages")
    assert [place for place in named if f"`~/{place}`" not in page or place not in KEPT_BY] == []
