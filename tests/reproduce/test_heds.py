"""The datasheet: its keys are those of the HEDS form, it answers what the corpus knows and asks the rest."""

import json
import re
import sys

import polars as pl
import pytest

from dialgauge.cli import main
from dialgauge.corpus import write_corpus
from dialgauge.errors import InputError, UnknownNameError
from dialgauge.reproduce import draft_datasheet, heds_questions, read_answers

OUTPUTS = "heds-sample_evaluators_design-sample-number_of_system_outputs"
DEFINITION = "heds-criteria-criterion-response_elicitation-participant_criterion_definiiton"
ETHICS = "heds-ethics-review_body"


def stem(key):
    return re.sub(r"-(\d+|other_text)$", "", key)


@pytest.mark.data
def test_asks_every_question_of_the_form(data_dir):
    inventory = json.loads((data_dir / "csds" / "heds" / "heds_json_keys.json").read_text(encoding="utf-8"))["keys"]
    # The one key without a value is the list of criteria itself.
    asked = {stem(key) for key, facts in inventory.items() if facts["value_types"]}
    assert {question.key for question in heds_questions()} == asked


@pytest.mark.data
def test_writes_only_keys_of_the_form(data_dir, make_corpus, make_ratings):
    inventory = json.loads((data_dir / "csds" / "heds" / "heds_json_keys.json").read_text(encoding="utf-8"))["keys"]
    sheet = draft_datasheet(make_corpus(make_ratings())).to_json()
    for key, entry in sheet.items():
        known = inventory.get(key)
        if known is None:
            assert stem(key) in {stem(other) for other in inventory}
            continue
        types = {type(value).__name__ for value in entry["data"].values()}
        assert types == set(known["value_types"]), key
        if known["option_label"] and key.startswith("heds-system"):
            assert set(entry["text"].values()) <= set(known["option_label"])


def test_answers_come_from_the_corpus(make_corpus, make_ratings):
    sheet = draft_datasheet(make_corpus(make_ratings(dialogues=12))).to_json()
    assert sheet[OUTPUTS]["data"] == {"": "72 summaries by 3 systems of 12 dialogues"}
    assert sheet["heds-sample_evaluators_design-evaluators-number_of_evaluators"]["data"] == {"": "3"}
    elicitation = "heds-criteria-criterion-response_elicitation"
    assert sheet[f"{elicitation}-list_or_range"]["data"] == {"fluency": "0, 1, 2", "informativeness": "0, 1, 2"}
    assert sheet[f"{elicitation}-size_of_scale-1"]["data"] == {"fluency": True, "informativeness": True}
    assert sheet[f"{elicitation}-inter_annotator-agreement-1"]["text"]["fluency"] == "1. yes"
    score = sheet[f"{elicitation}-inter_annotator-agreement_score"]["data"]["fluency"]
    assert re.search(r"krippendorff-alpha \(ordinal\) 0\.\d\d \[0\.\d\d, 0\.\d\d\]", score)
    assert "mean over the sentences" in sheet[f"{elicitation}-response_aggregation"]["data"]["fluency"]
    assert sheet["heds-system-input_languages-41"]["text"] == {"": "41. English"}


def test_nothing_is_guessed(make_corpus, make_ratings):
    one = make_ratings(shared=0).filter(pl.col("annotator") == "a1").with_columns(pl.lit(None).alias("scale"))
    sheet = draft_datasheet(make_corpus(one, language=None))
    answered = {answer.key for answer in sheet.answers}
    still_open = {question.key for question, _ in sheet.open}
    assert "heds-system-input_languages" in still_open
    assert "heds-criteria-criterion-response_elicitation-list_or_range" in still_open
    assert ETHICS in still_open
    assert not answered & still_open
    assert "heds-criteria-criterion-response_elicitation-inter_annotator-agreement-2" in sheet.to_json()


def test_every_question_is_answered_or_open_once(make_corpus, make_ratings):
    sheet = draft_datasheet(make_corpus(make_ratings()))
    places = [(a.key, a.criterion) for a in sheet.answers] + [(q.key, criterion) for q, criterion in sheet.open]
    expected = {(q.key, c) for q in heds_questions() for c in (sheet.criteria if q.each else ("",))}
    assert len(places) == len(set(places))
    assert set(places) == expected


def test_own_answers_close_questions_and_come_first(make_corpus, make_ratings):
    corpus = make_corpus(make_ratings())
    answers = {ETHICS: "the committee of our faculty", DEFINITION: {"fluency": "no mistakes"}, OUTPUTS: "all of them"}
    sheet = draft_datasheet(corpus, answers=answers)
    data = sheet.to_json()
    assert data[ETHICS]["data"] == {"": "the committee of our faculty"}
    assert data[DEFINITION]["data"] == {"fluency": "no mistakes"}
    assert data[OUTPUTS]["data"] == {"": "all of them"}
    assert (DEFINITION, "informativeness") in {(question.key, criterion) for question, criterion in sheet.open}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"heds-ethics-review_bodi": "x"}, "heds-ethics-review_body"),
        ({ETHICS: {"fluency": "x"}}, "expected a text"),
        ({ETHICS: 3}, "expected a text"),
        ({DEFINITION: {"fluencey": "x"}}, "fluency"),
    ],
)
def test_bad_answers(make_corpus, make_ratings, answers, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        draft_datasheet(make_corpus(make_ratings()), answers=answers)


def test_no_ratings(make_corpus, make_ratings):
    corpus = make_corpus(make_ratings()).select(systems=[])
    with pytest.raises(InputError, match="no evaluation to describe"):
        draft_datasheet(corpus)


def test_markdown_lists_the_open_questions(make_corpus, make_ratings):
    sheet = draft_datasheet(make_corpus(make_ratings(), name="calls"))
    text = sheet.to_markdown()
    assert text.startswith("# Human Evaluation Datasheet (HEDS 3.0): calls\n")
    assert text.count("- [ ] ") == len(sheet.open)
    assert "## Criteria: fluency" in text


def test_command_writes_json_and_markdown(make_corpus, make_ratings, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_corpus(make_corpus(make_ratings()), tmp_path / "calls")
    (tmp_path / "answers.toml").write_text(f'{ETHICS} = "none"\n', encoding="utf-8")
    assert read_answers("answers.toml") == {ETHICS: "none"}

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["dialgauge", "datasheet", *arguments])
        try:
            main()
        except SystemExit as leaving:
            return leaving.code or 0
        return 0

    assert run("calls", "--answers", "answers.toml", "-o", "heds.json") == 0
    assert json.loads((tmp_path / "heds.json").read_text(encoding="utf-8"))[ETHICS]["data"] == {"": "none"}
    assert run("calls", "-o", "heds.md") == 0
    assert "## Open questions" in (tmp_path / "heds.md").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run("calls", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert {entry["key"] for entry in printed["open"]} >= {ETHICS}
    assert run("calls", "-o", "heds.docx") == 2
    (tmp_path / "answers.toml").write_text("= 3", encoding="utf-8")
    assert run("calls", "--answers", "answers.toml") == 2
