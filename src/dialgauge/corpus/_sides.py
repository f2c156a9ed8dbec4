"""What tables of comparisons have in common: the columns of each option, and rows without the judgements."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from dialgauge.corpus._column_types import answers
from dialgauge.corpus._columns import make_plan
from dialgauge.corpus._mapping import Mapped
from dialgauge.corpus._names import heading, is_housekeeping, normalised, says_how_sure
from dialgauge.corpus._plan import Plan
from dialgauge.corpus._rows import as_text
from dialgauge.corpus._table import Table
from dialgauge.corpus._values import MOSTLY, is_answer
from dialgauge.corpus._wide_headings import with_accents
from dialgauge.corpus.layouts._base import ROW, hash_id

Options = Mapping[str, Mapping[str, str]]
_SYSTEM = (
    "system|sys|model|summarizer|candidate|option|opt|name|engine|vendor|bot|llm|policy|sistema|modelo|modello|modell|"
    "systeme|modele|nombre|nom|variante|variant|version|versione|versao|entwurf|fassung"
)
_TEXT = (
    "summary|output|response|text|hypothesis|candidate|answer|option|item|zusammenfassung|kurzfassung|antwort|resumen|"
    "sintesis|respuesta|texto|opcion|resumo|resposta|resume|synthese|reponse|texte|riassunto|sintesi|samenvatting"
)
_SIDE = r"[a-h]|\d{1,2}|left|right|first|second|links|rechts|izquierd[ao]|derech[ao]|izq|der|gauche|droite"
_USES = ("dialogue_id", "dialogue", "annotator", "dimension", "time", "comment", "role", "variant", "system")


def _find_options(names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The columns of each option by its side: ``{"a": {"system": "system_a", "summary": "summary_a"}}``."""
    found: dict[str, dict[str, str]] = {}
    # What is plainly a name of a system comes first: an option beside it is its text.
    for column, name in sorted(names.items(), key=lambda one: not one[1].startswith(("sys", "model", "sistema"))):
        for use, stems in (("system", _SYSTEM), ("summary", _TEXT)):
            at = re.fullmatch(rf"(?:{stems})_?({_SIDE})(?:_(?:text|name))?|({_SIDE})_(?:{stems})", name)
            if use == "system":
                at = re.fullmatch(rf"(?:{_TEXT})_?({_SIDE})_({stems})", name) or at
            if at and use not in found.get(side := at[1] or at[2], {}):
                found.setdefault(side, {})[use] = column
                break
    whole = {side: uses for side, uses in found.items() if "system" in uses or "summary" in uses}
    shapes = {frozenset(uses) for uses in whole.values()}
    return whole if len(shapes) == 1 else {side: uses for side, uses in whole.items() if "summary" in uses}


def options_of(frame: pl.DataFrame, names: Mapping[str, str]) -> Options:
    """The columns of each option of a table, whose columns have these names, by its side."""
    return _with_names_of_systems(_with_bare_texts(_find_options(names), frame, names), frame)


def _with_bare_texts(options: dict[str, dict[str, str]], frame: pl.DataFrame, names: Mapping[str, str]) -> Options:
    """The options with their texts, or their systems, in columns that are called like the sides (``left``)."""
    if any("summary" in uses for uses in options.values()):
        return options
    named = {name: column for column, name in names.items() if name in _WORDS}
    bare = {name: column for name, column in named.items() if _are_texts(frame[column])}
    sides = list(options) or list(bare)
    if sides in _PAIRS and list(bare) == sides:
        return {side: {**options.get(side, {}), "summary": bare[side]} for side in sides}
    if not options and list(named) in _PAIRS and _are_systems(frame, list(named.values()), plain=True):
        return {side: {"system": column} for side, column in named.items()}
    return options


def _with_names_of_systems(options: Options, frame: pl.DataFrame) -> Options:
    """The options, where what could be their texts are names that recur: those of systems."""
    columns = [uses["summary"] for uses in options.values() if set(uses) == {"summary"}]
    if len(columns) < len(options) or len(columns) < _FEWEST_OPTIONS or not _are_systems(frame, columns):
        return options
    return {side: {"system": uses["summary"]} for side, uses in options.items()}


def _are_systems(frame: pl.DataFrame, columns: Sequence[str], plain: bool = False) -> bool:
    """Whether columns hold a few names that recur; ``plain`` ones are no answers."""
    cells = pl.concat([frame[column].drop_nulls().cast(pl.String).str.strip_chars() for column in columns])
    names = cells.unique()
    short = bool(len(names)) and bool((names.str.len_chars() <= _LONGEST_NAME).all())
    several = all(frame[column].n_unique() > 1 for column in columns)  # or each side is one system throughout
    few = len(names) <= _MOST_SYSTEMS and len(cells) >= 4 * len(names)
    return short and several and few and not _are_texts(cells) and not (plain and any(map(is_answer, names)))


_FEWEST_OPTIONS, _MOST_SYSTEMS, _LONGEST_NAME = 2, 30, 60


def _are_texts(values: pl.Series) -> bool:
    shown = values.drop_nulls().head(200).cast(pl.String)
    return bool(len(shown)) and int(shown.str.contains(r"\S\s+\S+\s+\S").sum()) * 2 > len(shown)


_PAIRS = (
    *(["left", "right"], ["first", "second"], ["a", "b"], ["links", "rechts"], ["gauche", "droite"]),
    *(["izquierda", "derecha"], ["izquierdo", "derecho"]),
)
_WORDS = frozenset(side for pair in _PAIRS for side in pair)


def columns_of(options: Options) -> list[str]:
    """All columns of the options."""
    return [column for uses in options.values() for column in uses.values()]


def taken_out(table: Table, mapping: Mapped, columns: Sequence[str]) -> tuple[pl.DataFrame, Plan]:
    """The frame under our own names without these columns, each row with its number and the id of its dialogue."""
    rest = table.frame.drop(columns)
    plan = make_plan(rest, mapping, table.known, judged=True)
    uses = {use: names[0] for use, names in plan.uses.items() if use in _USES}
    named = [
        as_text(uses[use], rest).alias(f"@{use}")
        if use in uses
        else pl.lit(plan.constants.get(use), pl.String).alias(f"@{use}")
        for use in _USES
    ]
    keyed = rest.with_row_index(ROW).with_columns(pl.col(ROW).cast(pl.Int64), *named)
    if "dialogue_id" not in uses and "dialogue_id" not in plan.constants:
        hashes = {text: hash_id(text) for text in keyed["@dialogue"].drop_nulls().unique()}
        hashed = pl.col("@dialogue").replace_strict(hashes, default=None, return_dtype=pl.String)
        keyed = keyed.with_columns(pl.coalesce(hashed, pl.format("row-{}", pl.col(ROW) + 1)).alias("@dialogue_id"))
    return keyed, plan


def with_annotators(keyed: pl.DataFrame) -> pl.DataFrame:
    """The rows with the annotator ``1`` where none is named."""
    return keyed.with_columns(pl.col("@annotator").fill_null("1"))


def unmade(plan: Plan) -> list[str]:
    """The columns of the rest that are about judgements, which go into their own table."""
    return [column for use in ("annotator", "dimension", "time", "comment") for column in plan.uses.get(use, ())]


def certainties(table: Table, mapping: Mapped) -> list[str]:
    """The columns that say how sure somebody was, unless the user says what they are."""
    said = {name for given in mapping.values() for name in ([given] if isinstance(given, str) else given)}
    asked = {column: normalised(heading(column)[0]) for column in table.frame.columns if column not in said}
    return [column for column, name in asked.items() if says_how_sure(name)]


def without_certainties(made: Table, unsure: Sequence[str], what: str) -> Table:
    """The table, which says that these columns were left out."""
    if not unsure:
        return made
    listed = ", ".join(map(repr, unsure))
    note = f"{listed}: how sure people were of their {what}, which is no rating of a summary, and is left out"
    return replace(made, settled=made.settled | set(unsure), notes=(*made.notes, note))


def has_ratings(plan: Plan) -> bool:
    """Whether ratings stand beside the judgements of another kind."""
    return bool(plan.named("dimension")) or plan.has("value")


def rows_without(table: Table, keyed: pl.DataFrame, plan: Plan) -> Table:
    """The rows of the rest, each once: with who judged where there are ratings too."""
    left = set() if has_ratings(plan) else set(unmade(plan))
    rest = [c for c in keyed.columns if not c.startswith("@") and c != ROW and c not in left]
    rows = table.frame.with_row_index("_origin").select("_origin", *rest)
    rows = rows.filter(pl.struct(rest).is_first_distinct())
    origin, place, height = rows["_origin"].to_list(), table.place, rows.height
    return replace(
        table,
        frame=rows.drop("_origin"),
        # Rows after those of the frame are those of the file, for the judgements taken out of them.
        place=lambda row: place(origin[row]) if row < height else place(row - height),
    )


def option_rows(table: Table, keyed: pl.DataFrame, plan: Plan, options: Options) -> Table:
    """A row per option with its summary, and with the ratings of that option where each has some."""
    own = [c for c in keyed.columns if not c.startswith("@") and c != ROW]
    rated = _rated(table.frame, own, list(options))
    of_judges = [] if rated else unmade(plan)
    taken = {*(column for columns in rated.values() for column in columns.values()), *of_judges}
    named = any(use == "dialogue_id" for use in plan.uses)
    whole = table.frame.with_row_index("_origin").with_columns(keyed["@dialogue_id"])
    written = {use: plan.uses[use][0] for use in ("system", "summary") if plan.uses.get(use)}
    plain = whole.filter(~pl.any_horizontal(pl.col(columns_of(options)).is_not_null()))
    plain = plain if len(written) == len(("system", "summary")) else plain.clear()
    gone = {*taken, "system", "summary", *(written.values() if plain.height else ())}
    rest = [column for column in own if column not in gone]
    whole = whole.filter(~pl.col("_origin").is_in(plain["_origin"].implode()))
    parts = []
    for side, uses in options.items():
        system = pl.col(uses["system"]).cast(pl.String) if "system" in uses else pl.lit(side)
        text = pl.col(uses["summary"]).cast(pl.String) if "summary" in uses else pl.lit(None, pl.String)
        made = [] if named else [pl.col("@dialogue_id").alias("dialogue_id")]
        scored = [pl.col(columns[side]).alias(dimension) for dimension, columns in rated.items()]
        parts.append(whole.select("_origin", *made, *rest, system.alias("system"), text.alias("summary"), *scored))
    if plain.height:  # rows of summaries, as another file or sheet has them
        made = [] if named else [pl.col("@dialogue_id").alias("dialogue_id")]
        texts = [pl.col(column).cast(pl.String).alias(use) for use, column in written.items()]
        empty = [pl.lit(None, parts[0].schema[dimension]).alias(dimension) for dimension in rated]
        judges = [column for column in of_judges if has_ratings(plan)]  # rated there, and only compared elsewhere
        parts.append(plain.select("_origin", *made, *rest, *texts, *empty, *judges))
    rows = pl.concat(parts, how="diagonal_relaxed").sort("_origin", maintain_order=True)
    rows = rows.filter(pl.struct(pl.exclude("_origin")).is_first_distinct())
    origin, place, height = rows["_origin"].to_list(), table.place, rows.height
    known = {"system": "system", "summary": "summary", **({} if named else {"dialogue_id": "dialogue_id"})}
    return replace(
        table,
        frame=rows.drop("_origin"),
        place=lambda row: place(origin[row]) if row < height else place(row - height),
        known={**table.known, **known},
        notes=table.notes,
    )


def _rated(frame: pl.DataFrame, columns: Sequence[str], sides: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns of ratings that each option has, by dimension: ``{"Coherence": {"a": "Coherence A", "b": …}}``."""
    found: dict[str, dict[str, str]] = {}
    for column in columns:
        name = normalised(heading(column)[0])
        side = next((one for one in sides if name.endswith(f"_{one}") or name.startswith(f"{one}_")), None)
        if side is None:
            continue
        stem = name.removesuffix(f"_{side}").removeprefix(f"{side}_")
        reading = answers(frame[column])
        if not is_housekeeping(stem) and reading.share >= MOSTLY and reading.kind in ("number", "yes/no", "ordered"):
            found.setdefault(with_accents(column, stem), {})[side] = column
    return {stem: of for stem, of in found.items() if len(of) == len(sides)}
