"""What kind of judgement a dimension is, and which way is better: as declared, else from its name and its values."""

import re
import unicodedata
from collections.abc import Iterable
from typing import get_args

import polars as pl

from dialgauge.corpus._schema import DIMENSIONS
from dialgauge.corpus._types import Dimension, Direction, JudgementKind
from dialgauge.errors import InputError

YES_NO = "yes/no"
#: Words in the name of a dimension on which less is better.
_LOWER = frozenset(
    [
        "redundancy",
        "redundant",
        "repetition",
        "repetitions",
        "repetitiveness",
        "repetitive",
        "hallucination",
        "hallucinations",
        "hallucinated",
        "error",
        "errors",
        "mistake",
        "mistakes",
        "rank",
        "ranking",
        "harm",
        "harmful",
        "harmfulness",
        "toxicity",
        "toxic",
        "contradiction",
        "contradictions",
        "contradictory",
        "omission",
        "omissions",
        "inconsistency",
        "inconsistencies",
        "inconsistent",
        "ungrammaticality",
        "ungrammatical",
        "incoherence",
        "incoherent",
        "unfaithful",
        "unfaithfulness",
        "bias",
        "biased",
        "misinformation",
        "missing",
        "unnecessary",
        "irrelevant",
        "effort",
        "distortion",
        "distortions",
        *("fehler", "fehleranzahl", "fehlerzahl", "halluzination", "halluzinationen", "auslassung", "auslassungen"),
        *("widerspruch", "widerspruche", "wiederholung", "wiederholungen", "redundanz", "verzerrung", "rang"),
        *("erreur", "erreurs", "oubli", "oublis", "contradictions", "redondance", "rang", "repetitions"),
        *("errores", "alucinacion", "alucinaciones", "omisiones", "omision", "repeticion", "repeticiones"),
        *("redundancia", "contradiccion", "contradicciones", "errore", "errori", "allucinazione", "allucinazioni"),
        *("omissione", "omissioni", "ripetizione", "ripetizioni", "ridondanza", "erro", "erros", "alucinacao"),
        *(
            "alucinacoes",
            "omissao",
            "omissoes",
            "repeticao",
            "fout",
            "fouten",
            "hallucinatie",
            "weglating",
            "herhaling",
        ),
    ]
)
#: Words before one of those that turn it around: non-redundancy, lack of errors, error-free.
#: How statements speak of faults: "The summary leaves out something important.", "It is hard to read".
_FAULTY = re.compile(
    r"\b(?:leaves? out|omits?|misse[sd]|invent(?:s|ed)|fabricat\w+|makes? (?:things )?up|made up|hard to|difficult to"
    r"|confusing|too (?:long|short)|contradicts?|mislead(?:s|ing)|wrong|incorrect|unclear|unsupported|inaccurate"
    r"|lasst \w+ aus|erfindet|schwer zu|falsch|omet|oublie|invente|difficile|omite|inventa|dificil)\b"
)
_NOT = frozenset(
    [
        *("non", "no", "not", "lack", "without", "free", "absence", "avoids", "avoidance", "nothing", "none"),
        *("kein", "keine", "keinerlei", "ohne", "sans", "aucun", "aucune", "pas", "sin", "ninguna", "ningun", "senza"),
        *("doesn", "don", "didn", "isn", "aren", "never", "cannot", "rien", "nada", "niente", "nichts", "nicht"),
        *("nessun", "nessuna", "sem", "nenhum", "nenhuma", "geen", "zonder"),
    ]
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
#: An integer above this is a point of a slider, not of a scale with names.
_MOST_POINTS = 11


def is_lower_better(name: str) -> bool:
    """Whether the name of a dimension says that less is better: ``redundancy``, ``error_count``, ``hallucinations``."""
    words = _words(name)
    words = words[1:] if words[:2] == ["no", "of"] else words  # "No. of errors"
    faulty = any(word in _LOWER for word in words) or _FAULTY.search(" ".join(words)) is not None
    return faulty and not _NOT.intersection(words)


def speaks_of_faults(name: str) -> bool:
    """Whether a name is that of faults, or of being without them: ``error_count``, ``no_errors``."""
    return any(word in _LOWER for word in _words(name))


def _words(name: str) -> list[str]:
    """The words of a name in small letters without accents."""
    plain = name if name.isascii() else "".join(unicodedata.normalize("NFKD", letter)[0] for letter in name)
    return [word.lower() for word in _WORD.findall(plain)]


#: "no_errors" is how many there are where some have none and some have several.
_NUMBER_OF = re.compile(r"no[\W_].*s", re.IGNORECASE)


def _counts_faults(name: str, values: pl.Series) -> bool:
    given = values.drop_nulls()
    counted = bool((given == 0).any()) and bool((given > 1).any())
    return counted and bool(_NUMBER_OF.fullmatch(name)) and speaks_of_faults(name)


def direction_by_name(name: str) -> Direction:
    """The direction that a dimension's name suggests; more is better unless it says otherwise."""
    return "lower" if is_lower_better(name) else "higher"


def kind_of_values(values: pl.Series, scale: str | None) -> JudgementKind:
    """Binary, ordinal or interval: from the scale where one is known, else from all values of the dimension."""
    if scale == YES_NO:
        return "binary"
    given = values.drop_nulls()
    whole = bool((given == given.floor()).all())
    if scale is not None:
        bounds = re.fullmatch(r"\s*(-?\d+)\s*-\s*(-?\d+)\s*", scale)
        if bounds is None:
            return "ordinal" if whole else "interval"
        low, high = int(bounds[1]), int(bounds[2])
        if (low, high) == (0, 1) and whole:
            return "binary"
        return "ordinal" if whole and high - low < _MOST_POINTS else "interval"
    if len(given) and given.is_in([0.0, 1.0]).all():
        return "binary"
    few = len(given) == 0 or (given.min() >= 0 and given.max() < _MOST_POINTS)  # type: ignore[operator]
    return "ordinal" if whole and few else "interval"


def describe_ratings(name: str, ratings: pl.DataFrame) -> Dimension:
    """A dimension of ratings that nobody declared. ``ratings`` has those of this dimension."""
    scales = ratings["scale"].drop_nulls().unique().to_list()
    scale = scales[0] if len(scales) == 1 else None
    kind = kind_of_values(ratings["value"], scale)
    lower = is_lower_better(name) or (scale is None and _counts_faults(name, ratings["value"]))
    return Dimension(name, kind, scale, (), "lower" if lower else "higher", "name" if lower else "values")


def dimension_frame(dimensions: Iterable[Dimension]) -> pl.DataFrame:
    """Dimensions as a frame, a row each."""
    rows = [(d.name, d.kind, d.scale, list(d.labels), d.direction, d.said_by) for d in dimensions]
    return pl.DataFrame(rows, schema=DIMENSIONS, orient="row")


def check_declared(dimensions: Iterable[Dimension], corpus: str) -> None:
    """Refuse declarations that contradict each other or say what is not known."""
    seen: set[str] = set()
    for dimension in dimensions:
        place = f"corpus {corpus!r}: dimension {dimension.name!r}"
        if dimension.name in seen:
            raise InputError(f"{place} is declared twice")
        seen.add(dimension.name)
        for key, value, known in (
            ("kind", dimension.kind, get_args(JudgementKind)),
            ("direction", dimension.direction, get_args(Direction)),
            ("said_by", dimension.said_by, ("user", "file", "name", "values")),
        ):
            if value not in known:
                raise InputError(f"{place}: {key} must be one of {', '.join(known)}; got {value!r}")
