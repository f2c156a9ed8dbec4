"""Paths inside specifications start at the folder of the study file; names and signatures are as the file has them."""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.affect import parse_spec, tagger
from dialgauge.corpus import Corpus, embedded_corpus, read_corpus, write_corpus
from dialgauge.errors import InputError, ModelError, UnknownNameError
from dialgauge.learn._folder_paths import registry_folder
from dialgauge.metrics import Metric, Parameter, Values, parse_request, parse_requests, register, score
from dialgauge.metrics._registry import METRICS
from dialgauge.models import resolve
from dialgauge.study import run_study
from dialgauge.study._specs import metric_specs, system_specs, tagger_spec
from dialgauge.summarize import Outcome, Summarizer, Task, register as register_summarizer
from dialgauge.summarize._registry import SUMMARIZERS

STUDY = """\
[study]
name = "s"
[corpus]
source = "calls"
[summarize]
systems = [
    "quoting:model=folder:./tables/vectors.json,text=file:said.txt",
    "named=quoting:model=folder:tables/vectors.json,text=file:said.txt",
]
[metrics]
use = ["vectors:model=folder:tables/vectors.json", "psent:tagger=lexicon:words.tsv", "lmscore:model=folder:none"]
[affect]
tagger = "lexicon:words.tsv,case=keep"
[correlation]
resamples = 20
levels = ["summary"]
coefficients = ["pearson"]
[verdict]
null_runs = 0
"""
QUOTING = "quoting:model=folder:./tables/vectors.json,text=file:said.txt"


def _quote(task: Task, parameters: Mapping[str, str]) -> Iterator[tuple[int, Outcome]]:
    assert resolve(parameters["model"]).path.is_absolute()
    text = Path(parameters["text"].removeprefix("file:")).read_text("utf-8")
    return ((i, Outcome(text, note=f"from {parameters['text']}")) for i in range(len(task.dialogues)))


@pytest.fixture(autouse=True)
def quoting() -> Iterator[None]:
    """A summarizer of a user that reads a file, and names a model."""
    parameters = {"model": Parameter("", (), "vectors"), "text": Parameter("", (), "what it says")}
    declared = {"parameters": parameters, "models": {"model": "vectors"}, "files": ("text",)}
    register_summarizer(Summarizer("quoting", "quotes", "Nobody 2026", _quote, **declared))  # type: ignore[arg-type]
    yield
    del SUMMARIZERS._entries["quoting"]


def _small() -> Corpus:
    corpus = embedded_corpus()
    return corpus.select(dialogues=corpus.dialogues["dialogue_id"].head(6))


def _study(folder: Path, golden_dir: Path, *, positive: str = "refund") -> Path:
    (folder / "tables").mkdir(parents=True)
    shutil.copy(golden_dir / "word_vectors.json", folder / "tables" / "vectors.json")
    (folder / "words.tsv").write_text(f"{positive}\tpositive\nlate\tnegative\n")
    (folder / "said.txt").write_text("The customer asks for a refund.")
    write_corpus(_small(), folder / "calls")
    (folder / "s.toml").write_text(STUDY)
    return folder / "s.toml"


def test_the_same_bytes_in_another_folder_from_anywhere(
    tmp_path: Path, golden_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _study(tmp_path / "here, with a comma" / "deep", golden_dir)
    second = _study(tmp_path / "there", golden_dir)
    monkeypatch.chdir(tmp_path)
    runs = [run_study(first)]
    monkeypatch.chdir(second.parent)
    runs.append(run_study("s.toml"))
    tables = sorted(path.relative_to(runs[0].folder) for path in runs[0].folder.rglob("*") if path.is_file())
    left = {"manifest.json", "summaries.journal.jsonl"}
    assert len(tables) > 10
    for table in tables:
        if table.name not in left:
            assert (runs[0].folder / table).read_bytes() == (runs[1].folder / table).read_bytes(), table
    fingerprints = []
    for run in runs:
        manifest = (run.folder / "manifest.json").read_text("utf-8")
        assert str(tmp_path) not in manifest
        fingerprints.append({name: entry["fingerprint"] for name, entry in json.loads(manifest)["stages"].items()})
    assert fingerprints[0] == fingerprints[1]
    monkeypatch.chdir(tmp_path)
    assert set(run_study(second).stages.values()) == {"unchanged"}


def test_names_signatures_and_values(tmp_path: Path, golden_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _study(tmp_path / "study", golden_dir)
    monkeypatch.chdir(tmp_path)
    seen: list[str] = []
    run = run_study(path, progress=lambda what, done, total: seen.append(what))
    scores, average = run.scores, "embedding-average:model=folder:tables/vectors.json"
    assert average in scores.metrics
    assert "psent:tagger=lexicon:words.tsv" in scores.metrics
    for name, signature in scores.signatures.items():
        assert str(tmp_path) not in name + signature
    fingerprint = resolve(f"folder:{path.parent}/tables/vectors.json").fingerprint[:12]
    assert f"|model:folder:tables/vectors.json#{fingerprint}|" in scores.signatures[average]
    monkeypatch.chdir(path.parent)
    by_hand = score(read_corpus(run.folder / "corpus"), [average, "psent:tagger=lexicon:words.tsv"])
    for name in by_hand.metrics:
        assert scores.frame[name].equals(by_hand.frame[name]), name
        assert scores.signatures[name] == by_hand.signatures[name]
    # What came with a family is left out with a reason, which is part of the scores.
    assert "model 'folder:none' is not here: looked in none;" in scores.left_out["lmscore-hyp:model=folder:none"]
    assert average in seen
    assert not [what for what in seen if str(tmp_path) in what]
    written = run.corpus.summaries.filter(pl.col("system").is_in([QUOTING, "named"]))
    assert set(written["system"]) == {QUOTING, "named"}
    assert set(written["text"]) == {"The customer asks for a refund."}
    made = json.loads(written.filter(system=QUOTING)["provenance"][0])
    assert made["signature"].startswith(f"quoting|model:folder:tables/vectors.json#{fingerprint}|text:file:said.txt#")
    assert made["note"] == "from file:said.txt"


def test_two_studies_do_not_take_each_others_files(tmp_path: Path, golden_dir: Path) -> None:
    name = "psent:tagger=lexicon:words.tsv"
    both = [
        run_study(_study(tmp_path / folder, golden_dir, positive=word)) for folder, word in (("a", "the"), ("b", "zzz"))
    ]
    assert not both[0].scores.frame[name].equals(both[1].scores.frame[name])
    assert both[0].scores.signatures[name] != both[1].scores.signatures[name]
    shares = [pl.read_parquet(run.folder / "psent.parquet") for run in both]
    assert not shares[0].equals(shares[1])


def test_a_system_under_a_path_is_found_again_in_the_corpus(
    tmp_path: Path, golden_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _study(tmp_path / "study", golden_dir)
    corpus = _small()
    renamed = pl.col("system").replace({"careful": QUOTING})
    corpus = Corpus(
        corpus.dialogues, corpus.summaries.with_columns(renamed), corpus.ratings.with_columns(renamed), corpus.info
    )
    shutil.rmtree(path.parent / "calls")
    write_corpus(corpus, path.parent / "calls")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"the corpus already has 6 summaries of system 'quoting:model=.*; replace"):
        run_study(path)
    path.write_text(path.read_text().replace("[metrics]", "replace = true\n[metrics]"))
    run = run_study(path)
    dropped = corpus.ratings.filter(system=QUOTING).height
    assert dropped
    stages = json.loads((run.folder / "manifest.json").read_text("utf-8"))["stages"]
    assert stages["summaries"]["ratings_dropped"] == dropped
    assert run.corpus.summaries.filter(system=QUOTING).height == 6


TRAINING = """\
[study]
name = "training"
[corpus]
source = "embedded"
[metrics]
use = ["rouge-1", "length"]
[learn]
targets = ["consistency"]
learner = "ridge"
split = "dialogues"
resamples = 0
[correlation]
resamples = 20
levels = ["summary"]
coefficients = ["pearson"]
[verdict]
null_runs = 0
"""
USING = """\
[study]
name = "using"
[corpus]
source = "embedded"
[metrics]
use = ["learned:folder={}"]
[correlation]
resamples = 20
levels = ["summary"]
coefficients = ["pearson"]
[verdict]
null_runs = 0
"""


def test_a_trained_metric_by_folder_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path / "cache"))
    study = tmp_path / "study"
    study.mkdir()
    (study / "training.toml").write_text(TRAINING)
    trained = run_study(study / "training.toml").folder / "learned" / "consistency"

    def using(folder: str) -> dict[str, str]:
        (study / "using.toml").write_text(USING.format(folder))
        return dict(run_study(study / "using.toml").scores.signatures)

    monkeypatch.chdir(tmp_path)
    [(name, by_path)] = using("runs/training/learned/consistency").items()
    assert name == "learned:folder=runs/training/learned/consistency"
    shutil.copytree(trained, study / "mine")
    assert using("mine") == {"learned:folder=mine": by_path}
    shutil.rmtree(study / "mine")
    # Where the command runs is no place to look; the registry of the user is.
    shutil.copytree(trained, tmp_path / "mine")
    with pytest.raises(InputError, match=f"{registry_folder() / 'mine'}: not a trained metric"):
        using("mine")
    shutil.copytree(trained, registry_folder() / "mine")
    (tmp_path / "mine" / "metric.json").write_text("{}")
    assert using("mine") == {"learned:folder=mine": by_path}
    shutil.rmtree(tmp_path / "mine")
    assert using("mine") == {"learned:folder=mine": by_path}
    with pytest.raises(UnknownNameError, match="unknown trained metric 'mina'; did you mean 'mine'"):
        using("mina")


def test_trust_leads_out_of_the_folder(tmp_path: Path, golden_dir: Path) -> None:
    path = _study(tmp_path / "study", golden_dir)
    (path.parent / "tables").rename(tmp_path / "tables")
    path.write_text(path.read_text().replace("tables/vectors", "../tables/vectors"))
    with pytest.raises(InputError) as caught:
        run_study(path)
    led = f"is outside of {path.parent}: {tmp_path / 'tables' / 'vectors.json'}"
    assert f"s.toml:6: summarize.systems: 'folder:./../tables/vectors.json' {led}" in str(caught.value)
    assert f"s.toml:11: metrics.use: 'folder:../tables/vectors.json' {led}" in str(caught.value)
    path.write_text(path.read_text().replace('name = "s"', 'name = "s"\noutside = true'))
    assert "embedding-average:model=folder:../tables/vectors.json" in run_study(path).scores.metrics


def test_a_file_that_is_not_there_is_named_in_full(tmp_path: Path, golden_dir: Path) -> None:
    path = _study(tmp_path / "study", golden_dir)
    path.write_text(path.read_text().replace('"vectors:model=folder:tables', '"wms:model=folder:tbales'))
    with pytest.raises(ModelError, match=f"looked in {path.parent}/tbales/vectors.json"):
        run_study(path)


HOME = Path("/home/of/it")


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ("bertscore-f1:model=folder:m", "bertscore-f1:model=folder:/home/of/it/m"),
        ("bertscore:model=folder:m@0123abcd,empty=zero", "bertscore:model=folder:/home/of/it/m@0123abcd,empty=zero"),
        (
            'bertscore-f1:model="folder:a,b",rescale=x',
            'bertscore-f1:model="folder:/home/of/it/a,b",rescale=/home/of/it/x',
        ),
        ("psent:tagger=token-dict:folder=lists", "psent:tagger=token-dict:folder=/home/of/it/lists"),
        ('psent:tagger="lexicon:a,case=keep"', 'psent:tagger="lexicon:/home/of/it/a,case=keep"'),
        ("psent:tagger=lexicon:lexicon", "psent:tagger=lexicon:/home/of/it/lexicon"),
        ("psent:tagger=contextual:folder:./m", "psent:tagger=contextual:folder:/home/of/it/m"),
        ("learned:folder=some/where", "learned:folder=/home/of/it/some/where"),
        ("learned:folder=~/some/where", f"learned:folder={Path.home()}/some/where"),
        ("encoder-head:folder=some/where", "encoder-head:folder=/home/of/it/some/where"),
        ("bertscore-f1:model=folder:/m", "bertscore-f1:model=folder:/m"),
        ("bertscore-f1:model=org/name@main", "bertscore-f1:model=org/name@main"),
        ("bertscore-f1:rescale=no", "bertscore-f1:rescale=no"),
        ("psent:tagger=contextual:org/name", "psent:tagger=contextual:org/name"),
        ("learned:folder=mine", "learned:folder=mine"),
        ("all", "all"),
        ("rouge-l@source:stem=yes", "rouge-l@source:stem=yes"),
    ],
)
def test_specifications_in_full(given: str, full: str) -> None:
    specs = metric_specs([given], HOME)
    assert specs.full == (full,)
    assert list(specs.names.values()) == [request.column for request in parse_requests([given])]


def test_what_leads_to_the_same_counts_once() -> None:
    given = ["wms:model=folder:m", "wms:model=folder:./m", f"wms:model=folder:{HOME}/m"]
    assert metric_specs(given, HOME).names == {f"wms:model=folder:{HOME}/m": "wms:model=folder:m"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model:folder:/home/of/it/m#12|v:1", "model:folder:m#12|v:1"),
        ("sst3;folder:/home/of/it/m/model#12", "sst3;folder:m/model#12"),
        ("looked in /home/of/it/m; put", "looked in m; put"),
        ("no /home/of/it/m.", "no m."),
        ("folder:/home/of/it/m.json", "folder:/home/of/it/m.json"),
        ("folder:/home/of/it/more", "folder:/home/of/it/more"),
        ("folder:/other/home/of/it/m", "folder:/other/home/of/it/m"),
    ],
)
def test_texts_as_written(text: str, expected: str) -> None:
    assert metric_specs(["wms:model=folder:./m"], HOME).text(text) == expected


def test_systems_in_full() -> None:
    specs = system_specs(["lead:n=2", "gpt=chat:model=chat:m,prompt=file:p.txt", "seq2seq:model=folder:m"], HOME)
    assert specs.full == (
        "lead:n=2",
        f"gpt=chat:model=chat:m,prompt=file:{HOME}/p.txt",
        f"seq2seq:model=folder:{HOME}/m",
    )
    assert specs.names == {
        "lead:n=2": "lead:n=2",
        "gpt": "gpt",
        f"seq2seq:model=folder:{HOME}/m": "seq2seq:model=folder:m",
    }


def test_a_metric_of_others_says_where_its_path_is() -> None:
    def path_of(given: str) -> str | None:
        kind, _, rest = given.partition(">")
        return rest.lower() if kind == "table" else None

    shared = {"family": "own", "description": "", "direction": "higher", "targets": ("none",), "range": (0, 1)}
    own = Metric(
        name="own",
        citation="",
        compute=lambda job, parameters: Values(job.texts),  # type: ignore[arg-type]
        parameters={"from": Parameter("", (), "", path=path_of)},
        **shared,  # type: ignore[arg-type]
    )
    register(own)
    try:
        assert metric_specs(["own:from=table>table"], HOME).full == (f"own:from=table>{HOME}/table",)
        assert metric_specs(["own:from=other>table"], HOME).full == ("own:from=other>table",)
        with pytest.raises(InputError, match="'table>Table': the path cannot be made absolute"):
            metric_specs(["own:from=table>Table"], HOME)
    finally:
        del METRICS._entries["own"]


def test_a_path_with_a_comma_is_quoted() -> None:
    home = Path("/home/a,b")
    assert tagger_spec("token-dict:folder=lists", home).full == ('token-dict:folder="/home/a,b/lists"',)
    assert tagger_spec("lexicon:words", home).full == ('lexicon:"/home/a,b/words"',)
    assert parse_spec(tagger_spec("lexicon:words", home).full[0]) == ("lexicon", "/home/a,b/words", {})


@given(st.lists(st.sampled_from([*"ab.-_ ,'\"@=ü", "/"]), min_size=1, max_size=12).map("".join))
def test_any_folder_can_be_named(name: str) -> None:
    home = Path("/home") / f"x{name}y".replace("/", "/z")
    [spec] = metric_specs(["wms:model=folder:m"], home).full
    assert parse_request(spec).parameters["model"] == f"folder:{home}/m"
    [request] = metric_specs(["wms:model=folder:m"], home).names
    assert parse_request(request).column == request
    if "=" not in name:
        assert parse_spec(tagger_spec("lexicon:words,case=keep", home).full[0]) == (
            "lexicon",
            f"{home}/words",
            {"case": "keep"},
        )


def test_a_tagger_that_needs_no_file_is_handed_on() -> None:
    assert tagger_spec("vader:threshold=0.5", HOME).full == ("vader:threshold=0.5",)
    assert tagger(*tagger_spec("vader", HOME).full).name == "vader"
