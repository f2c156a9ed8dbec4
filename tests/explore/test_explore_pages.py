"""The pages and the same answers as JSON, as a browser or a script asks for them."""

import builtins
import importlib
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from dialgauge.corpus import Corpus, Dialogue, Rating, Summary, Turn, write_corpus
from dialgauge.errors import MissingExtraError
from dialgauge.explore import RunData, create_app
from dialgauge.metaeval import headline
from dialgauge.report._content import rankings
from dialgauge.study import FinishedRun, run_study
from dialgauge.study.stages.report import report_data

PAGES = [
    "/",
    "/?text=second+sentence",
    "/?domain=banking&system=glib&measure=rouge-1&least=0.1",
    "/?question=disagree&metric=ter&dimension=relevance&side=people",
    "/?question=unnoticed&perturbation=jumble&metric=rouge-1&page=2",
    "/?question=extremes&metric=length&end=highest",
    "/?question=divided&dimension=consistency",
    "/?question=feelings&part=negative&way=added",
    "/dialogue?id=banking-01",
    "/dialogue?id=banking-01&sort=ter&order=down&feelings=off",
    "/dialogue?id=banking-01&system=%3Ci%3Esly%3C%2Fi%3E&role=overall",
    "/metrics",
    "/metric?name=rouge-1",
    "/metric?name=length",
    "/systems",
    "/system?name=%3Ci%3Esly%3C%2Fi%3E",
]
#: Elements that the corpus of these tests tries to bring in; the templates have none of them.
FOREIGN = {"img", "i", "u", "iframe", "object", "svg", "style"}


class Elements(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(text: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(text)
    return parser.found


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_there_and_everything_in_it_is_escaped(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    found = elements(answer.text)
    assert not FOREIGN & {tag for tag, _ in found}
    for tag, attributes in found:
        assert not any(name.startswith("on") for name in attributes), (tag, attributes)
        assert tag != "script" or attributes.get("type") == "application/json"
    assert "<img" not in answer.text
    assert "<i>sly" not in answer.text
    assert "49 happy" not in answer.text, "a template in a summary is text"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_an_attack_stays_text(client: TestClient) -> None:
    page = client.get("/dialogue?id=banking-01").text
    assert "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&lt;u&gt;why&lt;/u&gt;" in page, "comments are shown"
    assert "{{ 7 * 7 }}" in page


def test_what_is_asked_for_is_escaped_too(client: TestClient) -> None:
    for name in ("text", "question", "metric", "domain"):
        page = client.get("/?" + urlencode({"question": "extremes", name: '"><img src=x onerror=alert(1)>'})).text
        assert "<img" not in page


@pytest.fixture(scope="module")
def followed() -> set[str]:
    """Links that lead somewhere: most pages have the same."""
    return set()


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_somewhere(client: TestClient, path: str, followed: set[str]) -> None:
    links = {str(attributes["href"]) for tag, attributes in elements(client.get(path).text) if tag in ("a", "link")}
    for link in sorted(links)[:40]:
        if not link.startswith("#") and link not in followed:
            assert client.get(link).status_code == 200, link
            followed.add(link)


@pytest.mark.parametrize("path", PAGES)
def test_anchors_are_there_and_ids_are_unique(client: TestClient, path: str) -> None:
    found = elements(client.get(path).text)
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert len(ids) == len(set(ids))
    inner = {str(attributes["href"])[1:] for tag, attributes in found if str(attributes.get("href")).startswith("#")}
    assert inner <= set(ids)


@pytest.mark.parametrize("path", PAGES)
def test_the_same_as_json(client: TestClient, path: str) -> None:
    answer = client.get(path + ("&" if "?" in path else "?") + "format=json")
    assert answer.status_code == 200
    assert answer.json()
    assert "NaN" not in answer.text


def test_json_of_a_question_has_keys_and_pages(client: TestClient, data: RunData) -> None:
    path = "/?question=unnoticed&perturbation=jumble&metric=rouge-1&size=10&format=json"
    first = client.get(path).json()
    assert (first["question"], first["page"], first["size"]) == ("unnoticed", 1, 10)
    rows = list(first["rows"])
    for number in range(2, first["pages"] + 1):
        rows += client.get(f"{path}&page={number}").json()["rows"]
    assert len(rows) == first["total"]
    keys = {(row["dialogue_id"], row["system"], row["variant"], row["role"]) for row in rows}
    assert len(keys) == len(rows)
    assert client.get(f"{path}&page={first['pages'] + 1}").json()["rows"] == []
    row = next(row for row in rows if row["system"] == "glib")
    assert "".join(part for part, _ in row["after"]) == row["variant_text"]
    assert any(changed for _, changed in row["after"])


def test_search_shows_what_was_found(client: TestClient) -> None:
    page = client.get("/?text=SECOND").text
    assert '<mark class="hit">second</mark> sentence' in page
    assert "No results." in client.get("/?text=xyzzy").text


def test_dialogue_page_has_everything(client: TestClient, data: RunData) -> None:
    page = client.get("/dialogue?id=banking-01").text
    dialogue = data.corpus.dialogue("banking-01")
    assert page.count('<li class="turn voice-') == len(dialogue.turns)
    assert page.count('<article class="panel"') == 8, "a reference, six systems and the sly one"
    assert 'class="feeling positive" title="positive">happy</span>' in page
    assert "rater-1" in page
    assert "Annotator <bdi>rater-1</bdi> on <bdi>consistency</bdi>" in page.replace(", relevance", "")
    assert ">merged</th>" in page
    assert "jumble" in page
    quiet = client.get("/dialogue?id=banking-01&feelings=off").text
    assert 'class="feeling' not in quiet


def test_score_table_sorts_both_ways(client: TestClient, data: RunData) -> None:
    def order(direction: str) -> list[float]:
        view = client.get(f"/dialogue?id=banking-01&sort=ter&order={direction}&format=json").json()
        values = [summary["scores"].get("ter", {}).get("value") for summary in view["summaries"]]
        return [value for value in values if value is not None]

    assert order("up") == sorted(order("up"))
    assert order("down") == sorted(order("up"), reverse=True)
    assert len(order("up")) == 7
    page = client.get("/dialogue?id=banking-01&sort=ter&order=down").text
    assert 'aria-sort="descending"' in page
    assert client.get("/dialogue?id=banking-01&sort=nothing").status_code == 404


def test_outliers_are_those_of_a_box_plot(client: TestClient, data: RunData) -> None:
    marked = 0
    for name in data.corpus.dialogues["dialogue_id"]:
        for summary in client.get(f"/dialogue?id={name}&format=json").json()["summaries"]:
            for metric, score in summary["scores"].items():
                column = data.scores.frame[metric]
                first, third = column.quantile(0.25, "linear"), column.quantile(0.75, "linear")
                assert first is not None
                assert third is not None
                low, high = first - 1.5 * (third - first), third + 1.5 * (third - first)
                expected = "low" if score["value"] < low else "high" if score["value"] > high else ""
                assert score["outlier"] == expected
                marked += bool(expected)
    assert marked > 0


def test_variants_stand_beside_their_original(client: TestClient) -> None:
    page = client.get("/dialogue?id=banking-01&system=glib&role=overall").text
    assert "<del>" in page
    assert "<ins>" in page
    assert 'id="variant-jumble-overall"' in page
    view = client.get("/dialogue?id=banking-01&system=glib&format=json").json()
    assert [variant["label"] for variant in view["variants"]] == ["jumble", "typos", "remove_punct"]
    changes = {row[0]: row for row in view["variants"][0]["changes"]}
    assert changes["rouge-1"][3:] == [0.0, False], "jumbled words went unnoticed"
    assert changes["ter"][4] is True
    assert changes["length"][4] is None, "it is descriptive"


def test_failures_and_notes_are_shown(run_folder: Path) -> None:
    import polars as pl

    from dialgauge.metrics import Scores

    changed = RunData.open(run_folder)
    key = {"dialogue_id": "banking-01", "system": "glib", "variant": "original", "role": "overall", "metric": "ter"}
    scores: Scores = changed.scores
    vars(changed)["scores"] = Scores(
        scores.frame,
        scores.signatures,
        scores.directions,
        failures=pl.DataFrame([{**key, "reason": "too <short>"}]),
        notes=pl.DataFrame([{**key, "note": "cut <off>"}]),
    )
    page = TestClient(create_app(changed), base_url="http://127.0.0.1").get("/dialogue?id=banking-01").text
    assert "too &lt;short&gt;" in page
    assert "cut &lt;off&gt;" in page


def test_sides_of_a_dialogue_and_ratings_of_sentences(tmp_path: Path) -> None:
    talk = [
        Dialogue(f"d/{n} ?", (Turn("Ann", "My parcel is lost.", "customer"), Turn("Bo", "Sorry."))) for n in range(3)
    ]
    texts = [
        Summary(one.id, system, f"{role} speaks of a parcel {system * (n + 1)}.", role=role, kind=kind)
        for n, one in enumerate(talk)
        for role in ("customer", "agent")
        for system, kind in (("a", "system"), ("b", "system"), ("r", "reference"))
    ]
    given = [
        Rating(text.dialogue_id, text.system, f"rater {who}", "correct", float(n % 3 + who), role=text.role, sentence=0)
        for n, text in enumerate(texts)
        for who in (1, 2)
        if text.kind == "system"
    ]
    write_corpus(Corpus.build(talk, texts, given), tmp_path / "corpus")
    study = tmp_path / "study.toml"
    study.write_text(
        '[study]\nname = "sides"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["rouge-1"]\n'
        '[correlation]\nrole = "customer"\nresamples = 0\n[perturbations]\nuse = ["jumble"]\n'
    )
    data = RunData.open(run_study(study).folder)
    reader = TestClient(create_app(data), base_url="http://127.0.0.1")
    page = reader.get("/dialogue?" + urlencode({"id": "d/1 ?", "system": "a"})).text
    assert "for <bdi>customer</bdi>" in page
    assert "correct, sentence 0" in page
    ids = [attributes["id"] for _, attributes in elements(page) if "id" in attributes]
    assert len(ids) == len(set(ids))
    found = reader.get("/?question=extremes&metric=rouge-1&role=agent&format=json").json()
    assert {row["role"] for row in found["rows"]} == {"agent"}
    assert 'name="role"' in reader.get("/").text
    divided = reader.get("/?question=divided&dimension=correct&format=json").json()
    assert divided["total"] == 12


def test_variants_that_the_corpus_brought_along(tmp_path: Path) -> None:
    talk = [Dialogue(f"d{n}", (Turn("Ann", "My parcel is lost."),)) for n in range(2)]
    texts = [
        Summary(one.id, system, f"A parcel of {system} is {word}.", variant=variant, kind=kind)
        for one in talk
        for system, kind in (("a", "system"), ("r", "reference"))
        for variant, word in (("original", "lost"), ("mine", "found"))
        if kind == "system" or variant == "original"
    ]
    write_corpus(Corpus.build(talk, texts), tmp_path / "corpus")
    study = tmp_path / "study.toml"
    study.write_text('[study]\nname = "own"\n[corpus]\nsource = "corpus"\n[metrics]\nuse = ["rouge-1"]\n')
    reader = TestClient(create_app(RunData.open(run_study(study).folder)), base_url="http://127.0.0.1")
    found = reader.get("/?question=extremes&metric=rouge-1&format=json").json()
    assert {row["variant"] for row in found["rows"]} == {"original"}
    page = reader.get("/dialogue?id=d0&system=a").text
    assert "<del>lost.</del>" in page
    assert "<ins>found.</ins>" in page
    assert "no expected effect" in page
    assert 'value="unnoticed"' not in reader.get("/").text


def test_constructed_ratings_are_said_to_be(client: TestClient, bare: TestClient) -> None:
    assert "no person gave them" in client.get("/").text
    assert "no person gave them" not in bare.get("/").text


def test_metric_page(client: TestClient) -> None:
    view = client.get("/metric?name=rouge-1&format=json").json()
    assert view["description"]
    assert view["signature"].startswith("rouge-1|")
    assert {row["dimension"] for row in view["correlations"]} >= {"consistency", "relevance"}
    assert len(view["worst"]["consistency"]["rows"]) == 3
    page = client.get("/metric?name=rouge-1").text
    assert "Largest disagreements with people on" in page
    assert "blind" in page


def test_system_page_has_places(client: TestClient) -> None:
    view = client.get("/system?name=careful&format=json").json()
    places = {name: place for name, _, place, _ in view["scores"]}
    assert places["length"] is None
    assert 1 <= places["rouge-1"] <= 7


def test_a_run_without_ratings(bare: TestClient) -> None:
    page = bare.get("/").text
    assert "the corpus has no ratings" in page
    assert "the study has no [perturbations]" in page
    assert "no [affect] table" in page
    assert 'value="disagree"' not in page
    assert 'value="extremes"' in page
    for path in ("/metrics", "/metric?name=rouge-1", "/systems", "/system?name=glib", "/dialogue?id=banking-01"):
        assert bare.get(path).status_code == 200
    assert bare.get("/dialogue?id=banking-01&system=glib").status_code == 200
    refused = bare.get("/?question=divided&format=json")
    assert refused.status_code == 422
    assert "no ratings" in refused.json()["error"]


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/dialogue?id=nope", 404, "unknown dialogue"),
        ("/dialogue?id=banking-01&system=nobody", 404, "nobody"),
        ("/dialogue", 422, "id"),
        ("/metric?name=rouge-x", 404, "rouge-x"),
        ("/system?name=nobody", 404, "nobody"),
        ("/nowhere", 404, "page does not exist"),
        ("/?page=0", 422, "page"),
        ("/?least=low&measure=ter", 422, "must be a number"),
        ("/?least=inf&measure=ter", 422, "must be a number"),
        ("/?least=1", 422, "measure"),
        ("/?question=why", 404, "unknown question"),
        ("/?question=extremes&metric=none", 404, "none"),
        ("/?domain=nowhere", 404, "domain"),
    ],
)
def test_mistakes_get_a_page_that_says_what_is_wrong(client: TestClient, path: str, status: int, words: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert words in answer.text
    program = client.get(path + ("&" if "?" in path else "?") + "format=json")
    assert program.status_code == status
    assert words in program.json()["error"]


def test_a_file_that_was_changed_is_not_shown(run_folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run_folder, copy)
    with (copy / "scores.parquet").open("ab") as file:
        file.write(b"x")
    answer = TestClient(create_app(RunData.open(copy)), base_url="http://127.0.0.1").get("/")
    assert answer.status_code == 422
    assert "changed since the run wrote it" in answer.text


def test_read_only_and_ours_alone(client: TestClient) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/").status_code == 405
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/static/../_app.py").status_code == 404
    assert client.get("/static/explore/explore.css").status_code == 200


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fake(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".")[0] == "fastapi":
            raise ModuleNotFoundError("No module named 'fastapi'", name="fastapi")
        return real(name, *rest, **more)

    for module in [name for name in sys.modules if name.startswith("dialgauge.explore._app")]:
        monkeypatch.delitem(sys.modules, module)
    explore = importlib.import_module("dialgauge.explore")
    monkeypatch.delitem(vars(explore), "create_app", raising=False)  # another test may have loaded it
    monkeypatch.setattr(builtins, "__import__", fake)
    with pytest.raises(MissingExtraError, match=r"dialgauge\[annotate\]"):
        _ = explore.create_app


def test_the_table_of_metrics_has_the_numbers_of_the_report(client: TestClient, run_folder: Path) -> None:
    run = FinishedRun.open(run_folder)
    data = report_data(run, run.stage("report")["settings"])
    level, coefficient = headline(data.correlations)
    shown = {row["metric"]: row["correlations"] for row in client.get("/metrics?format=json").json()}
    ranked = rankings(data, level, coefficient)
    assert ranked
    for ranking in ranked:
        for entry in ranking.estimates:
            assert shown[entry.metric][ranking.dimension] == entry.value
    assert f"{coefficient.title()}, {level} level" in client.get("/metrics").text


def test_a_page_past_the_end_leads_back(client: TestClient) -> None:
    assert 'href="/?page=1"' in client.get("/?page=999").text
    pages = client.get("/?size=2&format=json").json()["pages"]
    assert pages > 1
    assert f'href="/?page={pages}&amp;size=2"' in client.get("/?page=999&size=2").text


def test_what_is_unknown_is_named_alone(client: TestClient) -> None:
    assert (
        "unknown system with a summary of banking-01 &#39;nope&#39;"
        in client.get("/dialogue?id=banking-01&system=nope").text
    )
    said = client.get("/dialogue?id=banking-01&system=glib&role=nope&format=json").json()["error"]
    assert said == "unknown role of a summary of banking-01 by glib 'nope'; known: overall"
    assert client.get("/?format=xml").status_code == 422
    assert "must be &#39;html&#39; or &#39;json&#39;" in client.get("/metrics?format=xml").text
