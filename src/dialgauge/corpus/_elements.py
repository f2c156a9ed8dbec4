"""XML: elements as the objects of JSON, so that everything that is read nested there is read here too."""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from dialgauge.corpus._files import read_bytes
from dialgauge.corpus._names import is_person, normalised
from dialgauge.corpus._table import Table, place_in
from dialgauge.corpus._values import is_answer
from dialgauge.errors import InputError

#: What the text of an element that has attributes is called: ``<rating rater="ann">4</rating>`` has a value.
_TEXT, _ANSWER = "text", "value"
_DEEPEST = 50
#: How often a label recurs, and how many words it has not.
_RECURRING, _WORDS = 3, 4


def load_xml(path: Path) -> Table:
    """The elements of a document as objects: attributes and children by name, children of one name as a list."""
    root = parse_xml(path)
    value = _value(root, _Document(_lists(root), *_answers(root)))
    record = value if isinstance(value, dict) else {local_name(root.tag): value}
    return Table(pl.DataFrame(), place_in(str(path), [1]), records=((1, record),))


def parse_xml(path: Path) -> ET.Element:
    """The root of a document. Documents that declare entities are refused: a few lines of them fill any memory."""
    data = read_bytes(path)
    if b"<!ENTITY" in data or "<!ENTITY".encode("utf-16-le") in data or "<!ENTITY".encode("utf-16-be") in data:
        raise InputError(f"{path}: declares entities, which are not read; save it without them")
    try:
        return ET.fromstring(data)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise InputError(f"{path}: cannot be read as XML: {error}") from error


def local_name(tag: str) -> str:
    """The name of an element or attribute without its namespace."""
    return tag.rpartition("}")[2]


class _Document(NamedTuple):
    """What is known of the elements of a document by their names: which children come in lists, which texts are
    answers, and which labels.
    """

    lists: Mapping[str, frozenset[str]]
    answers: frozenset[str]
    labels: frozenset[str]


def _answers(root: ET.Element) -> tuple[frozenset[str], frozenset[str]]:
    """The names of elements with attributes whose texts are numbers or words of a scale, all of them; and of labels.

    Of turns some may be, as who says "no" in one. Labels are few words that recur, each beside who said it:
    <label annotator="kb">unsupported</label>.
    """
    texts: dict[str, Counter[str]] = {}
    unsigned: set[str] = set()
    for element in root.iter():
        if isinstance(element.tag, str) and element.attrib and not len(element) and (element.text or "").strip():
            name = local_name(element.tag)
            texts.setdefault(name, Counter())[(element.text or "").strip()] += 1
            if not any(is_person(normalised(local_name(key))) for key in element.attrib):
                unsigned.add(name)
    answers = {name for name, said in texts.items() if all(map(is_answer, said))}
    recurring = {name for name, said in texts.items() if said.total() >= _RECURRING * len(said) and len(said) > 1}
    labels = {name for name in recurring - unsigned - answers if all(len(one.split()) < _WORDS for one in texts[name])}
    return frozenset(answers), frozenset(labels)


def _lists(root: ET.Element) -> Mapping[str, frozenset[str]]:
    """By the name of an element, the children that occur in one of them more than once."""
    found: dict[str, set[str]] = {}
    for element in root.iter():
        counts = Counter(local_name(child.tag) for child in element if isinstance(child.tag, str))
        found.setdefault(local_name(element.tag), set()).update(name for name, times in counts.items() if times > 1)
    return {name: frozenset(children) for name, children in found.items()}


def _value(element: ET.Element, document: _Document, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise InputError("XML nested too deeply")
    text = "".join(element.itertext()) if _is_prose(element) else element.text or ""
    children = [] if _is_prose(element) else [child for child in element if isinstance(child.tag, str)]
    if not children and not element.attrib:
        return text.strip() or None
    made: dict[str, Any] = {local_name(key): value for key, value in element.attrib.items()}
    listed: dict[str, list[Any]] = {}
    for child in children:
        name = local_name(child.tag)
        inner = _value(child, document, depth + 1)
        if name in document.lists[local_name(element.tag)]:
            # One name for all of them: <rating> beside <rating> is what JSON calls "ratings".
            listed.setdefault(name, []).append(inner)
        else:
            made[name if name not in made else f"{name}_{_TEXT}"] = inner
    for name, several in listed.items():
        made[_plural(name) if _plural(name) not in made else f"{name}_list"] = several
    if text.strip() and not children:
        name = local_name(element.tag)
        called = _ANSWER if name in document.answers else name if name in document.labels else _TEXT
        made[called if called not in made else "content"] = text.strip()
    return made


def _is_prose(element: ET.Element) -> bool:
    """Whether words stand beside the children of an element: then they are marks in a text."""
    return len(element) > 0 and any((text or "").strip() for text in (element.text, *(child.tail for child in element)))


def _plural(name: str) -> str:
    return name if name.endswith("s") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
