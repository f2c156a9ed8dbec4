"""Paths in a study file stay in its folder, unless it says that they may lead out."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dialgauge.cli._app import app
from dialgauge.corpus import embedded_corpus, write_corpus
from dialgauge.errors import InputError, ModelError
from dialgauge.study import Study, read_study_file, run_study

STUDY = '[study]\nname = "s"\n{study}\n[corpus]\nsource = "{source}"\n[metrics]\nuse = ["length"{more}]\n{tail}\n'


def write(folder: Path, *, study: str = "", source: str = "embedded", more: str = "", tail: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "s.toml").write_text(STUDY.format(study=study, source=source, more=more, tail=tail))
    return folder / "s.toml"


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"source": "../corpus"}, r":5: corpus\.source: '\.\./corpus' is outside of"),
        ({"source": "in/../../corpus"}, "corpus.source"),
        ({"source": "/etc/passwd"}, "corpus.source: '/etc/passwd' is outside of"),
        ({"source": "link"}, "corpus.source: 'link' is outside of"),
        ({"study": 'output = "../results"'}, r":3: study\.output: '\.\./results' is outside of"),
        ({"study": 'output = "/tmp/results"'}, "study.output"),
        ({"more": ', "embedding-average:model=folder:/etc/passwd"'}, "metrics.use: 'folder:/etc/passwd' is outside of"),
        ({"more": ', "bertscore-f1:rescale=/etc/passwd"'}, "metrics.use: '/etc/passwd' is outside of"),
        ({"more": ', "psent:tagger=lexicon:~/words.tsv"'}, "metrics.use: 'lexicon:~/words.tsv' is outside of"),
        ({"more": ', "learned:folder=../metric"'}, "metrics.use: '../metric' is outside of"),
        ({"more": ', "encoder-head:folder=../metric"'}, "metrics.use: '../metric' is outside of"),
        (
            {"tail": '[summarize]\nsystems = ["lead", "b=seq2seq:model=folder:/etc/bart"]'},
            r":9: summarize\.systems: 'folder:/etc/bart' is outside of",
        ),
        (
            {"tail": '[summarize]\nsystems = ["chat:model=chat:m,prompt=file:../prompt.txt"]'},
            r"summarize\.systems: 'file:\.\./prompt\.txt' is outside of",
        ),
        ({"tail": '[affect]\ntagger = "lexicon:/etc/passwd"'}, r":9: affect\.tagger: '/etc/passwd' is outside of"),
        ({"tail": '[affect]\ntagger = "token-dict:folder=/etc"'}, "affect.tagger: '/etc' is outside of"),
        ({"tail": '[affect]\ntagger = "contextual:folder:/etc"'}, "affect.tagger: '/etc' is outside of"),
    ],
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, settings: dict[str, str], key: str) -> None:
    write_corpus(embedded_corpus(), tmp_path / "corpus")
    path = write(tmp_path / "study", **settings)
    (tmp_path / "study" / "link").symlink_to(tmp_path / "corpus")
    with pytest.raises(InputError, match=f"{key}.*outside = true under .study." if "leads" in key else key):
        read_study_file(path)
    assert not (tmp_path / "results").exists()


def test_a_model_is_looked_for_beside_the_study_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the command runs: one that lies there alone is not taken, and one beside the file leads nowhere else."""
    path = write(tmp_path / "study", more=', "embedding-average:model=folder:model"')
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_study_file(path)
    with pytest.raises(ModelError, match=f"looked in {tmp_path / 'study' / 'model'};"):
        run_study(path)
    (tmp_path / "study" / "model").symlink_to(tmp_path / "model")
    with pytest.raises(InputError, match=f"is outside of {tmp_path / 'study'}: {tmp_path / 'model'}; if you trust"):
        read_study_file(path)


def test_names_are_no_paths(tmp_path: Path) -> None:
    """A model of the hub, one that comes along, and a trained metric of the registry lie where the user put them."""
    more = ', "bertscore-f1:model=org/name@main", "bertscore-f1", "psent", "learned:folder=mine"'
    assert read_study_file(write(tmp_path / "study", more=more, tail='[affect]\ntagger = "vader"'))


def test_a_file_that_says_so_may(tmp_path: Path) -> None:
    write_corpus(embedded_corpus(), tmp_path / "corpus")
    path = write(tmp_path / "study", study='outside = true\noutput = "../results"', source="../corpus")
    assert Study.load(path).output.resolve() == tmp_path / "results"
    assert run_study(path).scores.frame.height == 240


def test_the_person_at_the_keyboard_may(tmp_path: Path) -> None:
    path = write(tmp_path / "study")
    result = CliRunner().invoke(app, ["run", str(path), "-o", str(tmp_path / "elsewhere")])
    assert result.exit_code == 0
    assert (tmp_path / "elsewhere" / "report.html").exists()


def test_a_new_study_of_a_corpus_elsewhere_says_so(tmp_path: Path) -> None:
    for corpus, outside in (("../c.jsonl", True), ("c.jsonl", False), ("embedded", False)):
        result = CliRunner().invoke(app, ["init", str(tmp_path / "s.toml"), "--corpus", corpus, "--force"])
        assert result.exit_code == 0, result.output
        assert read_study_file(tmp_path / "s.toml").study.outside is outside
