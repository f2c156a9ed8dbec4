"""Files whose judgements, texts or people were once lost or mixed up without a word."""

import json
from pathlib import Path

import pytest

from dialgauge.corpus import read_corpus
from dialgauge.corpus._better import better_of
from dialgauge.corpus._names import heading
from dialgauge.errors import InputError

_SUMMARIES = {"bart": "Ana lost her card.", "t5": "Ana found her old card."}


def _asked(path: Path) -> str:
    """What a corpus is refused for."""
    return " ".join(said for account in read_corpus(path).accounts for said in account.too_much())


def _brat(folder: Path, joint: str = "_") -> Path:
    for who in ("kim", "lee"):
        (folder / who).mkdir(parents=True)
        for call in ("d01", "d02", "d03"):
            for system, text in _SUMMARIES.items():
                (folder / who / f"{call}{joint}{system}.txt").write_text(f"{call}: {text}\n")
                marks = "" if system == "bart" else "T1\tError 9 14\tfound\n"
                (folder / who / f"{call}{joint}{system}.ann").write_text(marks)
    return folder


@pytest.mark.parametrize("joint", ["_", "__", "."])
def test_names_of_brat_files_are_those_of_a_dialogue_and_a_system(tmp_path: Path, joint: str) -> None:
    corpus = read_corpus(_brat(tmp_path / "brat", joint))
    assert corpus.systems == ["bart", "t5"]
    assert corpus.dialogues["dialogue_id"].to_list() == ["d01", "d02", "d03"]
    assert corpus.spans.height == 12
    assert corpus.spans["start"].null_count() == 6


def test_dialogues_beside_annotated_summaries_are_read(tmp_path: Path) -> None:
    folder = _brat(tmp_path / "brat")
    (folder / "dialogues").mkdir()
    for call in ("d01", "d02", "d03"):
        (folder / "dialogues" / f"{call}.txt").write_text(f"Agent: Hello, {call}.\nAna: My card is gone.\n")
    corpus = read_corpus(folder)
    assert corpus.dialogue("d02").turns[0].text == "Hello, d02."
    assert corpus.spans.height == 12


def test_texts_of_unknown_dialogues_are_not_left_out_in_silence(tmp_path: Path) -> None:
    folder = _brat(tmp_path / "brat")
    (folder / "talks").mkdir()
    for call in ("x", "y", "z"):
        (folder / "talks" / f"{call}.txt").write_text("Agent: Hello.\nAna: My card is gone.\n")
    assert "3 texts without annotations" in _asked(folder)


_DUMP = r"""-- MySQL dump 10.13
DROP TABLE IF EXISTS `reviews`;
CREATE TABLE `reviews` (
  `call_id` varchar(8) NOT NULL,
  `system` varchar(8),
  `summary` text,
  `rater` varchar(8),
  `coherence` int DEFAULT NULL,
  PRIMARY KEY (`call_id`,`rater`)
) ENGINE=InnoDB;
INSERT INTO `reviews` VALUES ('c1','bart','Ana\'s card; it is (really) lost.','ann',4),
('c1','bart','Ana\'s card; it is (really) lost.','bob',NULL),
('c1','t5','A card.\nIt is found.','ann',2),('c1','t5','A card.\nIt is found.','bob',3);
INSERT INTO `reviews` (`rater`, `call_id`, `system`, `summary`, `coherence`) VALUES
('ann','c2','bart','Tom thanks the agent.',5),
('bob','c2','bart','Tom thanks the agent.',4),
('ann','c2','t5','Tom calls again.',1),('bob','c2','t5','Tom calls again.',2);
"""


def test_the_rows_of_a_dump_are_read(tmp_path: Path) -> None:
    (tmp_path / "dump.sql").write_text(_DUMP)
    corpus = read_corpus(tmp_path / "dump.sql")
    assert corpus.ratings["value"].drop_nulls().len() == 7
    assert "Ana's card; it is (really) lost." in corpus.summaries["text"].to_list()
    assert "A card.\nIt is found." in corpus.summaries["text"].to_list()
    assert set(corpus.ratings["annotator"]) == {"ann", "bob"}


def test_the_rows_of_a_dump_of_postgresql_are_read(tmp_path: Path) -> None:
    rows = [
        f"c{call}\t{system}\t{text}\t{who}\t{1 + (call + len(who + system)) % 5}"
        for call in (1, 2)
        for system, text in _SUMMARIES.items()
        for who in ("ann", "bobby")
    ]
    head = "-- PostgreSQL database dump\nCOPY public.reviews (call_id, system, summary, rater, coherence) FROM stdin;\n"
    (tmp_path / "dump.sql").write_text(head + "\n".join(rows) + "\n\\.\n")
    assert read_corpus(tmp_path / "dump.sql").ratings.height == 8


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CREATE TABLE a (b int);", "no rows"),
        ("INSERT INTO a SELECT * FROM b;", "no VALUES"),
        ("INSERT INTO a (b) VALUES (now());", "cannot be read without a database"),
        ("INSERT INTO a (b, c) VALUES (1);", "1 values for 2 columns"),
    ],
)
def test_a_dump_that_cannot_be_read_says_how_to_export(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "dump.sql").write_text(text)
    with pytest.raises(InputError, match=f"{said}.*export each table as CSV"):
        read_corpus(tmp_path / "dump.sql")


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("El resumen A es mejor", "a"),
        ("Prefiero el resumen B", "b"),
        ("B es mucho mejor", "b"),
        ("Izquierda", "a"),
        ("Ambos son iguales", "tie"),
        ("Los dos por igual", "tie"),
        ("Zusammenfassung A ist besser", "a"),
        ("B ist deutlich besser", "b"),
        ("Ich bevorzuge die zweite Zusammenfassung", "b"),
        ("rechts", "b"),
        ("Keine Präferenz", "tie"),
        ("beide gleich gut", "tie"),
        ("Le résumé A est meilleur", "a"),
        ("Les deux se valent", "tie"),
    ],
)
def test_sides_are_said_in_several_languages(text: str, side: str) -> None:
    assert better_of(text) == side


def test_the_type_of_a_field_is_no_dimension() -> None:
    assert heading("Usable without edits [flg]") == ("Usable without edits", None)
    assert heading("How good is it? [Coherence]") == ("Coherence", None)


def _rated(path: Path, **beside: object) -> Path:
    calls = []
    for number in range(1, 5):
        outputs = {}
        for place, (system, text) in enumerate(_SUMMARIES.items()):
            scores = [
                {"annotator": who, "scores": {"coherence": 1 + (number + n) % 5, "fluency": 1 + (place + n) % 5}}
                for n, who in enumerate(("ann", "bob"))
            ]
            outputs[system] = {"summary": f"{text} {number}", "human": scores, **beside}
        calls.append({"id": f"c{number}", "dialogue": f"Agent: Hello {number}.\nAna: Bye.", "outputs": outputs})
    path.write_text(json.dumps(calls))
    return path


def test_scores_of_a_model_are_not_those_of_an_unnamed_person(tmp_path: Path) -> None:
    corpus = read_corpus(_rated(tmp_path / "rated.json", gpt4_judge={"coherence": 3, "fluency": 5}))
    assert set(corpus.ratings["annotator"]) == {"ann", "bob", "gpt4_judge"}
    groups = {one: corpus.ratings.filter(annotator=one).height for one in ("ann", "gpt4_judge")}
    assert groups == {"ann": 16, "gpt4_judge": 16}


def test_judgements_of_nobody_beside_those_of_people_are_asked(tmp_path: Path) -> None:
    path = tmp_path / "rated.json"
    _rated(path)
    calls = json.loads(path.read_text())
    for number, call in enumerate(calls):
        for place, one in enumerate(call["outputs"].values()):
            one["ratings"] = {"coherence": 1 + (number * 3 + place) % 5, "fluency": 1 + (number + place * 2) % 5}
    path.write_text(json.dumps(calls))
    assert "of nobody" in _asked(path)


@pytest.mark.parametrize(("between", "space"), [("; ", " "), (" ", "_")])
def test_several_labels_in_a_cell_are_not_left_out_in_silence(tmp_path: Path, between: str, space: str) -> None:
    cells = ["too short;wrong name", "wrong name", "", "too short", "off point;wrong name", "off point"]
    issues = [cell.replace(" ", space).replace(";", between) for cell in cells]
    lines = ["ticket_id,model,summary,reviewer,stars,what went wrong"]
    for number in range(12):
        lines.append(
            f"{number // 2},{'xy'[number % 2]},It is text {number} of them,"
            f"{('ann', 'bob')[number % 3 // 2]},{1 + number % 5},{issues[number % 6]}"
        )
    (tmp_path / "tickets.csv").write_text("\n".join(lines) + "\n")
    stored = {"too short", "wrong name"} <= set(read_corpus(tmp_path / "tickets.csv").dimensions)
    assert stored or "'what went wrong' looks like judgements" in _asked(tmp_path / "tickets.csv")


def test_a_column_is_not_read_because_other_values_would_make_another_file_of_it(tmp_path: Path) -> None:
    lines = ["ticket_id,model,reviewer [list],summary stars [list],summary issues [mlt],AI summary [txt]"]
    issues = ["missing_info wrong_fact", "too_long", "missing_info", "wrong_fact too_long", ""]
    for number in range(12):
        who, stars = ("Ann F.", "Bob D.", "Cem S.")[number % 3], "★" * (1 + number % 4)
        text = f"Customer number {number} asked to cancel the contract and the agent agreed."
        lines.append(f"{number // 2},{'xy'[number % 2]},{who},{stars},{issues[number % 5]},{text}")
    (tmp_path / "tickets.csv").write_text("\n".join(lines) + "\n")
    assert "'summary issues [mlt]' looks like judgements" in _asked(tmp_path / "tickets.csv")


def test_groundtruth_is_a_reference(tmp_path: Path) -> None:
    rows = [f"c{n},Agent: Hello {n}. | Ana: Bye.,bart,Ana says bye {n}.,Ana leaves {n}." for n in range(4)]
    (tmp_path / "a.csv").write_text("\n".join(["id,dialogue,model,hyp,groundtruth", *rows]))
    assert read_corpus(tmp_path / "a.csv").references.height == 4
