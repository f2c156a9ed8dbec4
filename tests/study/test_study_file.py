"""Study files: what is accepted, and errors that name the line."""

from pathlib import Path

import pytest

from dialgauge.errors import InputError
from dialgauge.metaeval import CorrelationSettings
from dialgauge.ratings import RatingPolicy
from dialgauge.study import read_study_file, study_template
from dialgauge.study.stages.corpus import CorpusSection

GOOD = """\
[study]
name = "s"

[corpus]
source = "embedded"

[metrics]
use = ["rouge-1"]
"""


def error_of(tmp_path: Path, text: str) -> str:
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        read_study_file(path)
    return str(caught.value).removeprefix(str(path))


def test_defaults(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(GOOD)
    study = read_study_file(path)
    assert study.study.seed == 0
    assert study.section(RatingPolicy).aggregate == "mean"
    assert study.section(CorrelationSettings).resamples == 1000


@pytest.mark.parametrize("source", ["embedded", 'with "quotes".csv', "back\\slash.csv", "braces{}.csv", "日本.csv"])
def test_template_is_a_valid_study(tmp_path: Path, source: str) -> None:
    path = tmp_path / "my study.toml"
    path.write_text(study_template(path.name, source), "utf-8")
    study = read_study_file(path)
    assert study.section(CorpusSection).source == source
    assert study.study.name == "my-study"


#: Settings without a default, and those of a table that is left out by default.
_OPTIONAL = (
    "# systems",
    "# replace",
    "# workers",
    "# ray_address",
    "# time_limit",
    "# tagger",
    "# denominator",
    "# targets",
    "# learner",
    "# split",
    "# known",
    "# original",
    "# claims",
    "# scale",
    "# over_correction",
    "# tests",
    "# protocol",
    "# annotators",
    "# as_paper",
    "# tuned",
)


def test_template_defaults_are_the_real_defaults(tmp_path: Path) -> None:
    """Every commented-out setting shows its default: switching it on changes nothing."""
    text = study_template("study.toml", "embedded")
    plain = tmp_path / "plain.toml"
    plain.write_text(text)
    lines = []
    for line in text.splitlines():
        choice = line.startswith(("# format", "# map", "# dimensions", "# title", "# role", *_OPTIONAL))
        lines.append(line.removeprefix("# ") if line.startswith("# ") and " = " in line and not choice else line)
    switched = tmp_path / "switched.toml"
    switched.write_text("\n".join(lines))
    first, second = read_study_file(plain).model_dump(), read_study_file(switched).model_dump()
    assert second["study"].pop("output") == "runs/study"
    assert first["study"].pop("output") is None
    assert first == second


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("name", "nane"), ":2: study.nane: unknown key 'nane'; did you mean 'name'?"),
        (('"rouge-1"', '"rogue-1"'), ":8: metrics.use: unknown metric 'rogue-1'; did you mean 'rouge-1'"),
        (
            ('["rouge-1"]', '["rouge-1"]\n[affect]\ntagger = "vadr"'),
            ":10: affect.tagger: unknown tagger 'vadr'; did you",
        ),
        (
            ('["rouge-1"]', '["rouge-1"]\n[learn]\ntargets = ["x"]\nlearner = "rigde"'),
            ":11: learn.learner: unknown learner 'rigde'; did you mean 'ridge'",
        ),
        (
            ('["rouge-1"]', '["rouge-1"]\n[engine]\nname = "rai"'),
            ":10: engine.name: unknown engine 'rai'; did you mean 'ray'?",
        ),
        (
            ('["rouge-1"]', '["rouge-1"]\n[engine]\ngpus = 1.0'),
            "engine: engine 'auto': parameter 'gpus' must be left out; only the engine 'ray' takes it",
        ),
        (('["rouge-1"]', "[]"), ":8: metrics.use: must be a list of at least one"),
        (("[corpus]", "[korpus]"), ":4: korpus: unknown key 'korpus'; did you mean 'corpus'?"),
        (('source = "embedded"', "source = 3"), ":5: corpus.source: must be a text; got 3"),
        (('source = "embedded"', 'source = "embedded'), ": not valid TOML: "),
        (
            ("[metrics]", "[metrics]\nuse = 3\n[correlation]\nresample = 3\n[other]"),
            ":10: correlation.resample: must be one of 'system",
        ),
        (('name = "s"', 'name = "s"\nseed = -1'), ":3: study.seed: must be 0 or more; got -1"),
        (('name = "s"', 'name = "../s"'), ":2: study.name: "),
        (
            ("[metrics]", '[ratings]\naggregate = "meen"\n[metrics]'),
            ":8: ratings.aggregate: unknown method of aggregation 'meen'",
        ),
    ],
)
def test_errors_name_the_line(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    assert expected in error_of(tmp_path, GOOD.replace(*change))


def test_directions_are_a_list_or_a_table(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    wanted = {"redundancy": "lower", "kind": "none"}
    for text in (
        'directions = ["redundancy=lower", "kind=none"]',
        'direction = { redundancy = "lower", kind = "none" }',
    ):
        path.write_text(GOOD.replace("[metrics]", f"{text}\n[metrics]"))
        reading = read_study_file(path).section(CorpusSection).reading
        assert reading.by_dimension() == wanted
        assert reading.model_fields_set == {"directions"}, "what is not given is no choice"
    wrong = error_of(tmp_path, GOOD.replace("[metrics]", 'direction = { kind = "loer" }\n[metrics]'))
    assert wrong.startswith(":7: corpus.direction.kind: unknown direction 'loer'; did you mean 'lower'")
    wrong = error_of(tmp_path, GOOD.replace("[metrics]", 'directions = ["kind"]\n[metrics]'))
    assert wrong.startswith(":7: corpus.directions: direction 'kind': write DIMENSION=lower")


def test_missing_key_names_its_table(tmp_path: Path) -> None:
    assert ":4: corpus.source: is missing" in error_of(tmp_path, GOOD.replace('source = "embedded"', ""))


def test_every_error_is_listed(tmp_path: Path) -> None:
    text = GOOD.replace("name", "nane").replace("source", "sauce")
    message = error_of(tmp_path, text)
    assert "study.nane" in message
    assert "corpus.sauce" in message


def test_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dialgauge init"):
        read_study_file(tmp_path / "none.toml")


def test_not_text(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_study_file(path)
