"""The same question gets the same answer in Python, on the command line and in a study file.

First every field of every settings type: a value given by any of the three entrances is the same value. Then whole
questions on the embedded corpus, with the defaults and with other answers to every field: the same bytes.
"""

import json
import random
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

from dialgauge.affect import AffectSettings, psent_score
from dialgauge.cli._settings import flag_of, with_options
from dialgauge.corpus import (
    Choice,
    Corpus,
    Dialogue,
    Preference,
    Rating,
    Span,
    Summary,
    Turn,
    embedded_corpus,
    write_corpus,
)
from dialgauge.engine import EngineSettings
from dialgauge.errors import DialgaugeError, InputError
from dialgauge.learn import LearnSettings
from dialgauge.metaeval import (
    CorrelationSettings,
    LabelSettings,
    MetricEvaluation,
    RobustnessSettings,
    SystemComparisonSettings,
    compare_systems,
    evaluate_judgements,
    evaluate_metrics,
    trust,
)
from dialgauge.metrics import Scores, score
from dialgauge.perturb import perturb
from dialgauge.ratings import (
    AgreementSettings,
    JudgementSettings,
    RatingPolicy,
    agreement,
    best_worst_results,
    preference_results,
    span_results,
)
from dialgauge.settings import Settings, choices_of, default_of
from dialgauge.study import analyse_variants, read_study_file, run_study
from dialgauge.study._graph import all_stages

PACKAGE = Path(str(import_module("dialgauge").__file__)).parent
METRICS = ["rouge-1", "chrf", "ter", "length"]


def settings_types() -> list[type[Settings]]:
    """Every settings type of the package, sections of the study file included."""
    import_module("dialgauge.resampling")
    for path in sorted(PACKAGE.glob("*/_settings.py")):
        if path.parent.name != "cli":
            import_module(f"dialgauge.{path.parent.name}._settings")
    all_stages()

    def below(kind: type[Settings]) -> Iterator[type[Settings]]:
        for one in kind.__subclasses__():
            if one.__module__.startswith("dialgauge."):
                yield one
            yield from below(one)

    return sorted(set(below(Settings)), key=lambda kind: (kind.__module__, kind.__name__))


#: Values of fields that a validator knows more about than their type says.
SPECIAL: dict[str, Any] = {
    "aggregate": "median",
    "allow_left_out": "20%",
    "directions": ("redundancy=lower", "a=none"),
    "scale_words": ("poor<fair<good", "fluency:low<high"),
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
    "CorpusSection.ratings": ["more.csv"],
    "map": {"summary": "hyp"},
    "direction": {"redundancy": "lower"},
    "also": ("runs/other",),
    "MetricsSection.use": ("rouge-1", "chrf"),
    "PerturbationsSection.use": ("typos", "jumble"),
    "SummarizeSection.systems": ("lead", "textrank"),
}
#: What a section does not take, or not beside other answers: [tweak_to_trust] has the variants of [perturbations], and
#: what a chat model writes needs no parser and no gate.
REFUSED = {"TweakSection": ("perturbations",), "PerturbationsSection": ("parser", "gate")}


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
    return {
        name: SPECIAL.get(f"{kind.__name__}.{name}") or other_value(name, field.annotation, default_of(field))
        for name, field in kind.model_fields.items()
        if name not in REFUSED.get(kind.__name__, ())
    }


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
    assert all(getattr(wanted, name) != default_of(kind.model_fields[name]) for name in values)
    assert kind.model_validate(tomllib.loads(as_toml(values))) == wanted
    refused = set(REFUSED.get(kind.__name__, ()))
    stored = json.loads(wanted.model_dump_json(exclude=refused))  # as it stands in a manifest
    assert kind.model_validate(stored) == wanted
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
class Places:
    """The files that a question is asked about: a corpus (and its name), scores of it, and a finished study."""

    source: str
    corpus: Corpus
    scores: Path
    run: Path


def _table_of(name: str) -> Callable[[Path], Any]:
    return lambda folder: pl.read_parquet(folder / f"{name}.parquet").to_dicts()


@dataclass(frozen=True)
class Question:
    """A question: how it is asked in Python, by which command, and where a study has the answer.

    ``sections`` of the study file take the answers to its fields, which ``kinds`` declare.
    """

    ask: Callable[[Places, Mapping[str, Any]], Any]
    command: Callable[[Places], list[str]]
    answer: Callable[[Any], Any]
    sections: Mapping[str, tuple[str, ...]]
    stored: Callable[[Path], Any]
    kinds: tuple[type[Settings], ...]
    extra: str = ""
    corpus: str = "embedded"


CORRELATION = ("levels", "coefficients", "resample", "resamples", "confidence", "role")
POLICY = ("aggregate", "clean", "on_invalid", "dimensions")
#: The results for judgements that are not ratings: what commands call them, and the tables of a study.
JUDGED = {
    ("preferences", "systems"): "preferred-systems",
    ("preferences", "facts"): "preference-facts",
    ("best_worst", "systems"): "best-worst",
    ("best_worst", "reliability"): "best-worst-reliability",
    ("spans", "agreement"): "span-agreement",
    ("spans", "labels"): "span-labels",
    ("spans", "systems"): "span-systems",
}
QUESTIONS = {
    "correlate": Question(
        ask=lambda at, asked: _evaluated(at, asked).correlations.frame.to_dicts(),
        command=lambda at: ["correlate", at.source, str(at.scores)],
        answer=lambda document: document["correlations"],
        sections={"correlation": CORRELATION, "ratings": POLICY},
        stored=_table_of("correlations"),
        kinds=(CorrelationSettings, RatingPolicy),
    ),
    "ceiling": Question(
        ask=lambda at, asked: _ceiling(at, asked),
        command=lambda at: ["correlate", at.source, str(at.scores)],
        answer=lambda document: document["human_ceiling"],
        sections={"correlation": CORRELATION, "ratings": POLICY},
        stored=_table_of("ceiling"),
        kinds=(CorrelationSettings, RatingPolicy),
    ),
    "agreement": Question(
        ask=lambda at, asked: agreement(at.corpus.ratings, ["krippendorff-alpha"], **asked).frame.to_dicts(),
        command=lambda at: ["agreement", at.source, "--measure", "krippendorff-alpha"],
        answer=lambda document: document["agreement"],
        sections={"ratings": POLICY, "correlation": ("resamples", "confidence")},
        stored=_table_of("agreement"),
        kinds=(AgreementSettings, RatingPolicy),
    ),
    "robustness": Question(
        ask=lambda at, asked: _robustness(at, asked),
        command=lambda at: ["robustness", at.source, *_repeated("-m", METRICS), "-p", "typos", "-p", "jumble"],
        answer=lambda document: document["cards"],
        sections={
            "perturbations": ("dimensions", "margin", "priors", "effects"),
            "correlation": ("resamples", "confidence"),
        },
        stored=_table_of("robustness"),
        kinds=(RobustnessSettings,),
        extra='[perturbations]\nuse = ["typos", "jumble"]\n',
    ),
    "affect": Question(
        ask=lambda at, asked: psent_score(at.corpus, **asked).frame.to_dicts(),
        command=lambda at: ["affect", "score", at.source],
        answer=lambda document: document["scores"],
        sections={"affect": ("tagger", "denominator", "tags", "several", "resamples", "confidence")},
        # A study measures each role as well, as another side.
        stored=lambda folder: pl.read_parquet(folder / "psentscore.parquet").drop("side").to_dicts(),
        kinds=(AffectSettings,),
        extra="[affect]\n",
    ),
    "compare-systems": Question(
        ask=lambda at, asked: _compared(at, asked),
        command=lambda at: ["compare-systems", at.source, str(at.scores)],
        answer=lambda document: [document["comparisons"], document["same_winner"]],
        sections={
            "systems": ("systems", "baseline", "metrics", "correction", "resamples", "confidence"),
            "ratings": POLICY,
        },
        stored=lambda folder: [_table_of(name)(folder) for name in ("system-comparisons", "same-winner")],
        kinds=(SystemComparisonSettings, RatingPolicy),
    ),
    "judgements": Question(
        ask=lambda at, asked: _judgements(at.corpus, JudgementSettings(**asked)),
        command=lambda at: ["agreement", at.source],
        answer=lambda document: [document[kind][part] for kind, part in JUDGED],
        sections={"judgements": ("severities", "splits", "resamples", "confidence")},
        stored=lambda folder: [_table_of(name)(folder) for name in JUDGED.values()],
        kinds=(JudgementSettings,),
        corpus="made",
    ),
    "labels": Question(
        ask=lambda at, asked: _labels(at, asked),
        command=lambda at: ["correlate", at.source, str(at.scores)],
        answer=lambda document: [document["judgements"]["labels"], document["judgements"]["preferences"]],
        sections={"judgements": ("resamples", "confidence"), "ratings": ("dimensions",)},
        stored=lambda folder: [_table_of(name)(folder) for name in ("label-measures", "preference-accuracy")],
        kinds=(LabelSettings, RatingPolicy),
        corpus="made",
    ),
    # The command shows what a study has decided, so its options are those of the study.
    "verdict": Question(
        ask=lambda at, asked: trust(at.corpus, Scores.load(at.scores), **asked).to_dict(),
        command=lambda at: ["verdict", str(at.run)],
        answer=lambda document: document,
        sections={
            "verdict": ("level", "coefficient", "null_runs", "controls", "resamples", "confidence"),
            "ratings": POLICY,
        },
        stored=lambda folder: json.loads((folder / "verdict.json").read_text("utf-8")),
        kinds=(),
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
    "affect": {
        "denominator": "pieces",
        "tags": "count",
        "several": "mean",
        "resamples": 40,
        "confidence": 0.8,
        "seed": 7,
    },
    "compare-systems": {
        "systems": ("careful", "glib", "terse"),
        "metrics": ("rouge-1", "length"),
        "correction": "benjamini-hochberg",
        "resamples": 40,
        "confidence": 0.8,
        "aggregate": "median",
        "dimensions": ("consistency",),
        "seed": 8,
    },
    "judgements": {"severities": {"major": 3.0}, "splits": 20, "resamples": 40, "confidence": 0.8, "seed": 9},
    "labels": {"resamples": 40, "confidence": 0.8, "dimensions": ("correct", "better"), "seed": 10},
    "verdict": {
        "level": "global",
        "coefficient": "spearman",
        "null_runs": 20,
        "controls": False,
        "resamples": 200,
        "confidence": 0.8,
        "aggregate": "majority-or-mean",
        "dimensions": ("consistency", "fluency"),
        "seed": 11,
    },
}


def made_corpus() -> Corpus:
    """Three systems with labels, preferences, best-worst choices and marked errors."""
    draw = random.Random(0)
    ids, systems, people = [f"d{n}" for n in range(12)], ["a", "b", "c"], ["ann", "bo"]
    key = [(d, s, who) for d in ids for s in systems for who in people]
    summaries = [
        Summary(d, s, " ".join(["The agent calls back", *["soon"] * draw.randint(0, 4)])) for d in ids for s in systems
    ]
    better = [
        Preference(
            d, one, other, who, "better", draw.choice("aab") if one == "a" else draw.choice("ab"), shown_first="a"
        )
        for d in ids
        for one, other in (("a", "b"), ("b", "c"), ("a", "c"))
        for who in people
    ]
    chosen = []
    for d in ids:
        for who in people:
            order = draw.sample(systems, 3)
            chosen += [
                Choice(d, f"{d} {who}", who, "favourite", system, choice)
                for system, choice in zip(order, ("best", "neither", "worst"), strict=True)
            ]
    return Corpus.build(
        [Dialogue(d, (Turn("A", "The bill is wrong and the agent will call back soon."),)) for d in ids],
        [*summaries, *(Summary(d, "reference", "The agent calls back soon.", kind="reference") for d in ids)],
        [Rating(d, s, who, "correct", float(draw.random() < 0.6), scale="yes/no") for d, s, who in key],
        preferences=better,
        choices=chosen,
        spans=[
            Span(d, s, who, "errors", 1, 4, 9, label=draw.choice("xy"), severity=draw.choice(["major", "minor"]))
            for d, s, who in key
            if draw.random() < 0.7
        ],
    )


#: With the defaults, two questions have one answer.
EVALUATED: dict[str, MetricEvaluation] = {}


def _evaluated(at: Places, asked: Mapping[str, Any]) -> MetricEvaluation:
    key = json.dumps(asked)
    if key not in EVALUATED:
        EVALUATED[key] = evaluate_metrics(at.corpus, Scores.load(at.scores), **asked)
    return EVALUATED[key]


def _ceiling(at: Places, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    ceiling = _evaluated(at, asked).ceiling
    assert ceiling is not None
    return ceiling.frame.to_dicts()


def _robustness(at: Places, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    settings = RobustnessSettings(**asked)
    made = perturb(at.corpus, ["typos", "jumble"], seed=settings.seed).corpus
    return analyse_variants(made, score(made, METRICS), settings).robustness.cards.to_dicts()


def _compared(at: Places, asked: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    found = compare_systems(at.corpus, Scores.load(at.scores), **asked)
    return [found.frame.to_dicts(), found.agreement.to_dicts()]


def _judgements(corpus: Corpus, settings: JudgementSettings) -> list[list[dict[str, Any]]]:
    found = {
        "preferences": preference_results(corpus.preferences, settings),
        "best_worst": best_worst_results(corpus.choices, settings),
        "spans": span_results(corpus.spans, corpus.summaries, settings),
    }
    return [getattr(found[kind], part).to_dicts() for kind, part in JUDGED]


def _labels(at: Places, asked: Mapping[str, Any]) -> list[list[dict[str, Any]]]:
    found = evaluate_judgements(at.corpus, Scores.load(at.scores), **asked)
    assert found.labels is not None
    assert found.preferences is not None
    return [found.labels.frame.to_dicts(), found.preferences.frame.to_dicts()]


def _repeated(flag: str, values: list[str]) -> list[str]:
    return [part for value in values for part in (flag, value)]


CORPORA = {"embedded": embedded_corpus, "made": made_corpus}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Places]:
    """Runs a study of a corpus. Several questions with their defaults are parts of the same study."""

    @cache
    def corpus(name: str) -> tuple[Corpus, Path, Path]:
        home = tmp_path_factory.mktemp(name)
        made = CORPORA[name]()
        score(made, METRICS).save(home / "scores.parquet")
        write_corpus(made, home / "corpus")
        return made, home / "corpus", home / "scores.parquet"

    @cache
    def run(name: str, text: str) -> Places:
        made, folder, scores = corpus(name)
        path = tmp_path_factory.mktemp("study") / "study.toml"
        source = "embedded" if name == "embedded" else str(folder)
        path.write_text(text.replace("SOURCE", source))
        return Places(source, made, scores, run_study(path).folder)

    return run


def _study_file(question: Question, asked: Mapping[str, Any]) -> str:
    tables: dict[str, dict[str, Any]] = {"study": {"name": "s", "seed": asked.get("seed", 0), "outside": True}}
    # Most questions are not about the verdict, whose shuffled runs take longest.
    tables |= {"corpus": {"source": "SOURCE"}, "metrics": {"use": METRICS}, "verdict": {"null_runs": 0}}
    text = ""
    for name, keys in question.sections.items():
        tables[name] = {key: asked[key] for key in keys if key in asked}
    tables = {name: values for name, values in tables.items() if values or name in question.extra}
    for name, values in tables.items():
        head = question.extra if name in question.extra else f"[{name}]\n"
        text += f"{head}{as_toml(values)}\n\n"
    return text


@pytest.fixture(scope="module")
def printed() -> dict[tuple[str, ...], Any]:
    """What commands have printed."""
    return {}


def _options(question: Question, asked: Mapping[str, Any]) -> list[str]:
    return [
        part
        for key, value in asked.items()
        for kind in [next((kind for kind in question.kinds if key in kind.model_fields), None)]
        if kind is not None
        for part in as_options(kind, {key: value})
    ]


@pytest.mark.parametrize("other", [False, True], ids=["defaults", "other answers"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_the_same_question_has_the_same_answer(
    name: str,
    other: bool,
    places: Callable[[str, str], Places],
    cli: Callable[..., Any],
    printed: dict[tuple[str, ...], Any],
) -> None:
    question, asked = QUESTIONS[name], OTHER[name] if other else {}
    at = places(question.corpus, _study_file(question, asked))
    in_python = question.ask(at, asked)
    command = (*question.command(at), *_options(question, asked), "--json")
    if command not in printed:
        done = cli(*command)
        assert done.code == 0, done.err
        printed[command] = json.loads(done.out)
    assert in_python
    assert json.dumps(in_python) == json.dumps(question.answer(printed[command]))
    assert json.dumps(in_python) == json.dumps(question.stored(at.run))
