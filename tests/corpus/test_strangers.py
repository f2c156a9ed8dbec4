"""Files as strangers have them, in layouts that no rule was made for by name: nothing is lost in silence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialgauge.corpus import Corpus, read_corpus
from tests.corpus.written_files import Rows, table, workbook

SYSTEMS, PEOPLE = ("alpha", "beta"), ("ann", "bob")
CALLS = {
    f"K-{n:03d}": f"Agent: Desk {n} here, hello.\nCustomer: My parcel {n} is late.\nAgent: I look." for n in range(1, 5)
}
TEXTS = {(d, s): f"Customer of {d} says the parcel is late ({s})." for d in CALLS for s in SYSTEMS}
RATED = [(d, s, p) for d, s in TEXTS for p in PEOPLE]
HEADINGS = ["Call ID", "Transcript", "System", "Summary", "Annotator", "Coherence", "Fluency"]


def value(d: str, s: str, p: str, k: int = 0) -> int:
    return (int(d[-1]) + len(s) + (p == "bob") + k) % 5 + 1


def body(judge: Callable[[str, str, str], list[Any]] | None = None) -> Rows:
    judge = judge or (lambda d, s, p: [value(d, s, p), value(d, s, p, 1)])
    return [[d, CALLS[d], s, TEXTS[d, s], p, *judge(d, s, p)] for d, s, p in RATED]


def whole(path: Path, content: object) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def check(
    corpus: Corpus, ratings: int = 32, dimensions: tuple[str, ...] = ("coherence", "fluency"), **more: Any
) -> None:
    """All of the four calls and eight summaries are there, and so many ratings on these dimensions."""
    found = (corpus.dialogues.height, corpus.summaries.height, corpus.ratings["value"].drop_nulls().len())
    assert found == (4, 8, ratings), (found, corpus.notes, corpus.problems)
    assert sorted(name.lower() for name in corpus.dimensions) == sorted(dimensions)
    assert corpus.systems == list(more.get("systems", SYSTEMS))
    if ratings:
        assert sorted(corpus.ratings["annotator"].unique()) == list(more.get("people", PEOPLE))
    assert set(corpus.dialogues["turns"].list.len()) == {3}
    assert not any(account.too_much() or account.unread for account in corpus.accounts)
    first = corpus.ratings.filter(dialogue_id="K-002", system="beta", annotator="bob")
    if ratings and not more.get("other"):
        assert first.sort("dimension")["value"][0] == value("K-002", "beta", "bob"), first


QUESTIONS = ["Q1. How coherent is the summary? (1 = not at all, 5 = very)", "Q2. How fluent is it? (1 = no, 5 = very)"]
WORDS = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
TABLES: dict[str, tuple[Callable[[Path], Path], dict[str, Any]]] = {
    "a title above the headings": (
        lambda at: table(at / "a.csv", [["Evaluation, round 2"] + [""] * 6, [""] * 7, HEADINGS, *body()]),
        {},
    ),
    "notes above the headings": (
        lambda at: table(at / "a.csv", [["# exported 2026-11-14"], ["# project: parcels"], HEADINGS, *body()]),
        {},
    ),
    "two rows of headings of a survey": (
        lambda at: table(
            at / "a.csv",
            [
                ["Respondent ID", "Call ID", "System", "Transcript", "Summary", "Please rate the summary:", ""],
                ["", *["Open-Ended Response"] * 4, "Coherence", "Fluency"],
                *([p, d, s, t, text, *v] for d, t, s, text, p, *v in body()),
            ],
        ),
        {},
    ),
    "groups of columns above annotators": (
        lambda at: table(
            at / "a.csv",
            [
                ["Call ID", "Transcript", "System", "Summary", "Coherence", "", "Fluency", ""],
                ["", "", "", "", "R1", "R2", "R1", "R2"],
                *(
                    [d, CALLS[d], s, t, *(value(d, s, p, k) for k in (0, 1) for p in PEOPLE)]
                    for (d, s), t in TEXTS.items()
                ),
            ],
        ),
        {"people": ["R1", "R2"], "other": True},
    ),
    "rows that sum up the others": (
        lambda at: table(
            at / "a.csv",
            [HEADINGS, *body(), [""] * 7, ["Average", *[""] * 4, 3.1, 2.9], ["Std. dev.", *[""] * 4, 1.1, 0.9]],
        ),
        {},
    ),
    "merged cells": (
        lambda at: table(
            at / "a.csv",
            [
                HEADINGS,
                *(
                    [
                        row[0] if n % 4 == 0 else "",
                        row[1] if n % 4 == 0 else "",
                        row[2] if n % 2 == 0 else "",
                        row[3] if n % 2 == 0 else "",
                        *row[4:],
                    ]
                    for n, row in enumerate(body())
                ),
            ],
        ),
        {},
    ),
    "semicolons, decimal commas and German headings": (
        lambda at: table(
            at / "a.csv",
            [
                ["Anruf-ID", "Transkript", "System", "Zusammenfassung", "Bewerter", "Kohärenz", "Verständlichkeit"],
                *body(lambda d, s, p: [f"{value(d, s, p)},0", f"{value(d, s, p, 1)},5"]),
            ],
            "utf-8-sig",
            ";",
            "\r\n",
        ),
        {"dimensions": ("kohärenz", "verständlichkeit")},
    ),
    "French headings in an old encoding": (
        lambda at: table(
            at / "a.csv",
            [["ID appel", "Transcription", "Modèle", "Résumé", "Annotateur", "Cohérence", "Fluidité"], *body()],
            "cp1252",
            ";",
        ),
        {"dimensions": ("cohérence", "fluidité")},
    ),
    "Unicode text of a spreadsheet": (
        lambda at: table(at / "a.txt", [HEADINGS, *body()], "utf-16", "\t", "\r\n"),
        {},
    ),
    "questions of a form": (
        lambda at: table(
            at / "a.csv", [["Conversation #", "Conversation", "Model", "Summary", "Your name", *QUESTIONS], *body()]
        ),
        {"dimensions": ("how coherent is the summary?", "how fluent is it?")},
    ),
    "stars and percentages": (
        lambda at: table(
            at / "a.csv",
            [HEADINGS, *body(lambda d, s, p: ["★" * value(d, s, p) + "☆" * (5 - value(d, s, p)), "80%"])],
        ),
        {},
    ),
    "words with their numbers": (
        lambda at: table(
            at / "a.csv",
            [HEADINGS, *body(lambda d, s, p: [f"{WORDS[value(d, s, p) - 1]} ({value(d, s, p)})", WORDS[0]])],
        ),
        {},
    ),
    "out of five": (
        lambda at: table(
            at / "a.csv",
            [
                ["Call", "Transcript", "Model", "Summary", "Evaluated by", "Coherence (out of 5)", "Fluency /5"],
                *body(lambda d, s, p: [value(d, s, p), f"{value(d, s, p, 1)}/5"]),
            ],
        ),
        {},
    ),
    "a column for each annotator and dimension": (
        lambda at: table(
            at / "a.csv",
            [
                ["id", "dialogue", "model", "summary"]
                + [f"Annotator {n} {what}" for n in (1, 2) for what in ("Coherence", "Fluency", "Comment")],
                *(
                    [d, CALLS[d], s, t, *(x for p in PEOPLE for x in (value(d, s, p), value(d, s, p, 1), "fine"))]
                    for (d, s), t in TEXTS.items()
                ),
            ],
        ),
        {"people": ["Annotator 1", "Annotator 2"], "other": True},
    ),
    "two sides with the names of their models": (
        lambda at: table(
            at / "a.csv",
            [
                [
                    "Call ID",
                    "Transcript",
                    "Model A",
                    "Summary A",
                    "Model B",
                    "Summary B",
                    "Rater",
                    "Coherence A",
                    "Coherence B",
                    "Fluency A",
                    "Fluency B",
                ],
                *(
                    [d, CALLS[d], "alpha", TEXTS[d, "alpha"], "beta", TEXTS[d, "beta"], p]
                    + [value(d, s, p, k) for k in (0, 1) for s in SYSTEMS]
                    for d in CALLS
                    for p in PEOPLE
                ),
            ],
        ),
        {},
    ),
    "a sheet for each annotator": (
        lambda at: workbook(
            at / "a.xlsx",
            {p: [HEADINGS[:4] + HEADINGS[5:], *(row[:4] + row[5:] for row in body() if row[4] == p)] for p in PEOPLE}
            | {"Instructions": [["Please rate each summary."], ["Take your time."]]},
        ),
        {},
    ),
    "a sheet for each kind of thing, a cover sheet and a title": (
        lambda at: workbook(
            at / "a.xlsx",
            {
                "About": [["Project", "Parcels"], ["Date", "2026"]],
                "Calls": [["All calls"], [], ["Call ID", "Transcript"], *([d, t] for d, t in CALLS.items())],
                "Summaries": [["Call ID", "System", "Summary"], *([d, s, t] for (d, s), t in TEXTS.items())],
                "Ratings": [["Call ID", "System", *HEADINGS[4:]], *([d, s, *row] for d, _, s, _, *row in body())],
            },
        ),
        {},
    ),
    "a file for each annotator": (
        lambda at: (
            max(
                table(
                    at / "a" / f"{p}.csv", [HEADINGS[:4] + HEADINGS[5:], *(r[:4] + r[5:] for r in body() if r[4] == p)]
                )
                for p in PEOPLE
            ).parent
        ),
        {},
    ),
    "JSON under ids": (
        lambda at: whole(
            at / "a.json",
            {
                d: {
                    "dialogue": CALLS[d],
                    "summaries": {s: TEXTS[d, s] for s in SYSTEMS},
                    "ratings": {
                        s: {p: {"coherence": value(d, s, p), "fluency": value(d, s, p, 1)} for p in PEOPLE}
                        for s in SYSTEMS
                    },
                }
                for d in CALLS
            },
        ),
        {},
    ),
    "turns as strings, and judgements under a name of their own": (
        lambda at: whole(
            at / "a.json",
            [
                {
                    "conversation_id": d,
                    "log": CALLS[d].split("\n"),
                    "outputs": [
                        {
                            "model": s,
                            "text": TEXTS[d, s],
                            "human_eval": [
                                {"rater": p, "coherence": value(d, s, p), "fluency": value(d, s, p, 1)} for p in PEOPLE
                            ],
                        }
                        for s in SYSTEMS
                    ],
                }
                for d in CALLS
            ],
        ),
        {},
    ),
    "columns as lists": (
        lambda at: whole(
            at / "a.json",
            {name.lower().replace(" ", "_"): [row[n] for row in body()] for n, name in enumerate(HEADINGS)},
        ),
        {},
    ),
    "Argilla as a data set": (
        lambda at: lines(
            at / "a.jsonl",
            [
                {"id": f"r-{d}-{s}", "status": "completed", "_server_id": "x", "call_id": d, "system": s}
                | {"dialogue": CALLS[d], "summary": text, "coherence.suggestion": 3}
                | {"coherence.responses": [value(d, s, p) for p in PEOPLE], "coherence.responses.users": list(PEOPLE)}
                | {"coherence.responses.status": ["submitted"] * 2}
                for (d, s), text in TEXTS.items()
            ],
        ),
        {"ratings": 16, "dimensions": ("coherence",)},
    ),
    "Prodigy": (
        lambda at: lines(
            at / "a.jsonl",
            [
                {"text": TEXTS[d, s], "meta": {"call_id": d, "model": s, "dialogue": CALLS[d]}, "answer": "accept"}
                | {"options": [{"id": k} for k in range(1, 6)], "accept": [value(d, s, p)], "label": "quality"}
                | {"_annotator_id": p, "_timestamp": 1763110000, "_task_hash": n, "_view_id": "choice"}
                for n, (d, s, p) in enumerate(RATED)
            ],
        ),
        {"ratings": 16, "dimensions": ("quality",)},
    ),
    "Toloka, with a rejected assignment": (
        lambda at: table(
            at / "a.tsv",
            [
                [
                    "INPUT:call_id",
                    "INPUT:dialogue",
                    "INPUT:system",
                    "INPUT:summary",
                    "ASSIGNMENT:worker_id",
                    "OUTPUT:coherence",
                    "OUTPUT:fluency",
                    "ASSIGNMENT:status",
                    "ASSIGNMENT:task_id",
                ],
                *([*row, "REJECTED" if n == 2 else "APPROVED", f"t{n}"] for n, row in enumerate(body())),
            ],
            separator="\t",
        ),
        {"ratings": 30},
    ),
    "Appen, with its own columns": (
        lambda at: table(
            at / "a.csv",
            [
                [
                    "call_id",
                    "dialogue",
                    "system",
                    "summary",
                    "_worker_id",
                    "coherence",
                    "fluency",
                    "_unit_id",
                    "_golden",
                    "_trust",
                    "_created_at",
                    "coherence_gold",
                ],
                *([*row, n, "false", 0.93, "11/14/2026 10:00:00", ""] for n, row in enumerate(body())),
            ],
        ),
        {},
    ),
    "feedback on axes": (
        lambda at: lines(
            at / "a.jsonl",
            [
                {"info": {"id": d, "post": CALLS[d]}, "worker": p, "batch": "b", "split": "valid"}
                | {
                    "summary": {
                        "text": TEXTS[d, s],
                        "policy": s,
                        "axes": {"coherence": value(d, s, p), "overall": None},
                    }
                }
                for d, s, p in RATED
            ],
        ),
        {"ratings": 16, "dimensions": ("coherence",)},
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_ratings(name: str, tmp_path: Path) -> None:
    write, expected = TABLES[name]
    check(read_corpus(write(tmp_path)), **expected)


def test_the_order_of_columns_does_not_matter(tmp_path: Path) -> None:
    rows = [HEADINGS, *body()]
    for turn in (1, 3, 5):
        check(read_corpus(table(tmp_path / "a.csv", [row[turn:] + row[:turn] for row in rows])))


def test_rows_at_the_end_with_a_text_are_data(tmp_path: Path) -> None:
    rows = [HEADINGS, *body(), ["total", CALLS["K-001"], "alpha", "Another summary.", "ann", 3, 3]]
    corpus = read_corpus(table(tmp_path / "a.csv", rows))
    assert "total" in corpus.dialogues["dialogue_id"]


def test_an_empty_id_among_repeated_ones_is_not_filled_in(tmp_path: Path) -> None:
    rows = body()
    rows[5] = ["", *rows[5][1:]]
    corpus = read_corpus(table(tmp_path / "a.csv", [HEADINGS, *rows]))
    assert [problem.reason for problem in corpus.problems] == ["the row has no dialogue_id"]


def test_a_row_for_each_utterance(tmp_path: Path) -> None:
    said = [(d, n, *line.split(": ", 1)) for d in CALLS for n, line in enumerate(CALLS[d].split("\n"))]
    rows = [["conversation_id", "turn_no", "speaker", "utterance"], *map(list, reversed(said))]
    corpus = read_corpus(table(tmp_path / "a.csv", rows), strict=True)
    assert {d.id: d.text for d in corpus.iter_dialogues()} == CALLS


def test_messages_of_one_conversation(tmp_path: Path) -> None:
    messages = [
        {"user": who, "text": text, "ts": f"17{n}.1"}
        for n, (who, text) in enumerate([("U1", "Hello there"), ("U2", "It is late"), ("U1", "I look")])
    ]
    corpus = read_corpus(whole(tmp_path / "channel.json", messages), strict=True)
    assert [(d.id, [t.speaker for t in d.turns]) for d in corpus.iter_dialogues()] == [("channel", ["U1", "U2", "U1"])]


def test_a_folder_of_json_transcripts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        turns = [{"speaker": "Agent", "text": f"Hello {name}"}, {"speaker": "Customer", "text": "It is late"}]
        whole(tmp_path / "calls" / f"{name}.json", {"turns": turns})
    for source in (tmp_path / "calls", tmp_path / "calls" / "*.json"):
        corpus = read_corpus(source, strict=True)
        assert [d.id for d in corpus.iter_dialogues()] == ["one", "two"]
        assert corpus.dialogue("two").turns[0].text == "Hello two"


def test_pairs_with_a_question_for_the_better_one(tmp_path: Path) -> None:
    rows = [
        [
            "Conversation",
            "Transcript",
            "System 1",
            "Summary 1",
            "System 2",
            "Summary 2",
            "Judge",
            "Preferred (1/2/equal)",
        ]
    ]
    rows += [
        [d, CALLS[d], "alpha", TEXTS[d, "alpha"], "beta", TEXTS[d, "beta"], p, ("1", "2", "equal")[n % 3]]
        for n, (d, p) in enumerate((d, p) for d in CALLS for p in PEOPLE)
    ]
    corpus = read_corpus(table(tmp_path / "a.tsv", rows, separator="\t"), strict=True)
    assert corpus.preferences["winner"].to_list() == ["a", "b", "tie", "a", "b", "tie", "a", "b"]


def test_a_winner_beside_ratings_of_both(tmp_path: Path) -> None:
    rows: Rows = [
        [
            "Call ID",
            "Transcript",
            "Model A",
            "Summary A",
            "Model B",
            "Summary B",
            "Rater",
            "Coherence A",
            "Coherence B",
            "Better",
        ]
    ]
    rows += [
        [
            d,
            CALLS[d],
            "alpha",
            TEXTS[d, "alpha"],
            "beta",
            TEXTS[d, "beta"],
            p,
            value(d, "alpha", p),
            value(d, "beta", p),
            "A",
        ]
        for d in CALLS
        for p in PEOPLE
    ]
    corpus = read_corpus(table(tmp_path / "a.csv", rows), strict=True)
    check(corpus, 16, ("coherence",))
    assert corpus.preferences.height == 8


def test_feedback_with_a_choice(tmp_path: Path) -> None:
    records = [
        {"info": {"id": d, "post": CALLS[d]}, "choice": n % 2, "worker": p, "extra": {"confidence": 5}}
        | {"summaries": [{"text": TEXTS[d, s], "policy": s, "note": None} for s in SYSTEMS]}
        for n, (d, p) in enumerate((d, p) for d in CALLS for p in PEOPLE)
    ]
    corpus = read_corpus(lines(tmp_path / "a.jsonl", records), strict=True)
    assert corpus.preferences["winner"].to_list() == ["a", "b"] * 4
    assert corpus.systems == ["alpha", "beta"]


def test_chosen_and_rejected(tmp_path: Path) -> None:
    rows = [["prompt", "chosen", "rejected"], *([CALLS[d], TEXTS[d, "alpha"], TEXTS[d, "beta"]] for d in CALLS)]
    corpus = read_corpus(table(tmp_path / "a.csv", rows), strict=True)
    assert (corpus.summaries.height, corpus.preferences.height) == (8, 4)
    won = [row[f"variant_{row['winner']}"] for row in corpus.preferences.iter_rows(named=True)]
    texts = dict(corpus.summaries.select("variant", "text").iter_rows())
    assert [texts[variant] for variant in won] == [TEXTS[d, "alpha"] for d in CALLS]


def test_ranks_of_two_systems(tmp_path: Path) -> None:
    rows: Rows = [["call_id", "transcript", "summary_alpha", "summary_beta", "annotator", "rank_alpha", "rank_beta"]]
    rows += [[d, CALLS[d], TEXTS[d, "alpha"], TEXTS[d, "beta"], p, 1, 2] for d in CALLS for p in PEOPLE]
    corpus = read_corpus(table(tmp_path / "a.csv", rows), strict=True)
    check(corpus, 16, ("rank",), other=True)
    assert corpus.ratings.filter(system="beta")["value"].unique().to_list() == [2.0]
    assert corpus.dimension("rank").direction == "lower"


SUBTITLES = """WEBVTT

1
00:00:01.000 --> 00:00:04.000
Maria Lopez (Support): Hello, this is the desk,
how can I help
you today?

2
00:00:05.000 --> 00:00:07.000
John Smith: My parcel is late.

3
00:00:07.000 --> 00:00:09.000
It was due on Monday: nothing came.

4
00:00:10.000 --> 00:00:11.000
Maria Lopez (Support): I will look.
John Smith: Thank you.
"""


def test_cues_of_several_lines_and_speakers(tmp_path: Path) -> None:
    (tmp_path / "zoom.vtt").write_text(SUBTITLES, encoding="utf-8")
    assert read_corpus(tmp_path / "zoom.vtt").dialogue("zoom").text.splitlines() == [
        "Maria Lopez (Support): Hello, this is the desk, how can I help you today?",
        "John Smith: My parcel is late. It was due on Monday: nothing came.",
        "Maria Lopez (Support): I will look.",
        "John Smith: Thank you.",
    ]


def test_the_head_of_an_e_mail_is_no_turn(tmp_path: Path) -> None:
    text = "From: Ann Lee <a@x.org>\nTo: Support\nSubject: Re: my parcel\n\nHello,\nit is late.\n\nAgent: We look.\n"
    (tmp_path / "mail.txt").write_text(text, encoding="utf-8")
    turns = read_corpus(tmp_path / "mail.txt").dialogue("mail").turns
    assert [turn.speaker for turn in turns] == ["Ann Lee", "Agent"]
    assert "Subject: Re: my parcel" in turns[0].text
    assert "it is late." in turns[0].text


def test_dates_before_speakers(tmp_path: Path) -> None:
    text = (
        "[14/11/2026, 10:00:01] Ann: Hello\n[14/11/2026, 10:00:05] Bob: Late: again\n14/11/2026, 10:01 - Ann: I look\n"
    )
    (tmp_path / "chat.txt").write_text(text, encoding="utf-8")
    turns = read_corpus(tmp_path / "chat.txt").dialogue("chat").turns
    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("Ann", "Hello"),
        ("Bob", "Late: again"),
        ("Ann", "I look"),
    ]
