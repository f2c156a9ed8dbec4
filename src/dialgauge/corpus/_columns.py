"""What the columns of a file mean: guessed from names and values, reported, and overridden by a mapping."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from dialgauge.corpus._turns import parse_turns
from dialgauge.errors import InputError, UnknownNameError


def _names(words: str) -> tuple[str, ...]:
    return tuple(words.split())


#: What a column can be used for, with its common names (the likelier first).
USES: Mapping[str, tuple[str, ...]] = {
    "dialogue_id": _names(
        "dialogue_id dialog_id conversation_id dialogueid dialogid doc_id docid document_id fname meeting_id id"
    ),
    "dialogue": _names("dialogue dialog turns conversation transcript source document article src doc input text"),
    "system": _names("system model model_id model_name system_id system_name summarizer"),
    "summary": _names(
        "summary hyp hypothesis prediction pred predicted decoded output generated generated_summary candidate "
        "system_summary model_summary system_output model_output"
    ),
    "reference": _names(
        "reference references ref refs reference_summary ref_summary gold gold_summary golden target human_summary "
        "highlights ground_truth"
    ),
    "annotator": _names("annotator annotator_id rater rater_id worker worker_id judge evaluator coder"),
    "dimension": _names("dimension aspect criterion attribute"),
    "value": _names("value rating score label likert judgement judgment"),
    "variant": _names("variant perturbation"),
    "role": _names("role summary_role"),
    "kind": _names("kind summary_kind"),
    "sentence": _names("sentence sentence_id sent_idx sentence_index"),
    "scale": _names("scale"),
    "comment": _names("comment comments remark explanation"),
    "time": _names("time timestamp created_at submitted_at"),
    "domain": _names("domain"),
    "language": _names("language lang"),
    "meta": _names("meta metadata"),
    "provenance": _names("provenance"),
    "ratings_origin": _names("ratings_origin"),
}
#: Columns kept with the dialogue under their own name.
_META = _names("split topic title")
#: Dimensions that are recognised by name even where nobody says who rated.
_DIMENSIONS = frozenset(
    _names(
        "coherence consistency fluency relevance informativeness faithfulness factuality factual_consistency "
        "completeness conciseness readability grammaticality non_redundancy redundancy overall_quality usefulness"
    )
)
#: Numbers that count or identify something, and are not ratings even beside an annotator.
_COUNTERS = re.compile(
    r"|nr|no|num|number|index|idx|row|line|rank|unnamed.*|pos_.*|(n|num)_.*|.*_(id|idx|index|count|length)"
)
#: A mapping's value that starts with this is a constant for every row, not the name of a column.
CONSTANT = "="
#: A number as German, French and many other spreadsheets write it.
DECIMAL_COMMA = r"^\s*[+-]?\d+,\d+\s*$"
_SAID = "the mapping says so"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the file: its type, how many rows fill it, what it is used for (None: nothing) and why."""

    name: str
    type: str
    filled: int
    use: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Which column serves which use. ``columns`` has the same in the order of the file."""

    uses: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def has(self, use: str) -> bool:
        """Whether a column or a constant serves this use."""
        return use in self.uses or use in self.constants

    def named(self, prefix: str) -> dict[str, str]:
        """The columns of uses like ``dimension:coherence``, by what stands after the colon."""
        return {use.partition(":")[2]: columns[0] for use, columns in self.uses.items() if use.startswith(f"{prefix}:")}


def parse_mapping(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """A mapping from ``use=column`` strings as on the command line; ``reference`` may be given several times."""
    mapping: dict[str, tuple[str, ...]] = {}
    for pair in pairs:
        use, equals, column = pair.partition("=")
        if not equals or not use.strip() or not column:
            raise InputError(f"mapping {pair!r}: write USE=COLUMN, as in summary=hyp, or USE==TEXT for a constant")
        mapping[use.strip()] = (*mapping.get(use.strip(), ()), column)
    return mapping


def make_plan(frame: pl.DataFrame, mapping: Mapping[str, str | Sequence[str]] | None = None) -> Plan:
    """Decide what each column is used for: what the mapping says first, then names, then values."""
    said, constants = _check_mapping(frame, mapping or {})
    types = {name: column_type(frame[name]) for name in frame.columns}
    chosen = {column: (use, _SAID) for use, columns in said.items() for column in columns}
    taken = set(said) | set(constants)
    why_not: dict[str, str] = {}
    _guess_by_name(frame.columns, chosen, taken, why_not)
    _guess_ratings(frame, types, chosen, taken)
    _guess_dialogue(frame, types, chosen, taken)
    notes = _settle_summaries(chosen, taken)
    uses: dict[str, tuple[str, ...]] = {}
    columns = []
    for name in frame.columns:
        use, why = chosen.get(name, (None, why_not.get(name, "the name is not known")))
        if use is not None:
            uses[use] = (*uses.get(use, ()), name)
        columns.append(Column(name, types[name], frame.height - frame[name].null_count(), use, why))
    unused = [column.name for column in columns if column.use is None and column.filled]
    if unused:
        notes.append(f"columns not used: {', '.join(unused)}")
    return Plan(uses, constants, tuple(columns), tuple(notes))


def _check_mapping(
    frame: pl.DataFrame, mapping: Mapping[str, str | Sequence[str]]
) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    said: dict[str, tuple[str, ...]] = {}
    constants: dict[str, str] = {}
    for use, given in mapping.items():
        if use not in USES and not re.match(r"(dimension|meta):.", use):
            raise UnknownNameError("use in the mapping", use, USES, "or dimension:NAME, meta:NAME")
        columns = (given,) if isinstance(given, str) else tuple(given)
        if len(columns) > 1 and use != "reference":
            raise InputError(f"mapping: {use!r} was given {len(columns)} columns; only 'reference' takes several")
        if columns[0].startswith(CONSTANT):
            if use not in USES or use == "reference":
                raise InputError(f"mapping: {use!r} needs a column; a constant is not allowed there")
            constants[use] = columns[0].removeprefix(CONSTANT)
            continue
        for column in columns:
            if column not in frame.columns:
                raise UnknownNameError("column in the mapping", column, frame.columns)
        said[use] = columns
    mapped = [column for columns in said.values() for column in columns]
    twice = next((column for column in mapped if mapped.count(column) > 1), None)
    if twice is not None:
        raise InputError(f"mapping: the column {twice!r} is given two uses")
    return said, constants


def column_type(values: pl.Series) -> str:
    """``number``, ``text``, ``yes/no``, ``time`` or ``empty``: what the values of a column are."""
    if values.null_count() == len(values):
        return "empty"
    if values.dtype == pl.Boolean:
        return "yes/no"
    if values.dtype.is_numeric():
        return "number"
    if values.dtype.is_temporal():
        return "time"
    shown = values.drop_nulls().head(1000).cast(pl.String).str.strip_chars()
    shown = shown.filter(shown != "")
    if not len(shown):
        return "empty"
    # A column of numbers may hold a few typing errors, or commas for points: these are then reported, and do not turn
    # it into text.
    numeric = (shown.cast(pl.Float64, strict=False).is_not_null() | shown.str.contains(DECIMAL_COMMA)).mean()
    return "number" if isinstance(numeric, float) and numeric >= 0.5 else "text"


def normalised(name: str) -> str:
    """A column name for comparison: lower case, words joined by underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")


def _guess_by_name(
    columns: Sequence[str], chosen: dict[str, tuple[str, str]], taken: set[str], why_not: dict[str, str]
) -> None:
    free = {column: normalised(column) for column in columns if column not in chosen}
    for use, names in USES.items():
        matches = sorted((names.index(name), column) for column, name in free.items() if name in names)
        for _, column in matches:
            if column in chosen:
                continue
            if use in taken:
                why_not[column] = f"could be {use}, but that is taken"
                continue
            chosen[column] = (use, f"columns named {column!r} usually are")
            why_not.pop(column, None)
            taken.add(use)
    for column, name in free.items():
        if (
            name == "text"
            and chosen.get(column, ("",))[0] == "dialogue"
            and "system" in taken
            and "summary" not in taken
        ):
            chosen[column] = ("summary", "a text beside a system")
            taken.symmetric_difference_update({"dialogue", "summary"})
    numbered = [column for column, name in free.items() if re.fullmatch(r"(reference|ref|summary)_?\d+", name)]
    if "reference" not in taken and len(numbered) > 1:
        for column in numbered:
            chosen[column] = ("reference", "one of several numbered columns")
        taken.add("reference")
    for column, name in free.items():
        if name in _META and column not in chosen:
            chosen[column] = (f"meta:{name}", "kept with the dialogue")


def _guess_ratings(
    frame: pl.DataFrame, types: Mapping[str, str], chosen: dict[str, tuple[str, str]], taken: set[str]
) -> None:
    long = {"dimension", "value"} <= taken
    rater = next((column for column, (use, _) in chosen.items() if use == "annotator"), None)
    rated = frame if rater is None else frame.filter(pl.col(rater).is_not_null())
    for column in frame.columns:
        use = chosen.get(column, ("", ""))[0]
        # A column called 'score' is a value only where another one says of which dimension.
        lone_value = use == "value" and "dimension" not in taken and chosen[column][1] != _SAID
        if column in chosen and not lone_value:
            continue
        known = normalised(column) in _DIMENSIONS
        # A column that few rows fill is more often a typing error than a dimension.
        filled = rated[column].null_count() * 2 <= rated.height and not _COUNTERS.fullmatch(normalised(column))
        beside = "annotator" in taken and not long and filled
        if types[column] != "number" or not (known or beside):
            if lone_value:
                del chosen[column]
            continue
        why = "a dimension by its name" if known else "numbers beside an annotator"
        chosen[column] = (f"dimension:{normalised(column) if known else column}", why)


def _guess_dialogue(
    frame: pl.DataFrame, types: Mapping[str, str], chosen: dict[str, tuple[str, str]], taken: set[str]
) -> None:
    if "dialogue" in taken:
        return
    for column in frame.columns:
        if column in chosen or types[column] != "text":
            continue
        shown = frame[column].drop_nulls().head(20).cast(pl.String).to_list()
        speaking = sum(sum(bool(turn.speaker) for turn in parse_turns(text)) >= 2 for text in shown)
        if speaking and speaking * 2 >= len(shown):
            chosen[column] = ("dialogue", "its values look like turns of speakers")
            taken.add("dialogue")
            return


def _settle_summaries(chosen: dict[str, tuple[str, str]], taken: set[str]) -> list[str]:
    """Summaries without a system are references where nothing else could be, as in SAMSum."""
    if "summary" not in taken or "system" in taken:
        return []
    rated = "annotator" in taken or any(use.startswith("dimension:") for use, _ in chosen.values())
    said = ("summary", _SAID) in chosen.values()
    if "reference" in taken or rated or said:
        return ["no column says which system wrote the summaries; all are assigned to the system 'system'"]
    for column, (use, _) in chosen.items():
        if use == "summary":
            chosen[column] = ("reference", "no column names a system, so these are read as references")
    return ["no column names a system: the summaries are read as references; map system==NAME if a system wrote them"]
