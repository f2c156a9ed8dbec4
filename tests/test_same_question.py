"""The same question gets the same answer in Python, on the command line and in a study file.

First every field of every settings type: a value given by any of the three entrances is the same value. Then whole
questions on the embedded corpus, with the defaults and with other answers to every field: the same bytes.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from dialgauge.affect import AffectSettings
from dialgauge.cli._settings import flag_of, with_options
from dialgauge.corpus import embedded_corpus
from dialgauge.engine import EngineSettings
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.learn import LearnSettings
from dialgauge.metaeval import CorrelationSettings, MetricEvaluation, RobustnessSettings, evaluate_metrics
from dialgauge.metrics import Scores, score
from dialgauge.perturb import perturb
from dialgauge.ratings import agreement
from dialgauge.settings import Settings, choices_of, default_of
from dialgauge.study import analyse_variants, read_study_file, run_study

PACKAGE = Path(str(import_module("dialgauge").__file__)).parent
METRICS = ["rouge-1", "chrf", "ter", "length"]


def settings_types() -> list[type[Settings]]:
    """Every settings type of the package."""
    import_module("dialgauge.resampling")
    for path in sorted(PACKAGE.glob("*/_settings.py")):
        if path.parent.name != "cli":
            import_module(f"dialgauge.{path.parent.name}._settings")

    def below(kind: type[Settings]) -> Iterator[type[Settings]]:
        for one in kind.__subclasses__():
            # Sections of the study file that add keys of their own are tested with their stages.
            if one.__module__ == "dialgauge.resampling" or one.__module__.endswith("._settings"):
                yield one
            yield from below(one)

    return sorted(set(below(Settings)), key=lambda kind: (kind.__module__, kind.__name__))


#: Values of fields that a validator knows more about than their type says.
SPECIAL: dict[str, Any] = {
    "aggregate": "median",
    "allow_left_out": "20%",
    "directions": ("redundancy=lower", "a=none"),
    "scale": "1-5",
    "learner": "ridge",
    "split": "systems",
    "effects": {"shout": {"fluency": "degrades"}},
    "severities": {"major": 3.0},
    "resamples": 50,
    "tagger": "token-dict",
    "texts": ("coverage",),
    "metrics": ("rouge-1", "chrf"),
    "price": "1/2",
    "base_url": "https://example.org/v1",
    "device": "cpu",
    "limit": 50,
    "window": 50,
    "seeds": (3, 4),
    "metric": "bartscore-hyp",
    "classifiers": ("svm", "ordinal"),
    "rounding": "half-even",
    "sets": ("full", "filtered"),
    "conditions": ("original+domain", "original+baseline"),
    "longest": 60,
    "models": ("unieval=folder:other",),
}


def other_value(name: str, kind: Any, default: Any) -> Any:
    """An allowed value of a field that is not its default."""
    if name in SPECIAL:
        return SPECIAL[name]
    while get_origin(kind) is Annotated or type(None) in get_args(kind):
        kind = next(part for part in get_args(kind) if part is not type(None))
    if isinstance(kind, type) and issubclass(kind, Settings):
        return kind(**other_values(kind))
    choices = choices_of(kind)
    if get_origin(kind) is tuple:
        if int in get_args(kind):
            return (3, 4)
        return tuple(reversed(choices))[:2] if choices else ("one", "two")
    if choices:
        return next(choice for choice in choices if choice != default)
    if kind is bool:
        return not default
    if kind is int:
        return (default or 2) + 1
    if kind is float:
        return (default or 0.5) * 0.9
    return "other"


def other_values(kind: type[Settings]) -> dict[str, Any]:
    return {name: other_value(name, field.annotation, default_of(field)) for name, field in kind.model_fields.items()}


def as_options(kind: type[Settings], values: Mapping[str, Any]) -> list[str]:
    """Values as one types them."""
    typed: list[str] = []
    for name, value in values.items():
        field = kind.model_fields[name]
        flag, _, other = flag_of(name, field).partition("/")
        if isinstance(value, bool):
            typed.append(flag if value else other)
        elif isinstance(value, dict):
            typed += [part for k, v in value.items() if isinstance(v, float) for part in (flag, f"{k}={v}")]
            nested = {k: v for k, v in value.items() if isinstance(v, dict)}
            typed += [part for k, v in nested.items() for d, e in v.items() for part in (flag, f"{k}:{d}={e}")]
        else:
            typed += [part for one in (value if isinstance(value, tuple) else (value,)) for part in (flag, str(one))]
    return typed


def as_toml(values: Mapping[str, Any]) -> str:
    """Values as they stand in a table of a study file."""
    lines = []
    for name, value in values.items():
        if isinstance(value, Settings):
            lines.append(f"{name} = {_inline(value.model_dump(mode='json'))}")
            continue
        if isinstance(value, dict):
            inner = ", ".join(f"{k} = {_inline(v) if isinstance(v, dict) else json.dumps(v)}" for k, v in value.items())
            lines.append(f"{name} = {{ {inner} }}")
        else:
            lines.append(f"{name} = {json.dumps(list(value) if isinstance(value, tuple) else value)}")
    return "\n".join(lines)


def _inline(table: Mapping[str, Any]) -> str:
    parts = (f"{k} = {_inline(v) if isinstance(v, dict) else json.dumps(v)}" for k, v in table.items())
    return f"{{ {', '.join(parts)} }}"


@pytest.mark.parametrize("kind", settings_types(), ids=lambda kind: kind.__name__)
def test_every_field_is_the_same_by_every_entrance(kind: type[Settings]) -> None:
    values = other_values(kind)
    if "ray_address" in values:
        values["name"] = "ray"  # which the others are for
    wanted = kind(**values)
    assert all(getattr(wanted, name) != default_of(field) for name, field in kind.model_fields.items())
    assert kind.model_validate(tomllib.loads(as_toml(values))) == wanted
    assert kind.model_validate(json.loads(wanted.model_dump_json())) == wanted  # as it stands in a manifest
    options = {
        name: value
        for name, value in values.items()
        if (kind.model_fields[name].json_schema_extra or {})["option"]  # type: ignore[index, call-overload]
    }
    seen: list[Settings] = []

    @with_options
    def command(settings: kind) -> None:  # type: ignore[valid-type]
        """Ask."""
        seen.append(settings)

    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, as_options(kind, options), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert seen == [kind(**options)]


def test_every_field_says_what_it_is() -> None:
    silent = [
        f"{kind.__name__}.{name}"
        for kind in settings_types()
        for name, field in kind.model_fields.items()
        if not (field.description or "").endswith(".") or not kind.__doc__
    ]
    assert silent == []


#: What is wrong, in which section of a study file, and what is said about it by every entrance.
WRONG = [
    ("correlation", CorrelationSettings, "levels", ("sytem",), "unknown level 'sytem'; did you mean 'system'?"),
    ("correlation", CorrelationSettings, "resample", "dialogues", "unknown resample 'dialogues'; known: both, inputs"),
    ("correlation", CorrelationSettings, "resamples", 3, "must be 0 (no interval) or at least 20; got 3"),
    ("correlation", CorrelationSettings, "confidence", 2.0, "must be between 0 and 1; got 2.0"),
    ("learn", LearnSettings, "learner", "rigde", "unknown learner 'rigde'; did you mean 'ridge'?"),
    ("engine", EngineSettings, "name", "rai", "unknown engine 'rai'; did you mean 'ray'?"),
    ("affect", AffectSettings, "tagger", "vadr", "unknown tagger 'vadr'; did you mean 'vader'?"),
]


@pytest.mark.parametrize(("section", "kind", "key", "value", "message"), WRONG, ids=[row[2] for row in WRONG])
def test_a_wrong_value_is_refused_in_the_same_words(
    section: str, kind: type[Settings], key: str, value: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(DialgaugeError, match=re.escape(message)):
        kind(**{key: value})

    @with_options
    def command(settings: kind) -> None:  # type: ignore[valid-type]
        """Ask."""

    app = typer.Typer()
    app.command()(command)
    refused = CliRunner().invoke(app, as_options(kind, {key: value})).exception
    flag = flag_of(key, kind.model_fields[key])
    assert isinstance(refused, InputError)
    assert re.match(f"{flag}:? {re.escape(message)}", str(refused))
    head = '[study]\nname = "s"\n[corpus]\nsource = "embedded"\n[metrics]\nuse = ["ter"]\n'
    path = tmp_path / "study.toml"
    path.write_text(f"{head}[{section}]\n{as_toml({key: value})}\n")
    with pytest.raises(InputError) as in_file:
        read_study_file(path)
    assert re.search(
        rf"^{re.escape(str(path))}:8: {section}\.{key}(\.0)?: {re.escape(message)}", str(in_file.value), re.M
    )


# Whole questions.


@dataclass(frozen=True)
class Question:
    """A question: how it is asked in Python, by which command, and what of a study answers it."""

    ask: Callable[[Scores, Mapping[str, Any]], list[dict[str, Any]]]
    command: Callable[[Path], list[str]]
    answer: Callable[[Any], list[dict[str, Any]]]
    sections: Mapping[str, tuple[str, ...]]
    table: str
    extra: str = ""


CORRELATION = ("levels", "coefficients", "resample", "resamples", "confidence", "role")
POLICY = ("aggregate", "clean", "on_invalid", "dimensions")
QUESTIONS = {
    "correlate": Question(
        ask=lambda scores, asked: _evaluated(scores, asked).correlations.frame.to_dicts(),
        command=lambda scores: ["correlate", "embedded", str(scores)],
        answer=lambda document: document["correlations"],
        sections={"correlation": CORRELATION, "ratings": POLICY},
        table="correlations",
    ),
    "ceiling": Question(
        ask=lambda scores, asked: _ceiling(scores, asked),
        command=lambda scores: ["correlate", "embedded", str(scores)],
        answer=lambda document: document["human_ceiling"],
        sections={"correlation": CORRELATION, "ratings": POLICY},
        table="ceiling",
    ),
    "agreement": Question(
        ask=lambda scores, asked: agreement(
            embedded_corpus().ratings, ["krippendorff-alpha"], **asked
        ).frame.to_dicts(),
        command=lambda scores: ["agreement", "embedded", "--measure", "krippendorff-alpha"],
        answer=lambda document: document["agreement"],
        sections={"ratings": POLICY, "correlation": ("resamples", "confidence")},
        table="agreement",
    ),
    "robustness": Question(
        ask=lambda scores, asked: _robustness(asked),
        command=lambda scores: ["robustness", "embedded", *_repeated("-m", METRICS), "-p", "typos", "-p", "jumble"],
        answer=lambda document: document["cards"],
        sections={
            "perturbations": ("dimensions", "margin", "priors", "effects"),
            "correlation": ("resamples", "confidence"),
        },
        table="robustness",
        extra='[perturbations]\nuse = ["typos", "jumble"]\n',
    ),
}
OTHER: dict[str, dict[str, Any]] = {
    "correlate": {
        "levels": ("summary", "global"),
        "coefficients": ("kendall",),
        "resample": "inputs",
        "resamples": 40,
        "confidence": 0.8,
        "aggregate": "majority-or-mean",
        "clean": "majority-noise-removal",
        "on_invalid": "keep",
        "dimensions": ("consistency", "fluency"),
        "seed": 3,
    },
    "ceiling": {"levels": ("summary",), "aggregate": "model", "resamples": 40, "seed": 2},
    "agreement": {"on_invalid": "keep", "dimensions": ("relevance",), "resamples": 40, "confidence": 0.8, "seed": 5},
    "robustness": {"margin": 0.5, "dimensions": ("fluency",), "resamples": 40, "confidence": 0.8, "seed": 6},
}


def _repeated(flag: str, values: list[str]) -> list[str]:
    return [part for value in values for part in (flag, value)]


#: With the defaults, two questions have one answer.
EVALUATED: dict[str, MetricEvaluation] = {}


def _evaluated(scores: Scores, asked: Mapping[str, Any]) -> MetricEvaluation:
    key = json.dumps(asked)
    if key not in EVALUATED:
        EVALUATED[key] = evaluate_metrics(embedded_corpus(), scores, **asked)
    return EVALUATED[key]


def _ceiling(scores: Scores, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    ceiling = _evaluated(scores, asked).ceiling
    assert ceiling is not None
    return ceiling.frame.to_dicts()


def _robustness(asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    settings = RobustnessSettings(**asked)
    made = perturb(embedded_corpus(), ["typos", "jumble"], seed=settings.seed).corpus
    return analyse_variants(made, score(made, METRICS), settings).robustness.cards.to_dicts()


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.parquet"
    score(embedded_corpus(), METRICS).save(path)
    return path


def _study_file(question: Question, asked: Mapping[str, Any]) -> str:
    tables: dict[str, dict[str, Any]] = {"study": {"name": "s", "seed": asked.get("seed", 0)}}
    # None of the questions is about the verdict, whose shuffled runs take longest.
    tables |= {"corpus": {"source": "embedded"}, "metrics": {"use": METRICS}, "verdict": {"null_runs": 0}}
    text = ""
    for name, keys in question.sections.items():
        tables[name] = {key: asked[key] for key in keys if key in asked}
    tables = {name: values for name, values in tables.items() if values or name in question.extra}
    for name, values in tables.items():
        head = question.extra if name in question.extra else f"[{name}]\n"
        text += f"{head}{as_toml(values)}\n\n"
    return text


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Runs a study and gives its folder. Several questions with their defaults are parts of the same study."""

    @cache
    def run(text: str) -> Path:
        path = tmp_path_factory.mktemp("study") / "study.toml"
        path.write_text(text)
        return run_study(path).folder

    return run


@pytest.fixture(scope="module")
def printed() -> dict[tuple[str, ...], Any]:
    """What commands have printed."""
    return {}


@pytest.mark.parametrize("other", [False, True], ids=["defaults", "other answers"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_question_has_the_same_answer(
    name: str,
    other: bool,
    scores: Path,
    run_folder: Callable[[str], Path],
    cli: Callable[..., Any],
    printed: dict[tuple[str, ...], Any],
) -> None:
    question, asked = QUESTIONS[name], OTHER[name] if other else {}
    in_python = question.ask(Scores.load(scores), asked)
    options = [
        part
        for key, value in asked.items()
        for one in (value if isinstance(value, tuple) else (value,))
        for part in (f"--{key.removesuffix('s') if isinstance(value, tuple) else key}".replace("_", "-"), str(one))
    ]
    command = (*question.command(scores), *options, "--json")
    if command not in printed:
        done = cli(*command)
        assert done.code == 0, done.err
        printed[command] = json.loads(done.out)
    by_command = question.answer(printed[command])
    folder = run_folder(_study_file(question, asked))
    in_study = pl.read_parquet(folder / f"{question.table}.parquet").to_dicts()
    assert in_python
    assert json.dumps(in_python) == json.dumps(by_command)
    assert json.dumps(in_python) == json.dumps(in_study)
