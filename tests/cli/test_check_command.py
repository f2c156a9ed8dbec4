"""``dialgauge check``: a transcript, a corpus, standard input; for people, as JSON and as a page; exit codes."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.checks import PARSER, VECTORS
from dialgauge.cli._app import app
from dialgauge.errors import DialgaugeError
from dialgauge.models import load_parser, load_vectors

CALL = "Tom: Can you book the room for Friday at half past three?\nInes: Sure, I'll book it for you.\nTom: thanks"
WRONG = "Ines will book the room for Friday at 5:00."
RIGHT = "Ines will book the room for Friday at 3:30."


@pytest.fixture(scope="module", autouse=True)
def models() -> None:
    try:
        load_parser(PARSER)
        load_vectors(VECTORS)
    except DialgaugeError as error:
        pytest.skip(f"NO PARSER OR VECTORS: {error}")


@pytest.fixture
def call(tmp_path: Path) -> Path:
    path = tmp_path / "call.txt"
    path.write_text(CALL, "utf-8")
    return path


def run(*arguments: object, stdin: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["check", *map(str, arguments)], input=stdin)
    return result.exit_code, result.output + (str(result.exception) if result.exception else "")


def test_the_turn_is_shown_beside_what_is_doubtful(call: Path) -> None:
    code, output = run(call, "--summary", WRONG)
    assert code == 0
    assert "contradicted" in output
    assert "where turn 1 (Tom) says" in output.replace("\n", " ")
    assert "half past three" in output


@pytest.mark.parametrize(("summary", "code"), [(WRONG, 1), (RIGHT, 0)])
def test_a_limit_sets_the_exit_status(call: Path, summary: str, code: int) -> None:
    assert run(call, "--summary", summary, "--fail-under", "0.4")[0] == code


def test_fewer_expected_errors_raise_the_probability(call: Path) -> None:
    half, few = (
        json.loads(run(call, "--summary", WRONG, "--json", "--error-rate", rate)[1])["summaries"][0]["p_right"]
        for rate in ("0.5", "0.05")
    )
    assert half < few


def test_standard_input_is_a_transcript_or_a_summary(call: Path) -> None:
    said = run(call, "--summary", WRONG, "--json")[1]
    assert run("-", "--summary", WRONG, "--json", stdin=CALL)[1] == said
    assert run(call, "--summary", "-", "--json", stdin=WRONG)[1] == said


def test_a_corpus_is_checked_whole(tmp_path: Path) -> None:
    rows = [{"dialogue": CALL, "system": name, "summary": text} for name, text in (("a", WRONG), ("b", RIGHT))]
    path = tmp_path / "calls.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    page = tmp_path / "page.html"
    code, output = run(path, "--html", page)
    assert code == 0
    assert "contradicted" in output
    html = page.read_text("utf-8")
    assert "<mark>half past three</mark>" in html
    assert html.count('<article class="panel checked"') == 2
    found = json.loads(run(path, "--json")[1].partition("{")[1] + run(path, "--json")[1].partition("{")[2])
    assert {one["system"] for one in found["summaries"]} == {"a", "b"}


def test_a_page_holds_texts_and_no_markup_of_theirs(call: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(call, "--summary", "<script>alert(1)</script> Ines pays $5.", "--html", page)
    assert "<script>" not in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.txt", "--summary", "x"), "no such file"),
        (("-", "--summary", "-"), "only one of the transcript and the summary"),
        (("-",), "needs its summary"),
    ],
)
def test_bad_input_is_an_error(arguments: tuple[str, ...], message: str) -> None:
    code, output = run(*arguments)
    assert code != 0
    assert message in output


@pytest.mark.parametrize(("option", "value"), [("--error-rate", "0"), ("--error-rate", "1"), ("--fail-under", "2")])
def test_limits_of_the_options(call: Path, option: str, value: str) -> None:
    code, output = run(call, "--summary", RIGHT, option, value)
    assert code != 0
    assert "must be" in output


def test_an_empty_summary_is_an_error(call: Path) -> None:
    code, output = run(call, "--summary", " ")
    assert code != 0
    assert "the summary is empty" in output
