"""How the pages of this repository become a site; docs/decisions/0052 says why with these tools.

    python -m sphinx -W --keep-going -E -q -c docs/site . build/site

The sources are the repository itself, so that every link means the same here, on a code forge and on the site. A link
that leads nowhere, a page that no menu leads to, and a block in an unknown language are errors.
"""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FRONT = ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "ARCHITECTURE")

project = "Sandgate"
language = "en"
author = "the Sandgate authors"
copyright = "the Sandgate authors, Apache-2.0"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = [*(f"{page}.md" for page in FRONT), "docs/**.md"]
exclude_patterns = [".*", "bench", "build", "changes", "dist", "native", "requirements", "src", "tests", "docs/site"]
nitpicky = True

myst_heading_anchors = 4  # headings have the same addresses as on a code forge
myst_links_external_new_tab = False

html_theme = "alabaster"
html_theme_options = {
    "description": "The gate an AI coding agent's commands pass through",
    "fixed_sidebar": True,
    "page_width": "75em",
    "sidebar_collapse": True,
}
html_title = "Sandgate"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_additional_pages = {"index": "to_the_start.html"}
templates_path = ["templates"]
