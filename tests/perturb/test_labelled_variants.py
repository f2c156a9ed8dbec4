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


def counted_again(folder: Path) -> dict[str, Counter[str]]:
    """Per kind: how many variants were labelled, how many are made today, and how these were labelled (where they are
    equal to a labelled one)."""
    found: dict[str, Counter[str]] = {}
    for label, task in _labelled(folder):
        counts = found.setdefault(label["perturbation"], Counter())
        outcome = run_rules(task)
        made = isinstance(outcome, Variant)
        same = isinstance(outcome, Variant) and outcome.text == label["variant"]
        counts.update(labelled=1, made=made, right=same and not _bad(label), wrong=same and _bad(label))
        counts["new"] += made and not same
    return found


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.usefixtures("parser")
def test_no_variant_equals_one_that_readers_called_bad_and_the_page_shows_the_counts(data_dir: Path) -> None:
    found = counted_again(data_dir / "perturbation-gold")
    assert {name for name, counts in found.items() if counts["wrong"]} == set()
    assert PAGE.count("| 0 |") >= len(found)
    for name, counts in found.items():
        cells = (name, *(counts[key] for key in ("labelled", "made", "right", "wrong", "new")))
        assert f"| {' | '.join(map(str, cells))} |" in PAGE


#: What later readers said of variants that are made now and were not among the labelled ones: id, the beginning of the
#: SHA-256 of the variant (the texts may not be kept here), whether it is grammatical, and whether it is as claimed.
_LATER = Path(__file__).parent / "gold_readings.json"
_SHARE = 0.95


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.usefixtures("parser")
def test_nearly_all_variants_of_the_labelled_texts_are_grammatical_and_as_claimed(data_dir: Path) -> None:
    later = {(row[0], row[1]): row[2:] for row in json.loads(_LATER.read_text(encoding="utf-8"))}
    counts: dict[str, Counter[str]] = {}
    for label, task in _labelled(data_dir / "perturbation-gold"):
        outcome = run_rules(task)
        if not isinstance(outcome, Variant):
            continue
        digest = sha256(outcome.text.encode()).hexdigest()[:16]
        if outcome.text == label["variant"]:
            grammatical, claimed = label["grammatical"] or _breaks(label["perturbation"]), not _bad(label)
        elif (label["id"], digest) in later:
            grammatical, claimed = later[label["id"], digest][0], later[label["id"], digest][1] != "wrong"
        else:
            counts.setdefault(label["perturbation"], Counter()).update(unread=1)
            continue
        found = counts.setdefault(label["perturbation"], Counter())
        found.update(read=1, grammatical=grammatical, claimed=claimed)
    shares = {
        name: (found["grammatical"] / found["read"], found["claimed"] / found["read"]) for name, found in counts.items()
    }
    assert {name: share for name, share in shares.items() if min(share) < _SHARE} == {}
    unread, read = (sum(found[key] for found in counts.values()) for key in ("unread", "read"))
    assert unread <= (1 - _SHARE) * read, "rules have changed: read the new variants and add them to gold_readings.json"


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
