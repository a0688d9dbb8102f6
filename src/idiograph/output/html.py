"""A document as one HTML file that loads nothing and runs nothing."""

import base64

from idiograph.output.document import Document, Heading, Picture, all_visible
from idiograph.output.heatmap import LOOKS


def html(document: Document) -> str:
    """The document as a page; every text in it is escaped by the template."""
    # Imported late: most commands write no page.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    document = all_visible(document)
    environment = Environment(
        loader=PackageLoader("idiograph.output"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.tests["a"] = lambda block, name: type(block).__name__ == name
    environment.filters |= {"css": _css_string, "data_uri": _data_uri, "anchor": _anchor}
    template = environment.get_template("report.html")
    return template.render(document=document, parts=document.parts, looks=LOOKS)


def _css_string(text: str) -> str:
    """A text between the quotes of a style sheet: whatever is not a plain letter goes in as its code."""
    return "".join(char if char.isascii() and char.isalnum() else f"\\{ord(char):06x}" for char in text)


def _data_uri(picture: Picture) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.plot.svg).decode()}"


def _anchor(heading: Heading) -> str:
    return "part-" + "".join(char for char in heading.text.split(".")[0].lower() if char.isascii() and char.isalnum())
