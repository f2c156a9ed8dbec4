"""Guesses what columns mean, from their names and their values."""

import re
from collections.abc import Iterable, Mapping

import polars as pl

from dialgauge.corpus._column_types import COUNT, answers, column_type
from dialgauge.corpus._ids import choose_id
from dialgauge.corpus._mapping import IGNORE
from dialgauge.corpus._names import (
    META,
    OF_EACH_PERSON,
    QUESTIONS,
    STATEMENTS,
    TELLING,
    USES,
    WEAK_PEOPLE,
    heading,
    is_dimension,
    is_housekeeping,
    is_id,
    is_other_id,
    is_person,
    normalised,
)
from dialgauge.corpus._plan import Column, Plan
from dialgauge.corpus._turns import parse_turns
from dialgauge.corpus._values import MOSTLY, Reading, in_words
from dialgauge.language import UNSPACED

SAID = "the mapping says so"
#: More different values than this are points of a slider or a measurement.
MOST_POINTS = 20
_LONGEST_NAME = 80
_MOST_STATEMENTS = 30
#: One word with a digit. A sentence without spaces is none, in scripts that have none.
_NAME_OF_A_CALL = rf"^[^\s{UNSPACED}]{{0,40}}\d[^\s{UNSPACED}]{{0,40}}$"
#: Three words, a list, or as much in a script without spaces.
_SEVERAL_WORDS = rf"\S\s+\S+\s+\S|\[|[{UNSPACED}]{{6}}"


#: "Your initials", "What is your e-mail?": how forms ask people who they are.
_OF_YOU = re.compile(r"^(?:please_)?(?:(?:enter|type|give|write|what_is|what_s)_)?your_")


#: What forms write for the addresses of people who did not sign in, and how they call the column beside it.
_ANONYMOUS = frozenset(["anonymous", "anonym", "anonyme", "anonimo", "anónimo", "anônimo", "anoniem"])
_CALLED = frozenset(["name", "nome", "nom", "nombre", "naam", "navn", "namn", "your_name"])


class Guess:
    """The plan in the making: ``chosen`` has the use of each column and the reason."""

    def __init__(self, frame: pl.DataFrame, chosen: dict[str, tuple[str, str]]) -> None:
        self.frame, self.chosen = frame, chosen
        self.taken: set[str] = set()
        self.why_not: dict[str, str] = {}
        self.notes: list[str] = []
        self.scales: dict[str, str] = {}
        self.said_dimensions = False
        self.names = {column: normalised(column) for column in frame.columns}
        self._answers: dict[str, Reading] = {}
        self.types = {name: column_type(frame[name]) for name in frame.columns}

    def choose(self, column: str, use: str, why: str) -> None:
        self.chosen[column] = (use, why)
        self.why_not.pop(column, None)
        self.taken.add(use)

    def answers(self, column: str) -> Reading:
        if column not in self._answers:
            self._answers[column] = answers(self.frame[column])
        return self._answers[column]

    def mean_length(self, column: str) -> float:
        shown = self.frame[column].drop_nulls().head(200).cast(pl.String)
        mean = shown.str.len_chars().mean()
        return float(mean) if isinstance(mean, float | int) else 0.0

    def by_name(self) -> None:
        for use, names in USES.items():
            if use in ("dialogue_id", "annotator"):
                continue
            matches = sorted(
                (names.index(name), column)
                for column, name in self.names.items()
                if name in names and column not in self.chosen
            )
            if use == "dialogue" and len(matches) > 1:  # a name like 'conversation' may be that of an id
                longest = max(self.mean_length(column) for _, column in matches)
                matches.sort(key=lambda found: (self.mean_length(found[1]) * 4 < longest, found[0]))
            if use == "sentence":  # its number, and not its words
                matches.sort(key=lambda found: (self.has_texts(found[1]), found[0]))
            for _, column in matches:
                if use in self.taken:
                    self.why_not[column] = f"could be {use}, but that is taken"
                elif (
                    (use in ("comment", "summary") and self.are_answers(column))
                    or (use == "dialogue" and (self._is_short_id(column) or self._is_name(column, matches)))
                    or (use in ("value", "seed", "reference") and not self._fits(use, column))
                ):
                    continue
                else:
                    self.choose(column, use, f"columns named {column!r} usually are")
        self._text_beside_system()
        self._questions()
        self._strong_people()
        self._by_words()
        for column, name in self.names.items():
            if name in META and column not in self.chosen:
                self.chosen[column] = (f"meta:{name}", "kept with the dialogue")

    def are_answers(self, column: str) -> bool:
        """Whether nearly all cells of a column are answers on a scale, whatever its name says."""
        found = self.answers(column)
        return found.given > 1 and found.share >= MOSTLY and 2 <= found.distinct <= MOST_POINTS

    def _fits(self, use: str, column: str) -> bool:
        if use == "seed":
            return "summary" in self.taken or any(name in USES["summary"] for name in self.names.values())
        if use == "reference":  # a column 'ref' may hold names of calls
            shown = self.frame[column].drop_nulls().head(200).cast(pl.String)
            return not len(shown) or not bool(shown.str.contains(_NAME_OF_A_CALL).all())
        return not (self.said_dimensions and "dimension" not in self.taken)

    def _is_short_id(self, column: str) -> bool:
        """Whether a column with the name of a dialogue holds names of dialogues, beside another with the texts."""
        shown = self.frame[column].drop_nulls().head(200).cast(pl.String)
        if len(shown) and bool(shown.str.contains(r"^(?:[^\W\d]{1,20}[ #]+)?[\w.#:/-]{0,30}\d[\w.#:/-]{0,30}$").all()):
            return True  # one word with a number in it, or behind it, is never a dialogue
        if not len(shown) or self.names[column] in ("dialogue", "turns"):
            return False
        return bool(
            not shown.str.contains(r"\s").any() and (shown.str.len_chars() <= 64).all() and not self._speaks(column)
        ) and any(self._speaks(other) for other in self.frame.columns if other != column)

    def _is_name(self, column: str, matches: list[tuple[int, str]]) -> bool:
        """Whether a column that could be the dialogue has single words, and another one texts."""
        return not self.has_texts(column) and any(self.has_texts(other) for _, other in matches)

    def has_texts(self, column: str) -> bool:
        """Whether most of the filled cells have at least three words."""
        shown = self.frame[column].drop_nulls().head(500).cast(pl.String)
        return bool(len(shown)) and int(shown.str.contains(_SEVERAL_WORDS).sum()) * 2 > len(shown)

    def has_long_texts(self, column: str) -> bool:
        """Whether some cell is longer than an answer that is chosen from a list."""
        shown = self.frame[column].drop_nulls().cast(pl.String)
        return bool((shown.str.len_chars() > 80).any())

    def _text_beside_system(self) -> None:
        for column, name in self.names.items():
            if (
                name == "text"
                and self.chosen.get(column, ("",))[0] == "dialogue"
                and "system" in self.taken
                and "summary" not in self.taken
            ):
                self.chosen[column] = ("summary", "a text beside a system")
                self.taken.symmetric_difference_update({"dialogue", "summary"})
                other = next((c for c, n in self.names.items() if n in USES["dialogue"] and c not in self.chosen), None)
                if other is not None:
                    self.choose(other, "dialogue", f"columns named {other!r} usually are")
        self._numbered_references()

    def _numbered_references(self) -> None:
        """References in columns of their own; what is called a summary is one only where several are numbered."""
        free = {column: name for column, name in self.names.items() if column not in self.chosen}
        found = [c for c, name in free.items() if re.fullmatch(r"(reference|ref)_?\d+", name)]
        found = [column for column in found if self._fits("reference", column) and self.has_texts(column)]
        if "reference" not in self.taken:
            numbered = [c for c, name in free.items() if re.fullmatch(r"(reference|ref|summary)_?\d+", name)]
            found = numbered if len(numbered) > 1 else found
        for column in found:
            self.choose(column, "reference", "a numbered column of references")

    def _questions(self) -> None:
        """A column of few short names beside one of answers says which dimension each answer is of."""
        if "dimension" in self.taken:
            return
        self._named_questions()
        self._statements()
        if "value" not in self.taken or "dimension" in self.taken:
            return
        for column, name in self.names.items():
            if name in QUESTIONS and column not in self.chosen:
                shown = self.frame[column].drop_nulls().cast(pl.String)
                if 0 < shown.n_unique() <= max(1, min(30, len(shown) // 2)) and (shown.str.len_chars() <= 80).all():
                    self.choose(column, "dimension", "few names beside a column of answers")
                    return

    def _statements(self) -> None:
        """A column of statements beside the only answers, which agree to them or do not."""
        asked = [column for column, name in self.names.items() if name in STATEMENTS and column not in self.chosen]
        if {"value", "dimension"} & self.taken or len(asked) != 1:
            return
        shown = self.frame[asked[0]].drop_nulls().cast(pl.String)
        few = 1 < shown.n_unique() <= min(_MOST_STATEMENTS, len(shown) // 2)
        free = [column for column in self.frame.columns if column not in self.chosen and column not in asked]
        free = [c for c in free if not is_housekeeping(self.names[c]) and not is_id(self.names[c])]
        answered = [c for c in free if self.are_answers(c) and not is_dimension(self.names[c])]
        if few and len(answered) == 1 and (shown.str.len_chars() <= 2 * _LONGEST_NAME).all():
            self.choose(answered[0], "value", "the only column of answers beside statements")
            self.choose(asked[0], "dimension", "statements beside a column of answers")

    def _named_questions(self) -> None:
        """A column whose few values are known dimensions says so of the one column of answers beside it."""
        asked = [column for column in self.frame.columns if self._names_dimensions(column)]
        if len(asked) != 1:
            return
        if "value" not in self.taken:
            free = [column for column in self.frame.columns if column not in self.chosen and column not in asked]
            free = [c for c in free if not is_housekeeping(self.names[c]) and not is_id(self.names[c])]
            answered = [column for column in free if self.are_answers(column)]
            if len(answered) != 1:
                return
            self.choose(answered[0], "value", "the only column of answers beside the names of dimensions")
        self.choose(asked[0], "dimension", "its values are names of dimensions")

    def _names_dimensions(self, column: str) -> bool:
        shown = self.frame[column].drop_nulls().head(500).cast(pl.String).unique().to_list()
        known = sum(is_dimension(normalised(text)) for text in shown if len(text) <= _LONGEST_NAME)
        return column not in self.chosen and len(shown) > 1 and known * 2 > len(shown)

    def _by_words(self) -> None:
        """A word in a longer name, where no column has the whole name and the values fit."""
        for use, words in TELLING.items():
            if use in self.taken or (use == "summary" and "reference" in self.taken and "system" in self.taken):
                continue
            for column, name in self.names.items():
                person = use == "annotator" and is_person(name)
                counted = is_housekeeping(name) or is_id(name)
                if column in self.chosen or not words & set(name.split("_")) or (counted and not person):
                    continue
                if use == "annotator" and set(name.split("_")) & OF_EACH_PERSON:
                    continue
                shown = self.frame[column].drop_nulls().head(500).cast(pl.String)
                if person and counted and len(shown):
                    self.choose(column, use, f"the name {column!r} says so")
                    break
                if len(shown) and self._has_shape(use, shown) and not is_dimension(normalised(heading(column)[0])):
                    self.choose(column, use, f"the name {column!r} says so")
                    break

    def _has_shape(self, use: str, shown: pl.Series) -> bool:
        """Names are short and no numbers; texts have several words."""
        spaced = int(shown.str.contains(r"\S\s+\S+\s+\S").sum())
        if use in ("summary", "dialogue"):
            return spaced * 2 > len(shown)
        numeric = int(shown.str.strip_chars().cast(pl.Float64, strict=False).is_not_null().sum())
        few = use == "annotator" or shown.n_unique() <= max(2, min(60, len(shown) // 2))
        return (
            bool((shown.str.len_chars() <= 64).all()) and spaced * 2 < len(shown) and numeric * 2 < len(shown) and few
        )

    def people_named(self, names: Iterable[str]) -> str | None:
        order = list(USES["annotator"])
        asked = {column: name if name in order else _OF_YOU.sub("", name) for column, name in self.names.items()}
        found = sorted(
            (order.index(name), column)
            for column, name in asked.items()
            if name in names and column not in self.chosen and self.frame[column].null_count() < self.frame.height
        )
        return self._or_beside(found[0][1]) if found else None

    def _or_beside(self, column: str) -> str:
        """The names beside addresses of which all are "anonymous", as forms write them."""
        said = {str(value).strip().lower() for value in self.frame[column].drop_nulls().unique().head(2)}
        at = self.frame.columns.index(column) + 1
        if not said <= _ANONYMOUS or at == self.frame.width:
            return column
        beside = self.frame.columns[at]
        named = self.names[beside] in _CALLED and beside not in self.chosen
        return beside if named and self.frame[beside].drop_nulls().n_unique() > 1 else column

    def _strong_people(self) -> None:
        column = self.people_named([name for name in USES["annotator"] if name not in WEAK_PEOPLE])
        if column is None or "annotator" in self.taken:
            if column is not None:
                self.why_not[column] = "could be annotator, but that is taken"
            return
        self.choose(column, "annotator", f"columns named {column!r} usually are")

    def people(self, judged: bool) -> None:
        """Names that other platforms use too are annotators only where something was judged."""
        judged = judged or "value" in self.taken or any(use.startswith("dimension:") for use, _ in self.chosen.values())
        column = self.people_named(WEAK_PEOPLE)
        if column is not None and judged and "annotator" not in self.taken:
            self.choose(column, "annotator", f"columns named {column!r} usually are, beside judgements")

    def id(self) -> None:
        if "dialogue_id" in self.taken:
            for column, name in self.names.items():
                if (is_id(name) or is_other_id(name)) and column not in self.chosen:
                    self.why_not[column] = "could be dialogue_id, but that is taken"
            return
        text = next((column for column, (use, _) in self.chosen.items() if use == "dialogue"), None)
        text = text or next((c for c in self.frame.columns if c not in self.chosen and self.speaks_at_length(c)), None)
        free = [column for column in self.frame.columns if column not in self.chosen]
        best, why = choose_id(self.frame, free, self.names, text)
        if best is not None:
            self.choose(best, "dialogue_id", why)
            for other in free:
                if is_id(self.names[other]) and other != best:
                    self.why_not[other] = "could be dialogue_id, but that is taken"

    def speaks_at_length(self, column: str) -> bool:
        """Whether a column of texts holds turns of speakers."""
        return self.types[column] == "text" and self._speaks(column)

    def dialogue(self) -> None:
        if "dialogue" in self.taken:
            return
        for column in self.frame.columns:
            if column not in self.chosen and self.speaks_at_length(column):
                self.choose(column, "dialogue", "its values look like turns of speakers")
                return

    def _speaks(self, column: str) -> bool:
        shown = self.frame[column].drop_nulls().head(20).cast(pl.String).to_list()
        speaking = sum(sum(bool(turn.speaker) for turn in parse_turns(text)) >= 2 for text in shown)
        return bool(speaking) and speaking * 2 >= len(shown)

    def settle_summaries(self) -> list[str]:
        """Summaries without a system are references where nothing else could be, as in SAMSum."""
        if "summary" not in self.taken or "system" in self.taken:
            return []
        rated = "annotator" in self.taken or any(use.startswith("dimension:") for use, _ in self.chosen.values())
        said = ("summary", SAID) in self.chosen.values() or ("summary", "the layout says so") in self.chosen.values()
        if "reference" in self.taken or "value" in self.taken or "seed" in self.taken or rated or said:
            self._variants()
            return []
        for column, (use, _) in self.chosen.items():
            if use == "summary":
                self.chosen[column] = ("reference", "no column names a system, so these are read as references")
        return [
            "no column names a system: the summaries are read as references; map system==NAME if a system wrote them"
        ]

    def _variants(self) -> None:
        """Summaries without a system, several of a dialogue: an id that every row has for itself names them."""
        of = {use: column for column, (use, _) in self.chosen.items()}
        if "variant" in self.taken or not {"dialogue_id", "summary"} <= set(of):
            return
        texts = self.frame.group_by(of["dialogue_id"]).agg(pl.col(of["summary"]).n_unique().alias(COUNT))
        if not (texts[COUNT] > 1).any():
            return
        for column, name in self.names.items():
            values = self.frame[column]
            if column not in self.chosen and (is_id(name) or name == "edit_id") and values.n_unique() == len(values):
                self.choose(column, "variant", "each row has its own: the names of summaries without a system")
                return

    def plan(self, constants: Mapping[str, str], notes: list[str]) -> Plan:
        uses: dict[str, tuple[str, ...]] = {}
        columns, unused, like_judgements = [], [], {}
        for name in self.frame.columns:
            found: tuple[str | None, str] | None = self.chosen.get(name)
            use, why = found or (None, self.why_not.get(name, self._why_free(name)))
            filled = self.frame.height - self.frame[name].null_count()
            if use == IGNORE:
                use = None
            elif use is not None:
                uses[use] = (*uses.get(use, ()), name)
            elif filled:
                unused.append(name)
            if use is None and filled and name not in self.why_not and self._looks_judged(name):
                like_judgements[name] = filled
            columns.append(Column(name, self.types[name], filled, use, why))
        notes += self.notes
        if unused:
            notes.append(f"columns not used: {', '.join(unused)}")
        return Plan(uses, constants, tuple(columns), tuple(notes), dict(self.scales), like_judgements)

    def _why_free(self, column: str) -> str:
        """Why a column is not used that nothing else explains."""
        if self.said_dimensions and self.are_answers(column):
            return "the mapping names the dimensions, and this is none of them"
        return "the name is not known"

    def _looks_judged(self, column: str) -> bool:
        """Whether an unused column may hold judgements: few numbers or answers that are not housekeeping."""
        name, found = self.names[column], self.answers(column)
        if is_housekeeping(name, in_words=in_words(found)) or is_id(name) or is_other_id(name):
            return False
        return found.given > 0 and found.share >= MOSTLY and found.distinct <= MOST_POINTS and "annotator" in self.taken
