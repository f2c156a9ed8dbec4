"""No judgement is lost in silence: whatever fields are called and however they are nested, each arrives or is named."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from dialgauge.corpus import read_corpus
from dialgauge.corpus._arrived import lost_names
from dialgauge.corpus._fields import Field
from dialgauge.errors import InputError

WORDS = [
    "card",
    "blocked",
    "new",
    "arrives",
    "within",
    "five",
    "days",
    "agent",
    "sends",
    "engineer",
    "thursday",
    "line",
    "drops",
    "every",
    "evening",
]
NAMES = ("coherence", "Kohärenz", "zorp", "qx7", "puan", "оценка", "流畅度", "note_globale", "Likert A", "kvalita")
SCALES: tuple[Callable[[random.Random], Any], ...] = (
    lambda draw: draw.randint(1, 5),
    lambda draw: draw.choice(["Yes", "No"]),
    lambda draw: draw.choice(["poor", "fair", "good", "excellent"]),
    lambda draw: f"{draw.randint(1, 5)}/5",
    lambda draw: draw.choice(["👍", "👎"]),
    lambda draw: draw.choice([True, False]),
    lambda draw: draw.choice(["★☆☆", "★★☆", "★★★"]),
)
Ratings = dict[tuple[str, str, str, str], Any]


class Study:
    """Random dialogues, summaries and ratings, and random names for what holds them."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.dialogues = {f"d-{n}": "\n".join(f"{who}: {self.text(6)}" for who in "ABAB") for n in range(5)}
        self.systems, self.people = draw.sample(["bart", "gpt", "lead"], 2), ["w1", "w2"]
        self.summaries = {(d, s): self.text(11) for d in self.dialogues for s in self.systems}
        self.dimensions = draw.sample(NAMES, 2)
        scales = {name: draw.choice(SCALES) for name in self.dimensions}
        self.ratings: Ratings = {
            (d, s, who, name): scales[name](draw) for d, s in self.summaries for who in self.people for name in scales
        }
        self.id, self.system = draw.choice(["id", "ticket", "konv"]), draw.choice(["model", "Modell", "which"])
        self.who, self.summary = draw.choice(["rater", "Bewerter", "by"]), draw.choice(["summary", "hyp", "short"])
        self.list = draw.choice(["ratings", "votes", "bewertungen", "x"])

    def text(self, words: int) -> str:
        return " ".join(self.draw.choice(WORDS) for _ in range(words)).capitalize() + "."

    def of(self, d: str, s: str, who: str) -> dict[str, Any]:
        return {name: self.ratings[d, s, who, name] for name in self.dimensions}

    def item(self, d: str, s: str) -> dict[str, Any]:
        return {self.id: d, "dialogue": self.dialogues[d], self.system: s, self.summary: self.summaries[d, s]}

    def rows(self) -> list[dict[str, Any]]:
        return [
            {**self.item(d, s), self.who: who, **self.of(d, s, who)} for d, s in self.summaries for who in self.people
        ]

    def wide(self) -> list[dict[str, Any]]:
        return [
            {**self.item(d, s), **{f"{n}_{who}": v for who in self.people for n, v in self.of(d, s, who).items()}}
            for d, s in self.summaries
        ]

    def listed(self) -> list[dict[str, Any]]:
        return [
            {**self.item(d, s), self.list: [{self.who: who, **self.of(d, s, who)} for who in self.people]}
            for d, s in self.summaries
        ]

    def keyed(self) -> list[dict[str, Any]]:
        return [
            {**self.item(d, s), self.list: {who: self.of(d, s, who) for who in self.people}} for d, s in self.summaries
        ]

    def arrays(self) -> list[dict[str, Any]]:
        return [
            {
                **self.item(d, s),
                self.list: [[who, name, value] for who in self.people for name, value in self.of(d, s, who).items()],
            }
            for d, s in self.summaries
        ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [Study.rows, Study.wide, Study.listed, Study.keyed, Study.arrays])
def test_every_rating_arrives_or_its_field_is_named(shape: Callable[[Study], list[dict[str, Any]]], seed: int) -> None:
    study = Study(seed)
    records = shape(study)
    if len({frozenset(str(record.get(key)) for record in records) for key in records[0]}) < 2:
        pytest.fail("the records are all alike")
    try:
        corpus = read_corpus(records)
    except InputError:
        return
    said = [text for account in corpus.accounts for text in (*account.too_much(), account.unread) if text]
    if not said:
        found = corpus.ratings.drop_nulls("value").select("dialogue_id", "system", "annotator", "dimension").n_unique()
        assert found == corpus.ratings.height == len(study.ratings), corpus.notes


def _known() -> Study:
    """Texts and ids under names that are known."""
    study = Study(1)
    study.id, study.system, study.who, study.summary = "id", "model", "rater", "summary"
    return study


def _dialogues() -> list[dict[str, Any]]:
    study = _known()
    return [study.item(d, s) for d, s in study.summaries]


def _said(records: list[dict[str, Any]], mapping: dict[str, str] | None = None) -> str:
    return "; ".join(text for account in read_corpus(records, mapping=mapping).accounts for text in account.too_much())


def test_a_column_with_a_name_that_nobody_knows_is_an_error_until_somebody_decides() -> None:
    rows = [{**row, "zorp": 1 + number % 4} for number, row in enumerate(_dialogues())]
    assert "'zorp' looks like judgements (10 cells, such as '1', '2', '3') and was not read" in _said(rows)
    assert _said(rows, {"ignore": "zorp"}) == ""
    assert _said(rows, {"dimension:zorp": "zorp"}) == ""
    assert read_corpus(rows, mapping={"dimension:zorp": "zorp"}).ratings.height == len(rows)


def test_a_nested_field_is_named_by_its_path_and_can_be_left_out() -> None:
    rows = [{**row, "a": {"b": [{"c": 1 + number % 3}, {"c": 2}]}} for number, row in enumerate(_dialogues())]
    assert "'a.b[].c' looks like judgements" in _said(rows)
    assert _said(rows, {"ignore": "a.b[].c"}) == ""


def test_a_text_that_arrives_nowhere_is_named() -> None:
    study = _known()
    rows = [{**row, "kurz": study.text(12)} for row in _dialogues()]
    assert "'kurz' looks like texts" in _said(rows)


def test_facts_about_dialogues_counts_and_scores_of_programs_are_no_judgements() -> None:
    study = _known()
    rows = [
        {
            **study.item(d, s),
            "rater": who,
            "coherence": 1 + (place + len(s)) % 5,
            "difficulty": place % 3,
            "native": who == "w1",
            "n_words": 12,
            "rouge1": 0.5,
        }
        for place, (d, s) in enumerate(study.summaries)
        for who in study.people
    ]
    for row in rows:
        row["difficulty"] = int(row[study.id][-1]) % 3
    assert _said(rows) == ""


def test_annotators_by_letter_and_number_whatever_they_judge() -> None:
    rows = [
        {**row, "zorp_w1": 1 + number % 4, "zorp_w2": 2 + number % 3, "fluency_w1": 3, "fluency_w2": number % 5}
        for number, row in enumerate(_dialogues())
    ]
    corpus = read_corpus(rows)
    assert corpus.ratings.height == 4 * len(rows)
    assert sorted(corpus.ratings["annotator"].unique()) == ["w1", "w2"]
    assert sorted(corpus.dimensions) == ["fluency", "zorp"]


def test_thumbs_are_yes_and_no() -> None:
    rows = [{**row, "helpfulness": "👍👎"[number % 2]} for number, row in enumerate(_dialogues())]
    corpus = read_corpus(rows)
    assert corpus.dimension("helpfulness").kind == "binary"
    assert corpus.ratings["value"].sum() == len(rows) / 2


def test_an_answer_that_everybody_gave_is_named_until_somebody_decides() -> None:
    study = _known()
    for answer in ("Yes", 3, True, "good"):
        rows = [{**row, "zorp": answer} for row in study.rows()]
        assert "'zorp' looks like judgements (20 cells" in _said(rows)
        assert _said(rows, {"ignore": "zorp"}) == ""
        nested = [
            {**row, study.list: [{**given, "zorp": answer} for given in row[study.list]]} for row in study.listed()
        ]
        assert f"'{study.list}[].zorp' looks like judgements" in _said(nested)
    for name, value in (("consent", "yes"), ("handling", 312), ("attention_check", "pass")):
        assert _said([{**row, name: value} for row in study.rows()]) == ""


def test_every_id_arrives_or_is_named() -> None:
    study = _known()
    parts = read_corpus(study.rows())
    seen = Field("call_id", ("call_id",), Counter(["d-0", "d-1", "d-2", "d-99", "N/A", "Average"]))
    (said,) = lost_names([seen, Field("votes[].rater", ("votes", "rater"), Counter(study.people))], parts)
    assert said.startswith("'call_id' names 4 dialogues, of which 1 did not arrive (such as 'd-99')")


def test_two_columns_that_may_both_name_the_annotators() -> None:
    study = _known()
    study.who = "zorp"
    rows = [{**row, "qx": {"w1": "north", "w2": "south"}[row["zorp"]]} for row in study.rows()]
    assert "'zorp' or 'qx' may name the annotators: say which does (--map annotator=zorp)" in _said(rows)
    assert _said(rows, {"annotator": "zorp", "ignore": "qx"}) == ""
