"""What readers labelled: no variant that they called bad comes out again, and what was measured is shown."""

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Dialogue, Turn, embedded_corpus
from dialgauge.perturb import Task, Variant, all_perturbations, parse_requests, run_rules
from dialgauge.registry import listed

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "MEASURED.md").read_text(encoding="utf-8")
#: Kinds whose declared effect was wrong when the labels were given: what counts now is grammar and truth.
_RELABELLED = ("drop_phrases", "length_reduction")


def _dialogue(row: dict[str, Any], embedded: dict[str, Dialogue]) -> Dialogue:
    if row["source"] == "embedded":
        return embedded[row["source_id"].split("/")[0]]
    lines = row["dialogue"].split(" | ") if row["source"].startswith("dialsumm") else row["dialogue"].splitlines()
    turns = [line.partition(":") for line in lines if line.strip()]
    return Dialogue(
        row["source_id"],
        tuple(Turn(who.strip() if mark else "", (text if mark else who).strip()) for who, mark, text in turns),
    )


def _bad(label: dict[str, Any]) -> bool:
    kind = label["perturbation"]
    if kind == "drop_stopwords":
        return False  # it declares broken language and a mild loss: whatever it removes does that
    if kind in _RELABELLED:
        return not label["grammatical"] or label["reason"] == "unclear"
    return not label["as_claimed"]


def _labelled(folder: Path) -> Iterator[tuple[dict[str, Any], Task]]:
    originals = {
        row["original_id"]: row for row in map(json.loads, (folder / "originals.jsonl").open(encoding="utf-8"))
    }
    embedded = {dialogue.id: dialogue for dialogue in embedded_corpus().iter_dialogues()}
    for label in map(json.loads, (folder / "gold.jsonl").open(encoding="utf-8")):
        row = originals[label["original_id"]]
        key = (f"{row['source']}:{row['source_id']}", "", "original", "overall")
        yield label, Task(parse_requests([label["perturbation"]])[0], row["original"], _dialogue(row, embedded), key, 7)


#: What later readers said of variants that are made now and were not among the labelled ones: id, the beginning of the
#: SHA-256 of the variant (the texts may not be kept here), whether it is grammatical, and whether it is as claimed.
_LATER = Path(__file__).parent / "gold_readings.json"
_SHARE = 0.95
_COLUMNS = ("labelled", "made", "right", "wrong", "new", "grammatical", "claimed")


@pytest.fixture(scope="module")
def counted(data_dir: Path, parser: str) -> dict[str, Counter[str]]:
    """Per kind: how many variants were labelled, how many are made today, and how these were labelled (where they are
    equal to a labelled one) or read later."""
    later = {(row[0], row[1]): row[2:] for row in json.loads(_LATER.read_text(encoding="utf-8"))}
    found: dict[str, Counter[str]] = {}
    for label, task in _labelled(data_dir / "perturbation-gold"):
        counts = found.setdefault(label["perturbation"], Counter())
        outcome = run_rules(task)
        counts["labelled"] += 1
        if not isinstance(outcome, Variant):
            continue
        reading = later.get((label["id"], sha256(outcome.text.encode()).hexdigest()[:16]))
        if outcome.text == label["variant"]:
            grammatical, claimed = label["grammatical"] or _breaks(label["perturbation"]), not _bad(label)
            counts.update(made=1, right=claimed, wrong=not claimed, grammatical=grammatical, claimed=claimed)
        elif reading is not None:
            counts.update(made=1, new=1, grammatical=reading[0], claimed=reading[1] != "wrong")
        else:
            counts.update(made=1, new=1, unread=1)
    return found


@pytest.mark.data
@pytest.mark.slow
def test_no_variant_equals_one_that_readers_called_bad_and_the_page_shows_the_counts(
    counted: dict[str, Counter[str]],
) -> None:
    assert {name for name, counts in counted.items() if counts["wrong"]} == set()
    for name, counts in counted.items():
        cells = (name, *(counts[key] for key in _COLUMNS))
        assert f"| {' | '.join(map(str, cells))} |" in PAGE


@pytest.mark.data
@pytest.mark.slow
def test_nearly_all_variants_of_the_labelled_texts_are_grammatical_and_as_claimed(
    counted: dict[str, Counter[str]],
) -> None:
    low = {
        name: counts
        for name, counts in counted.items()
        if min(counts["grammatical"], counts["claimed"]) < _SHARE * (counts["made"] - counts["unread"])
    }
    assert low == {}
    unread, made = (sum(counts[key] for counts in counted.values()) for key in ("unread", "made"))
    assert unread <= (1 - _SHARE) * made, "rules have changed: read the new variants and add them to gold_readings.json"


def _breaks(name: str) -> bool:
    """Whether a kind declares a loss of fluency, or is shorthand."""
    request = parse_requests([name])[0]
    return "fluency" in request.perturbation.effects or "shorthand" in name


def test_what_was_measured_is_possible() -> None:
    read = {name: entry.measured for name, entry in all_perturbations().items() if entry.measured}
    assert "drop_phrases" in read
    for readings in read.values():
        for reading in readings:
            assert 0 <= reading.as_claimed <= reading.n <= reading.applied <= reading.texts
            assert reading.grammatical is None or reading.as_claimed <= reading.grammatical <= reading.n
            assert f"{reading.as_claimed} of {reading.n} as claimed" in reading.line()


def test_the_page_shows_what_was_measured() -> None:
    for name, entry in all_perturbations().items():
        for one in entry.measured:
            cells = (
                name,
                one.source,
                f"{one.applied} of {one.texts}",
                one.n,
                one.grammatical,
                one.as_claimed,
                one.date,
            )
            assert f"| {' | '.join(map(str, cells))} |" in PAGE


def test_every_kind_was_read_and_stands_in_the_docs_with_its_date() -> None:
    """Written by ``tools/write_readings.py``."""
    rows = [line.strip("| ").split(" | ") for line in (ROOT / "docs" / "perturb.md").read_text("utf-8").splitlines()]
    shown = {cells[0]: cells[2:] for cells in rows if len(cells) == 6}
    for name in (row.name for row in listed("perturbation")):
        entry = all_perturbations()[name]
        assert entry.measured, f"{name}: nobody read its variants"
        for label in {one.label or name for one in entry.measured}:
            known = [one for one in entry.measured if (one.label or name) == label]
            assert shown[label] in [
                [
                    f"{one.applied} of {one.texts}",
                    "–" if one.grammatical is None else f"{one.grammatical} of {one.n}",
                    f"{one.as_claimed} of {one.n}",
                    one.date,
                ]
                for one in known
            ]
