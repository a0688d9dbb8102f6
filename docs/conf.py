"""The settings of the documentation's site: `make site` builds it from the Markdown pages of this folder.

The site asks for nothing from a network: furo's fonts are the system's own, and the search runs in the page.
"""

from importlib import metadata

project = "Idiograph"
author = "The Idiograph developers"
release = metadata.version("idiograph")
extensions = ["myst_parser"]
exclude_patterns = ["_site"]
myst_heading_anchors = 4  # pages link to each other's headings, as they do on a forge
html_theme = "furo"
html_title = f"Idiograph {release}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_search_summary = False  # a page opened from a folder may not fetch the pages it found
html_theme_options = {"navigation_with_keys": True}
