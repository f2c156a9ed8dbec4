"""Files as teams keep them: remarks above the table, labels in lists, choices by position, texts in other files."""

import json
from pathlib import Path
from typing import Any

from dialgauge.corpus import Corpus, read_corpus

DIALOGUES = {
    f"d{n}": f"Agent: Desk {n}, hello.\nCaller: My parcel {n} is late.\nAgent: I look into it." for n in (1, 2, 3)
}
SYSTEMS = ("alpha", "mT5")
TEXTS = {(d, s): f"The parcel of {d} is late, {s} says so." for d in DIALOGUES for s in SYSTEMS}
PEOPLE = ("ann", "bob")


def points(d: str, s: str, who: str) -> int:
    return 1 + (int(d[1:]) * 2 + SYSTEMS.index(s) * 3 + PEOPLE.index(who)) % 5


RATED = {(d, s, who): float(points(d, s, who)) for d, s in TEXTS for who in PEOPLE}


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def refused(corpus: Corpus) -> list[str]:
    return [text for account in corpus.accounts for text in account.too_much()]


def stored(corpus: Corpus) -> dict[tuple[str, ...], float]:
    key = ("dialogue_id", "system", "annotator")
    return {tuple(row[name] for name in key): row["value"] for row in corpus.ratings.iter_rows(named=True)}


def test_a_single_numbered_reference_is_one(tmp_path: Path) -> None:
    rows = [
        {
            "id": d,
            "model_id": s,
            "text": DIALOGUES[d],
            "decoded": text,
            "references": [f"A late parcel of {d}."],
            "expert_annotations": [{"coherence": points(d, s, who)} for who in PEOPLE],
        }
        for (d, s), text in TEXTS.items()
    ]
    corpus = read_corpus(lines(tmp_path / "aligned.jsonl", rows))
    assert corpus.references["text"].to_list() == [f"A late parcel of {d}." for d in DIALOGUES]
    assert not refused(corpus)


def test_a_further_numbered_reference_is_one_too_and_names_of_calls_are_none(tmp_path: Path) -> None:
    rows = "".join(
        f'{d},"{DIALOGUES[d]}",{s},"{text}","A parcel of {d}.","It of {d} is late.",C-{d}\n'
        for (d, s), text in TEXTS.items()
    )
    path = tmp_path / "table.csv"
    path.write_text("id,dialogue,system,summary,reference,reference_2,ref_1\n" + rows, encoding="utf-8")
    assert sorted(read_corpus(path).references["text"]) == sorted(
        text for d in DIALOGUES for text in (f"A parcel of {d}.", f"It of {d} is late.")
    )


def test_remarks_above_a_table_under_an_unknown_ending(tmp_path: Path) -> None:
    head = ["id", "dialogue", *(f"{s}_{what}" for s in SYSTEMS for what in ("summary", "info_R1", "info_R2"))]
    body = [
        [
            d,
            " // ".join(said.splitlines()),
            *(x for s in SYSTEMS for x in (TEXTS[d, s], *(points(d, s, w) for w in PEOPLE))),
        ]
        for d, said in DIALOGUES.items()
    ]
    rows: list[list[object]] = [[*head], *body]
    table = "\n".join("|".join(map(str, row)) for row in rows)
    path = tmp_path / "results.psv"
    path.write_text(f"# rated 1-5, info = informativeness\n# R1, R2: raters | nobody else\n{table}\n", encoding="utf-8")
    corpus = read_corpus(path)
    assert stored(corpus) == {(d, s, f"R{PEOPLE.index(w) + 1}"): value for (d, s, w), value in RATED.items()}
    assert corpus.systems == ["alpha", "mT5"]
    assert not refused(corpus)


def argilla(d: str, s: str, more: dict[str, Any]) -> dict[str, Any]:
    given = [{"user_id": who, "value": points(d, s, who)} for who in PEOPLE]
    return {
        "fields": {"dialogue": DIALOGUES[d], "summary": TEXTS[d, s]},
        "metadata": {"dialogue_id": d, "system": s},
        "responses": {"clarity": given, **more},
    }


def test_answers_in_own_words_of_argilla_are_comments(tmp_path: Path) -> None:
    rows = [
        argilla(
            d,
            s,
            {
                "why": [{"user_id": "bob", "value": f"because {d} of {s} reads so"}],
                **({"comment": [{"user_id": "ann", "value": "ok"}]} if d == "d1" else {}),
            },
        )
        for d, s in TEXTS
    ]
    corpus = read_corpus(lines(tmp_path / "records.jsonl", rows))
    assert stored(corpus) == RATED
    assert corpus.dimensions == ["clarity"]
    assert not refused(corpus)
    assert set(corpus.ratings["comment"].drop_nulls()) == {"ok", *(f"because {d} of {s} reads so" for d, s in TEXTS)}


def test_classes_of_argilla_are_no_comments(tmp_path: Path) -> None:
    classes = {"alpha": "off topic", "mT5": "to the point"}
    rows = [argilla(d, s, {"kind": [{"user_id": "ann", "value": classes[s]}]}) for d, s in TEXTS]
    assert read_corpus(lines(tmp_path / "records.jsonl", rows)).dimensions == ["clarity", "kind"]
