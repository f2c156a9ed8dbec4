"""Stand-off annotations: brat (.txt beside .ann), WebAnno and INCEpTION (TSV 3, and UIMA's XMI).

Each document becomes one record: its name, its text, who annotated it, and what was marked in it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from dialgauge.corpus._elements import local_name, parse_xml
from dialgauge.corpus._files import read_text
from dialgauge.corpus._joined_ids import by_joint
from dialgauge.corpus._table import Table
from dialgauge.errors import InputError, counted

#: The keys of a record, by which the layout is recognised.
DOCUMENT, TEXT, ANNOTATOR, MARKS = "standoff_document", "standoff_text", "standoff_annotator", "standoff_marks"
SYSTEM, DIALOGUE = "standoff_system", "standoff_dialogue"
_WEBANNO = "#FORMAT=WebAnno TSV 3"
_SEVERITIES = ("severity", "level", "grade", "weight", "importance")
_LABELS = ("value", "label", "category", "type", "errortype", "error_type", "kind", "class", "tag")
_Mark = dict[str, Any]
_Record = dict[str, Any]


def is_brat(path: Path) -> bool:
    """Whether a folder holds annotations of brat, beside the texts or in folders of annotators."""
    return path.is_dir() and next(path.rglob("*.ann"), None) is not None


def is_webanno(text: str) -> bool:
    """Whether a text is a document of WebAnno or INCEpTION."""
    return text.lstrip("\ufeff").startswith(_WEBANNO)


def load_brat(path: Path) -> Table:
    """A record for every annotated text of a folder; folders inside it are those of annotators or of systems."""
    files = sorted(path.rglob("*.ann")) if path.is_dir() else [path]
    records, places, skipped = [], [], Counter[str]()
    for file in files:
        source = file.with_suffix(".txt")
        if not source.is_file():
            raise InputError(f"{file}: cannot be read without the text that it annotates, {source.name}")
        text = read_text(source).text
        marks = list(_brat_marks(read_text(file).text, text, str(file), skipped))
        records.append(_record(file.stem, text, None, marks))
        places.append(str(file))
    unsure = _name_folders(records, [file.relative_to(path).parent.parts if file != path else () for file in files])
    notes = [f"{counted(n, what)} left out: only marks of a text are read" for what, n in sorted(skipped.items())]
    annotated = {file.with_suffix(".txt") for file in files}
    texts = {one.stem: one for one in sorted(path.rglob("*.txt")) if one not in annotated} if path.is_dir() else {}
    unread = _with_parts_of_names(records, texts, notes)
    return replace(_table(records, places, notes), unread=unread | unsure)


def _name_folders(records: list[_Record], above: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Set annotator and system of documents by the folders they are in; what the folders are is told by the texts.

    People see the same text under one name, systems write different ones. Folders of which neither can be said are
    told, by their name.
    """
    depth = min(map(len, above))
    levels = [level for level in range(depth) if len({parts[level] for parts in above}) > 1]
    written = {level: _are_systems(records, above, level) for level in levels}
    if levels and not any(found is not None for found in written.values()):
        names = sorted({"/".join(parts) for parts in above})
        said = "annotate different documents: call them alike where several people read the same text, or leave out"
        return {names[0]: f"the folders {', '.join(names[:3])} {said} --map ignore={names[0]}"}
    for record, parts in zip(records, above, strict=True):
        people = [parts[level] for level in levels if not written[level]]
        systems = [parts[level] for level in levels if written[level]]
        record[ANNOTATOR] = "/".join(people) or None
        record |= {SYSTEM: "/".join(systems)} if systems else {}
    return {}


def _are_systems(records: list[_Record], above: Sequence[tuple[str, ...]], level: int) -> bool | None:
    """Whether documents of one name differ in their texts between the folders of a level; None where none recurs."""
    texts: dict[tuple[str, ...], set[str]] = {}
    times = Counter[tuple[str, ...]]()
    for record, parts in zip(records, above, strict=True):
        item = (record[DOCUMENT], *parts[:level], *parts[level + 1 :])
        texts.setdefault(item, set()).add(record[TEXT].strip())
        times[item] += 1
    several = [item for item, count in times.items() if count > 1]
    return sum(len(texts[item]) > 1 for item in several) * 2 > len(several) if several else None


def _with_parts_of_names(records: list[_Record], texts: dict[str, Path], notes: list[str]) -> dict[str, str]:
    """Set dialogue and system of the documents whose names join both, and the texts of the dialogues beside them.

    ``texts`` are those without annotations. What is made of none of them is told, by its folder.
    """
    names = pl.Series([str(record[DOCUMENT]) for record in records], dtype=pl.String)
    ways = by_joint(names)
    told = [way for way in ways if set(way[0]) <= set(texts)]
    finer = [way for way in ways if way[0].n_unique() >= way[1].n_unique()]
    dialogues = names
    named = any(SYSTEM in record for record in records)
    if chosen := [] if named else (told or finer)[:1]:
        dialogues, systems = chosen[0]
        for record, dialogue, system in zip(records, dialogues, systems, strict=True):
            record |= {DOCUMENT: dialogue, SYSTEM: system}
        notes.append("the names of the files join dialogue and system, and were split")
    if set(dialogues) <= set(texts):
        for name in dict.fromkeys(dialogues):
            told_there = read_text(texts.pop(name)).text
            for record in records:
                record |= {DIALOGUE: told_there} if record[DOCUMENT] == name else {}
    if len(texts) < 2:  # one is a description of the others
        return {}
    such = ", ".join(one.name for one in [*texts.values()][:3])
    where = next(iter(texts.values())).parent.name
    return {
        where: f"{counted(len(texts), 'text')} without annotations ({such}) not read: name each like the dialogue "
        f"whose summaries are annotated (c1.txt, c1__bart.ann), or leave them out (--map ignore={where})"
    }


def load_webanno(path: Path) -> Table:
    """The document of a TSV file of WebAnno or INCEpTION."""
    text = read_text(path).text
    return _table([_webanno_record(text, str(path))], [str(path)], [])


def load_xmi(path: Path) -> Table:
    """The document of UIMA's XMI, as INCEpTION exports it."""
    root = parse_xml(path)
    sofa = next((one for one in root if local_name(one.tag) == "Sofa" and one.get("sofaString") is not None), None)
    if sofa is None:
        raise InputError(f"{path}: no text (Sofa) in this file; it is not XMI of UIMA")
    text = str(sofa.get("sofaString"))
    marks = []
    for one in root:
        fields = {local_name(key): value for key, value in one.attrib.items()}
        made_by_programs = _LINGUISTIC.search(one.tag)
        if made_by_programs or not {"begin", "end"} <= set(fields):
            continue
        about = {k: v for k, v in fields.items() if k not in ("id", "sofa", "begin", "end")}
        start, end = _from_utf16(text, int(fields["begin"])), _from_utf16(text, int(fields["end"]))
        marks.append(_mark(start, end, text, about, local_name(one.tag)))
    return _table([_record(path.stem, text, None, marks)], [str(path)], [])


#: Layers of a CAS that describe the language of a text, and were not marked by people.
_LINGUISTIC = re.compile(r"segmentation|lexmorph|tcas|metadata|/morph|syntax|uima/cas")


def _table(records: list[_Record], places: list[str], notes: list[str]) -> Table:
    return Table(
        pl.DataFrame(),
        lambda row: (places[min(row, len(places) - 1)], None),
        notes=tuple(notes),
        records=tuple(enumerate(records, start=1)),
    )


def _record(name: str, text: str, who: str | None, marks: list[_Mark]) -> _Record:
    return {DOCUMENT: name, TEXT: text, ANNOTATOR: who, MARKS: marks}


def _mark(start: int, end: int, text: str, about: dict[str, str], layer: str) -> _Mark:
    """A mark with its label and its severity, by the names of its features; other features become the comment."""
    named = {re.sub(r"[\W_]+", "", key).lower(): key for key in about}
    label = next((named[name.replace("_", "")] for name in _LABELS if name.replace("_", "") in named), None)
    severity = next((named[name] for name in _SEVERITIES if name in named), None)
    if label is None and len(set(about.values()) - {""}) and severity is None and len(about) == 1:
        label = next(iter(about))
    rest = [f"{key}: {value}" for key, value in about.items() if key not in (label, severity)]
    return {
        "start": start,
        "end": end,
        "text": text[start:end],
        "label": about[label] if label else layer,
        "severity": about[severity] if severity else None,
        "comment": "; ".join(rest) or None,
    }


def _brat_marks(annotations: str, text: str, file: str, skipped: Counter[str]) -> Iterator[_Mark]:
    """Marks (T) with their attributes (A, M) and notes (#); events and relations between marks are counted."""
    marks: dict[str, list[tuple[int, int]]] = {}
    labels: dict[str, str] = {}
    about: dict[str, dict[str, str]] = {}
    for number, line in enumerate(_lines(annotations), start=1):
        kind, parts = line[:1], line.split("\t")
        if not line.strip():
            continue
        try:
            if kind == "T":
                label, places = parts[1].split(" ", 1)
                marks[parts[0]] = [(int(a), int(b)) for a, b in (one.split() for one in places.split(";"))]
                labels[parts[0]] = label
            elif kind in "AM":
                name, whose, *value = parts[1].split(" ", 2)
                about.setdefault(whose, {})[name] = value[0] if value else "yes"
            elif kind == "#":
                about.setdefault(parts[1].split(" ")[1], {})["note"] = parts[2]
            else:
                skipped["relation or event" if kind in "RE*" else "other annotation"] += 1
        except (ValueError, IndexError) as error:
            raise InputError(f"{file}:{number}: not a line of brat: {line[:60]!r}") from error
    for name, fragments in marks.items():
        for start, end in fragments:
            if not 0 <= start <= end <= len(text):
                raise InputError(f"{file}: {name} is outside the text, which has {len(text)} characters")
            yield _mark(start, end, text, {"label": labels[name], **about.get(name, {})}, labels[name])


def _webanno_record(text: str, file: str) -> _Record:
    lines = _lines(text)
    layers = [line.removeprefix("#T_SP=").split("|") for line in lines if line.startswith("#T_SP=")]
    features = [(layer[0].rpartition(".")[2], name) for layer in layers for name in layer[1:] or [""]]
    sentences = [_unescaped(line.removeprefix("#Text=")) for line in lines if line.startswith("#Text=")]
    tokens = [line.split("\t") for line in lines if re.match(r"\d+-\d+(?:\.\d+)?\t", line)]
    whole = _laid_out(text, sentences)
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for token in tokens:
        start, end = (_from_utf16(whole, int(at)) for at in token[1].split("-"))
        for (layer, feature), cell in zip(features, token[3:], strict=False):
            for number, value in enumerate(cell.split("|")):
                if value in ("_", ""):
                    continue
                plain = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", value)
                assert plain is not None
                key = (layer, f"id {plain[2]}" if plain[2] else f"{token[0]} {number}")
                mark = found.setdefault(key, {"start": start, "end": end, "about": {}})
                mark["end"] = max(mark["end"], end)
                if plain[1] not in ("*", ""):
                    mark["about"][feature or "label"] = _unescaped(plain[1])
    marks = [
        _mark(one["start"], one["end"], whole, one["about"], layer)
        for (layer, _), one in found.items()
        if not _LINGUISTIC_TSV.fullmatch(layer)
    ]
    return _record(Path(file).stem, whole, None, marks)


_LINGUISTIC_TSV = re.compile(r"POS|Lemma|MorphologicalFeatures|Stem|Token|Sentence|SurfaceForm")


def _laid_out(text: str, sentences: list[str]) -> str:
    """The text of a document: its sentences, each at the place of its first token."""
    starts = [int(start) for start in re.findall(r"^\d+-1\t(\d+)-", text, re.MULTILINE)]
    whole, length = "", 0  # the length as Java counts it, like the places of the tokens
    for place, sentence in enumerate(sentences):
        gap = max(starts[place] - length, 0) if place < len(starts) else 1
        whole += "\n" * gap + sentence
        length += gap + len(sentence.encode("utf-16-le")) // 2
    return whole


#: What WebAnno writes behind a backslash, where it is not the character itself.
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "b": "\b"}


def _unescaped(text: str) -> str:
    return re.sub(r"\\([\\|\[\]_*;>tnrfb-])", lambda found: _ESCAPED.get(found[1], found[1]), text)


def _lines(text: str) -> list[str]:
    """The lines of a file; unlike those of ``splitlines``, they may hold other separators, as texts do."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def _from_utf16(text: str, place: int) -> int:
    """A place counted as Java does, where rare characters count twice, as a place of the text."""
    if text.isascii() or max(map(ord, text), default=0) < 0x10000:
        return place
    return len(text.encode("utf-16-le")[: 2 * place].decode("utf-16-le", "ignore"))
