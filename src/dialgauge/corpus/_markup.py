"""HTML in texts that were made for a web page: tags go, line ends and characters stay."""

import html
import json
import re
from collections.abc import Iterable

#: Tags of texts. Anything else in angle brackets, such as ``<file_photo>`` or ``<3``, is a word of the text.
_TAGS = "p|br|div|span|b|i|u|strong|em|li|ul|ol|h[1-6]|a|td|th|tr|table|tbody|thead|font|hr|blockquote|pre"
_TAG = re.compile(rf"<(/?)({_TAGS})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-z]{4,8});")
_ENDS_LINE = frozenset(["br", "p", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "blockquote"])
_PIECE = re.compile(rf"{_TAG.pattern}|{_ENTITY.pattern}", re.IGNORECASE)


def is_tag(name: str) -> bool:
    """Whether a name in angle brackets is that of a tag of web pages."""
    return re.fullmatch(_TAGS, name, re.IGNORECASE) is not None


def has_markup(texts: Iterable[str]) -> bool:
    """Whether these texts are HTML: a known tag in at least two of them, or one that is closed again."""
    tagged = 0
    for text in texts:
        found = [(closing, name.lower()) for closing, name in _TAG.findall(text)]
        if not found:
            continue
        tagged += 1
        opened = {name for closing, name in found if not closing}
        if tagged > 1 or any(closing and name in opened for closing, name in found):
            return True
    return False


def has_entities(text: str) -> bool:
    """Whether the text has characters written as HTML does: ``&amp;``, ``&#39;``."""
    return any(html.unescape(found) != found for found in _ENTITY.findall(text))


def without_markup(text: str, *, tags: bool) -> str:
    """The text as a reader of the page would see it."""
    return cleaned(text, tags=tags)[0]


def cleaned(text: str, *, tags: bool) -> tuple[str, list[int]]:
    """The text without tags and with its characters, and the place of each old character (and of the end) in it."""
    kept: list[str] = []
    origin: list[int] = []  # for each kept character the old one
    position = 0
    for found in _PIECE.finditer(text):
        whole = found[0]
        if whole.startswith("<") and not tags:
            continue
        kept += text[position : found.start()]
        origin += range(position, found.start())
        if whole.startswith("<"):
            name = found[2].lower()
            ends = name in _ENDS_LINE and (found[1] or name in ("br", "hr") or name[0] == "h")
            new = "\n" if ends and kept and kept[-1] != "\n" else ""
        else:
            new = html.unescape(whole).replace("\xa0", " ")
        kept += new
        origin += [found.start()] * len(new)
        position = found.end()
    kept += text[position:]
    origin += range(position, len(text))
    if tags:
        kept, origin = _trimmed(kept, origin)
    places, new_place = [], 0
    for old in range(len(text) + 1):
        while new_place < len(origin) and origin[new_place] < old:
            new_place += 1
        places.append(new_place)
    return "".join(kept), places


def _trimmed(kept: list[str], origin: list[int]) -> tuple[list[str], list[int]]:
    """Without space at both ends, and without the empty lines that tags between lines leave."""
    pairs = list(zip(kept, origin, strict=True))
    while pairs and pairs[0][0].isspace():
        pairs.pop(0)
    while pairs and pairs[-1][0].isspace():
        pairs.pop()
    lean = [pair for place, pair in enumerate(pairs) if not (pair[0] == "\n" and pairs[place - 1][0] == "\n")]
    return [pair[0] for pair in lean], [pair[1] for pair in lean]


def cell_without_markup(cell: str, *, tags: bool) -> str:
    """Like :func:`without_markup`, for a cell that may also hold turns as JSON."""
    if cell.lstrip().startswith("["):
        try:
            return json.dumps(_inside(json.loads(cell), tags), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return without_markup(cell, tags=tags)


def _inside(value: object, tags: bool) -> object:
    if isinstance(value, str):
        return without_markup(value, tags=tags)
    if isinstance(value, list):
        return [_inside(item, tags) for item in value]
    if isinstance(value, dict):
        return {key: _inside(item, tags) for key, item in value.items()}
    return value
