"""Texts in files of their own beside a table: a transcript for each call, a folder of summaries for each system."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl

from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._files import read_text
from dialgauge.corpus._names import TELLING, USES, normalised
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._transcripts import load_transcripts
from dialgauge.corpus._turns import parse_turns
from dialgauge.errors import counted

#: So many files that are not read are named.
_MOST_NAMED = 5


def named_texts(files: Sequence[Path], sheets: Sequence[Sheet]) -> list[Sheet]:
    """The texts whose files are called as the rows of a table are, as tables of dialogues and of summaries.

    Of several folders with files of the same names, one holds the dialogues, in which people speak; each of the others
    holds the summaries of the system that it is called after. Files may also have a line for each dialogue.
    """
    groups: dict[Path, list[Path]] = {}
    for file in files:
        groups.setdefault(file.parent, []).append(file)
    found, groups = _line_by_line(groups, sheets)
    parted, groups = _by_two_names(groups, sheets)
    found += parted
    known = [_names_in(sheet) for sheet in sheets]
    linked = {folder: named for folder, inside in groups.items() if (named := _linked(inside, known))}
    spoken = [folder for folder, inside in linked.items() if _is_spoken(folder, inside)]
    for folder, inside in linked.items():
        if folder in spoken[:1]:
            tables = [load_transcripts(file) for file in inside]
            alone = [n for n, table in enumerate(tables) if table.frame.height == 1]
            rows = [(inside[n].stem, tables[n].frame["dialogue"][0]) for n in alone]
            inside = [inside[n] for n in alone]
            frame = pl.DataFrame(rows, schema={"dialogue_id": pl.String, "dialogue": pl.String}, orient="row")
        else:
            written = [(file.stem, folder.name, read_text(file).text.strip()) for file in inside]
            frame = pl.DataFrame(written, schema=_SUMMARIES, orient="row")
        found.append(Sheet(folder.name, frame, _places(inside)))
    return found


def name_systems(files: Sequence[Path], sheets: Sequence[Sheet]) -> bool:
    """Whether some files are called after the systems of a table, as files of outputs are."""
    systems = {cell for sheet in sheets for values in _systems_of(sheet) for cell in _cells(values)}
    return any(file.stem in systems for file in files)


def unread_texts(files: Sequence[Path], folder: Path, sheets: Sequence[Sheet]) -> tuple[dict[str, str], list[str]]:
    """What to say of files of texts that were not read: why, by name, of those that a table names; and a note.

    A table names a file of outputs by its system: then it has more or fewer lines than there are dialogues.
    """
    known = {cell for sheet in sheets for values in _columns_of(sheet) for cell in _cells(values)}
    lines = {file.relative_to(folder).as_posix(): len(read_text(file).text.strip().splitlines()) for file in files}
    named = {
        name: f"the file {name!r} ({counted(count, 'line')}) is called after what a table names and was not read: give "
        f"all files of outputs a line for each dialogue, or leave it out (--map ignore={name})"
        for name, count in lines.items()
        if Path(name).stem in known and count
    }
    others = [name for name in lines if name not in named]
    return named, [f"not read, as no table names them: {first_of(others)}"] if others else []


def first_of(names: Sequence[str]) -> str:
    """The first of some names of files, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"


def _line_by_line(
    groups: Mapping[Path, list[Path]], sheets: Sequence[Sheet]
) -> tuple[list[Sheet], dict[Path, list[Path]]]:
    """The files of a folder that have a line for each dialogue of a table, as tables of summaries; and other files.

    Each is called after the system that wrote its lines.
    """
    ids = [found for sheet in sheets if (found := _ids_of_dialogues(sheet))]
    made, rest = list[Sheet](), dict[Path, list[Path]]()
    for folder, inside in groups.items():
        lines = {file: read_text(file).text.splitlines() for file in inside}
        written = all(sum(len(line.split()) > 1 for line in own) * 2 >= len(own) for own in lines.values())
        same = [one for one in ids if written and all(len(own) == len(one) for own in lines.values())]
        if len(same) != 1 or {file.stem for file in inside} & set(same[0]) or _is_spoken(folder, inside):
            rest[folder] = inside
            continue
        rows = [(name, file.stem, line) for file, own in lines.items() for name, line in zip(same[0], own, strict=True)]
        places = [(str(file), number) for file, own in lines.items() for number in range(1, len(own) + 1)]
        made.append(Sheet(folder.name, pl.DataFrame(rows, schema=_SUMMARIES, orient="row"), places.__getitem__))
    return made, rest


def _by_two_names(
    groups: Mapping[Path, list[Path]], sheets: Sequence[Sheet]
) -> tuple[list[Sheet], dict[Path, list[Path]]]:
    """The summaries in files that are called after a dialogue and a system (``T01_alpha.txt``); and other files.

    Two columns of a table must name both in its rows.
    """
    made, rest = list[Sheet](), dict[Path, list[Path]]()
    for folder, inside in groups.items():
        found = next((names for sheet in sheets if (names := _pairs_in(sheet, inside))), None)
        if found is None or _is_spoken(folder, inside):
            rest[folder] = inside
            continue
        files = [file for file in inside if file.stem in found]
        rows = [(*found[file.stem], read_text(file).text.strip()) for file in files]
        made.append(Sheet(folder.name, pl.DataFrame(rows, schema=_SUMMARIES, orient="row"), _places(files)))
    return made, rest


def _pairs_in(sheet: Sheet, files: Sequence[Path]) -> dict[str, tuple[str, str]] | None:
    """The dialogue and the system in the name of each file, by the two columns of a sheet that have them."""
    stems = {file.stem for file in files}
    texts = {
        values.name: values.cast(pl.String, strict=False).str.strip_chars()
        for values in sheet.frame.iter_columns()
        if not values.dtype.is_nested()
    }
    ids = make_plan(sheet.frame).uses.get("dialogue_id", ())
    for other, systems in texts.items() if ids and ids[0] in texts and len(stems) > 1 else ():
        if other in ids or not 1 < systems.n_unique() < len(stems):
            continue
        pairs = [(name, system) for name, system in zip(texts[ids[0]], systems, strict=True) if name and system]
        for joint in _JOINTS:
            for order in (f"{{0}}{joint}{{1}}", f"{{1}}{joint}{{0}}"):
                named = {order.format(*pair): pair for pair in pairs}
                if stems <= set(named):
                    return named
    return None


#: What stands between the two parts of a name.
_JOINTS = ("_", "-", ".", " ", "__")


def _ids_of_dialogues(sheet: Sheet) -> list[str]:
    """The ids of a table with a row for each of at least two dialogues, in its order; none of any other table."""
    uses = make_plan(sheet.frame).uses
    if not {"dialogue", "dialogue_id"} <= set(uses) or sheet.frame.height < 2:
        return []
    ids = sheet.frame[uses["dialogue_id"][0]].cast(pl.String, strict=False)
    return ids.to_list() if not ids.null_count() and ids.is_unique().all() else []


_SUMMARIES = {"dialogue_id": pl.String, "system": pl.String, "summary": pl.String}


def _places(files: Sequence[Path]) -> Callable[[int], tuple[str, int | None]]:
    return lambda row: (str(files[row]) if row < len(files) else str(files[-1].parent), None)


def _names_in(sheet: Sheet) -> list[set[str]]:
    """The values of each column that may name dialogues."""
    systems = {values.name for values in _systems_of(sheet)}
    return [_cells(values) for values in _columns_of(sheet) if values.name not in systems]


def _systems_of(sheet: Sheet) -> list[pl.Series]:
    named = make_plan(sheet.frame).uses.get("system", ())
    return [values for values in _columns_of(sheet) if values.name in named]


def _columns_of(sheet: Sheet) -> list[pl.Series]:
    return [values for values in sheet.frame.iter_columns() if not values.dtype.is_nested()]


def _cells(values: pl.Series) -> set[str]:
    return set(values.drop_nulls().cast(pl.String, strict=False))


def _linked(files: Sequence[Path], known: Sequence[list[set[str]]]) -> list[Path]:
    """Those of the files that a column of a table names; none where it names fewer than two, or few of them."""
    for columns in known:
        for names in columns:
            named = [file for file in files if file.stem in names]
            if len(named) > 1 and len(named) * 2 >= len(files):
                return named
    return []


def _is_spoken(folder: Path, files: Sequence[Path]) -> bool:
    """Whether the texts of a folder are dialogues: several turns each, or a name that says so."""
    words = set(normalised(folder.name).removesuffix("s").split("_"))
    if words & (TELLING["dialogue"] | {"call", "chat"}) or normalised(folder.name) in USES["dialogue"]:
        return True
    shown = [parse_turns(read_text(file).text) for file in files[:5]]
    return all(sum(bool(turn.speaker) for turn in turns) > 1 for turns in shown)
