"""Databases in normal form: tables that name the rows of others, turns in a table of their own, rows taken back."""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import polars as pl

from dialgauge.corpus._linked import names_row
from dialgauge.corpus._names import USES, is_dimension, is_person, normalised
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Sheet
from dialgauge.corpus._turns import AUTHORS, SPEAKERS, TEXTS, turn_to_json
from dialgauge.corpus._types import Turn
from dialgauge.errors import counted

#: Columns by which people and systems are called, and those of dialogues, the best first.
_CALLED = ("name", "label", "nick", "nickname", "display_name", "full_name", "username", "user_name", "login", "title")
_REFERRED = ("ref", "reference", "ext_id", "external_id", "code", "key", "uuid", "number")
#: Words for what was written by somebody to be compared with.
_BY_PEOPLE = frozenset(["human", "reference", "gold", "golden", "manual", "expert"])
#: Columns that put turns into their order.
_ORDER = ("seq", "sequence", "pos", "position", "turn", "turn_no", "idx", "index", "number", "nr", "no", "order", "ts")
#: Columns that are filled, or true, where somebody has taken a row back.
WITHDRAWN = frozenset(
    f"{state}{end}" for state in ("deleted", "withdrawn", "removed", "revoked") for end in ("", "_at", "_on", "_time")
) | {"is_deleted", "is_withdrawn", "is_removed", "soft_deleted"}
UNSET = frozenset(["", "0", "0.0", "false", "f", "no", "n"])
_LONGEST_NAME = 60


@dataclass(slots=True)
class NormalForm:
    """The tables of a database as sheets that name everything themselves.

    ``dropped`` counts the judgements that people took back; ``used`` are the tables that were put into others.
    """

    sheets: list[Sheet]
    used: frozenset[str] = frozenset()
    notes: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Link:
    """``column`` of the table ``source`` has the values of ``key`` of the table ``target``."""

    source: str
    column: str
    target: str
    key: str

    @property
    def thing(self) -> str:
        """What the rows of the target are to those of the source: ``rater`` of ``rater_id``."""
        name = normalised(self.column)
        return name.rpartition("_")[0] or name


@dataclass(frozen=True, slots=True)
class _Roles:
    """The tables of judgements, and those of summaries, dialogues and turns."""

    judging: tuple[str, ...]
    summaries: str
    dialogues: str
    turns: str


class _Form:
    """The tables, what they name of each other, and what was found out about each."""

    def __init__(self, tables: Mapping[str, Sheet], links: Sequence[_Link], roles: _Roles) -> None:
        self.tables, self.links, self.roles = tables, links, roles
        self.notes: list[str] = []
        self.dropped: dict[str, int] = {}
        keys = {link.target: link.key for link in links}
        self.names = {name: self._names(name, key) for name, key in keys.items() if name != roles.summaries}

    def _names(self, table: str, key: str) -> dict[str, str]:
        """What the rows of a table are called, by their keys."""
        frame = self.tables[table].frame
        wanted = _REFERRED if table == self.roles.dialogues else _CALLED
        known = {normalised(column): column for column in frame.columns if _names_each(frame[column])}
        column = next((known[name] for name in wanted if name in known), key)
        return dict(zip(_texts(frame, key), _texts(frame, column), strict=True))

    def of(self, source: str) -> list[_Link]:
        """What a table names of others."""
        return [link for link in self.links if link.source == source]

    def dialogues(self) -> Sheet:
        """The dialogues with what was said, turn after turn."""
        roles = self.roles
        sheet, names = self.tables[roles.dialogues], self.names[roles.dialogues]
        key = next(link.key for link in self.links if link.target == roles.dialogues)
        said = self._said()
        keys = _texts(sheet.frame, key)
        rest = [c for c in sheet.frame.columns if c != key and not _is_in(sheet.frame[c], set(names.values()))]
        frame = sheet.frame.select(
            pl.Series("dialogue_id", [names[one] for one in keys]),
            pl.Series("dialogue", [said.get(one) for one in keys], pl.String),
            *(c for c in rest if c not in ("dialogue_id", "dialogue")),
        )
        return replace(sheet, frame=frame)

    def _said(self) -> dict[str, str]:
        """The turns of each dialogue as JSON, in their order, by its key."""
        frame = self.tables[self.roles.turns].frame
        link = next(one for one in self.of(self.roles.turns) if one.target == self.roles.dialogues)
        known = {normalised(column): column for column in frame.columns}
        order = next((known[name] for name in _ORDER if name in known), None)
        if order is not None:
            frame = frame.sort(pl.col(order).cast(pl.Float64, strict=False), maintain_order=True)
        speaker, text = _columns_of_turns(frame)
        turns: dict[str, list[dict[str, str]]] = {}
        for whose, who, said in zip(_texts(frame, link.column), frame[speaker], frame[text], strict=True):
            turns.setdefault(whose, []).append(turn_to_json(Turn(str(who or ""), str(said or ""))))
        return {whose: json.dumps(listed, ensure_ascii=False) for whose, listed in turns.items()}

    def summaries(self) -> pl.DataFrame:
        """The summaries with their keys, under our names where these are known."""
        roles = self.roles
        frame = self.tables[roles.summaries].frame
        columns = [pl.Series(_KEY, _texts(frame, self._key_of_summaries()))]
        for link in self.of(roles.summaries):
            names = self.names.get(link.target, {})
            use = "dialogue_id" if link.target == roles.dialogues else _use_of(link)
            use = link.column if use in {one.name for one in columns} else use
            columns.append(pl.Series(use, [names.get(one) for one in _texts(frame, link.column)], pl.String))
        text = next(column for column in frame.columns if _holds_texts(frame[column]))
        taken = {text, self._key_of_summaries(), *(link.column for link in self.of(roles.summaries))}
        rest = [c for c in frame.columns if c not in taken and not set(normalised(c).split("_")) & _TIMES]
        signed = [column for column in rest if normalised(column) in USES["system"]]
        if len(signed) == 1 and "system" not in {one.name for one in columns}:
            rest = [column for column in rest if column not in signed]
            columns.append(frame[signed[0]].cast(pl.String).alias("system"))
        return frame.select(*columns, pl.col(text).alias("summary"), *(c for c in rest if c != "summary"))

    def _key_of_summaries(self) -> str:
        return next(link.key for link in self.links if link.target == self.roles.summaries)

    def judgements(self, name: str, summaries: pl.DataFrame) -> Sheet:
        """A table of judgements with the names of what was judged, by whom, and on what."""
        sheet = self._without_withdrawn(self.tables[name])
        frame = sheet.frame
        own = next(link for link in self.of(name) if link.target == self.roles.summaries)
        about = summaries.select(_KEY, *(use for use in ("dialogue_id", "system") if use in summaries.columns))
        made = pl.DataFrame({_KEY: _texts(frame, own.column)}).join(about, on=_KEY, how="left", maintain_order="left")
        columns = [made[column] for column in made.columns if column != _KEY]
        for link in (one for one in self.of(name) if one is not own):
            called = [self.names.get(link.target, {}).get(one) for one in _texts(frame, link.column)]
            made_already = {one.name for one in columns}
            use = next(use for use in (_use_of(link), link.thing, link.column) if use not in made_already)
            columns += [pl.Series(use, called, pl.String), *self._scale(link, frame, made_already)]
        taken = {link.column for link in self.of(name)} | {c for c in frame.columns if normalised(c) == "id"}
        rest = [c for c in frame.columns if c not in taken and c not in {one.name for one in columns}]
        rest = [c for c in rest if not self._is_of_empty(frame, c)]
        given = [column for column in rest if normalised(column) in _GIVEN]
        names = {"dimension", "value"} & {*(one.name for one in columns), *map(normalised, rest)}
        if len(given) == 1 and not names:  # "thumb" is asked and answered in one column
            rest = [column for column in rest if column not in given]
            columns += [pl.Series("dimension", given * frame.height, pl.String), frame[given[0]].alias("value")]
        return replace(sheet, frame=pl.DataFrame([*columns, *(frame[c] for c in rest)]))

    def _without_withdrawn(self, sheet: Sheet) -> Sheet:
        """The rows that nobody took back; the others are counted."""
        columns = [column for column in sheet.frame.columns if normalised(column) in WITHDRAWN]
        if not columns:
            return sheet
        back = [
            any(str(cell or "").strip().lower() not in UNSET for cell in row) for row in sheet.frame[columns].rows()
        ]
        kept = [row for row, gone in enumerate(back) if not gone]
        if sum(back):
            listed = " or ".join(map(repr, columns))
            judged = sheet.frame.filter(pl.Series(back)).select(c for c in sheet.frame.columns if _is_answer(c))
            self.dropped[f"taken back, as {listed} says"] = int(judged.count().sum_horizontal().item())
            self.notes.append(f"{counted(sum(back), 'row')} of {sheet.name!r} taken back ({listed}) and left out")
        place = sheet.place
        return replace(sheet, frame=sheet.frame[kept].drop(columns), place=lambda row: place(kept[row]))

    def _scale(self, link: _Link, frame: pl.DataFrame, known_columns: Set[str]) -> list[pl.Series]:
        """The scale of each criterion, where its table has the lowest and the highest point."""
        known = {normalised(column): column for column in self.tables[link.target].frame.columns}
        low = next((column for name, column in known.items() if name.split("_")[0] in ("min", "minimum")), None)
        high = next((column for name, column in known.items() if name.split("_")[0] in ("max", "maximum")), None)
        if low is None or high is None or _use_of(link) != "dimension" or "scale" in known_columns:
            return []
        target = self.tables[link.target].frame
        rows = zip(_texts(target, link.key), _texts(target, low), _texts(target, high), strict=True)
        scales = {key: f"{first}-{last}" for key, first, last in rows}
        return [pl.Series("scale", [scales.get(one) for one in _texts(frame, link.column)], pl.String)]

    def _is_of_empty(self, frame: pl.DataFrame, column: str) -> bool:
        """Whether a column only says again which rows have no answer: ``skipped`` is 1 where ``score`` is empty."""
        said = [str(cell or "").strip().lower() not in UNSET for cell in frame[column]]
        values = [c for c in frame.columns if c != column and normalised(c) in USES["value"]]
        return any(said) and any(said == frame[c].is_null().to_list() for c in values)

    def with_kinds(self, summaries: pl.DataFrame, judged: Sequence[Sheet]) -> pl.DataFrame:
        """The summaries with their kind, where a table of systems says that people wrote those that nobody judged."""
        link = next((one for one in self.of(self.roles.summaries) if _use_of(one) == "system"), None)
        if link is None or not all("system" in sheet.frame.columns for sheet in judged):
            return summaries
        target = self.tables[link.target].frame
        rated = {name for sheet in judged for name in sheet.frame["system"].drop_nulls()}
        names = [self.names[link.target][key] for key in _texts(target, link.key)]
        for column in target.columns:
            said = dict(zip(names, _texts(target, column), strict=True))
            others = {name for name in names if name not in rated and said[name].lower() in _BY_PEOPLE}
            if others and not {said[name] for name in rated} & {said[name] for name in others}:
                self.notes.append(f"{', '.join(map(repr, sorted(others)))}: references, as {column!r} says")
                kind = pl.when(pl.col("system").is_in(sorted(others))).then(pl.lit("reference"))
                return summaries.with_columns(kind.otherwise(pl.lit("system")).alias("kind"))
        return summaries


def in_words(sheets: Sequence[Sheet]) -> NormalForm | None:
    """The dialogues, summaries and judgements of a database, each row with the names of what it is about.

    None where no table of judgements names the rows of one of summaries, which names the dialogues of others' turns.
    """
    tables = {sheet.name: sheet for sheet in sheets if sheet.frame.height}
    links = [link for sheet in tables.values() for link in _links(sheet, tables)]
    roles = _roles(tables, links)
    if roles is None:
        return None
    form = _Form(tables, links, roles)
    texts = form.summaries()
    judged = [form.judgements(name, texts) for name in roles.judging]
    texts = form.with_kinds(texts, judged)
    made = [form.dialogues(), replace(tables[roles.summaries], frame=texts.drop(_KEY)), *judged]
    ours = {roles.summaries, roles.dialogues, roles.turns, *roles.judging}
    used = ours | {link.target for name in ours for link in form.of(name)}
    form.notes.insert(
        0,
        f"tables that name each other's rows: {roles.dialogues!r} with their turns in {roles.turns!r}, "
        f"{roles.summaries!r}, and judgements in {', '.join(map(repr, roles.judging))}",
    )
    return NormalForm(made, frozenset(used), form.notes, form.dropped)


#: The keys of summaries.
_KEY = "@summary"
_TIMES = frozenset(["created", "updated", "time", "date", "at"])


def _links(source: Sheet, tables: Mapping[str, Sheet]) -> list[_Link]:
    found = []
    for column in (one for one in source.frame.columns if normalised(one).endswith("_id")):
        own = set(_texts(source.frame, column)) - {""}
        targets = [
            _Link(source.name, column, target.name, key)
            for target in tables.values()
            if target is not source
            for key in target.frame.columns
            if names_row(column, key, target.name)
            if own and own <= set(_texts(target.frame, key)) and target.frame[key].is_unique().all()
        ]
        found += targets[:1]
    return found


def _roles(tables: Mapping[str, Sheet], links: Sequence[_Link]) -> _Roles | None:
    named = {(link.source, link.target) for link in links}
    targets = {target for _, target in named}
    for summaries, dialogues in sorted(named):
        judging = tuple(name for name in tables if (name, summaries) in named and _has_answers(tables[name].frame))
        turns = [
            name
            for name in tables
            if (name, dialogues) in named and name not in (summaries, *judging) and name not in targets
            if _columns_of_turns(tables[name].frame) != ("", "")
            and tables[name].frame.height > tables[dialogues].frame.height
        ]
        texts = any(_holds_texts(tables[summaries].frame[c]) for c in tables[summaries].frame.columns)
        if judging and len(turns) == 1 and texts:
            return _Roles(judging, summaries, dialogues, turns[0])
    return None


def _columns_of_turns(frame: pl.DataFrame) -> tuple[str, str]:
    """The columns of who spoke and of what was said; empty where a table has not both."""
    names = {normalised(column): column for column in frame.columns}
    speaker = next((names[name] for name in map(normalised, (*SPEAKERS, *AUTHORS, "role")) if name in names), None)
    text = next((names[name] for name in TEXTS if name in names and _holds_texts(frame[names[name]])), None)
    return (speaker, text) if speaker is not None and text is not None else ("", "")


def _has_answers(frame: pl.DataFrame) -> bool:
    """Whether a column is called like values, or like a dimension."""
    return any(map(_is_answer, frame.columns))


def _is_answer(column: str) -> bool:
    return normalised(column) in {*USES["value"], *_GIVEN} or is_dimension(normalised(column))


#: What people give in tables of feedback.
_GIVEN = frozenset(["thumb", "thumbs", "vote", "votes", "stars", "helpful", "liked"])


def _use_of(link: _Link) -> str:
    """What the named rows are to us: who judged, on what, or which system wrote."""
    thing = link.thing
    if is_person(thing) or is_person(normalised(link.column)):
        return "annotator"
    return next((use for use in ("dimension", "system") if thing in USES[use]), thing)


def _names_each(values: pl.Series) -> bool:
    """Whether the cells of a column are short and different in all rows."""
    texts = values.cast(pl.String, strict=False)
    short = texts.null_count() == 0 and bool((texts.str.len_chars() <= _LONGEST_NAME).all())
    return short and texts.n_unique() == len(texts)


def _holds_texts(values: pl.Series) -> bool:
    """Whether most cells are texts of several words."""
    texts = values.drop_nulls().cast(pl.String, strict=False)
    return bool(len(texts)) and int(texts.str.contains(r"\S\s+\S+\s+\S").sum()) * 2 > len(texts)


def _is_in(values: pl.Series, names: Set[str]) -> bool:
    return set(values.drop_nulls().cast(pl.String, strict=False)) <= names


def _texts(frame: pl.DataFrame, column: str) -> list[str]:
    """The cells as texts: 1 of one table is 1.0 of another."""
    return [(cell or "").strip() for cell in frame.select(as_text(column, frame)).to_series()]
