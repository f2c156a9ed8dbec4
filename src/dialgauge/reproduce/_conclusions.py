"""Conclusions as data: a claim is declared once and checked in every study and setting."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

import polars as pl

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.files import parse_toml, read_utf8
from dialgauge.reproduce._studies import StudyResults
from dialgauge.reproduce._systems import paired_t_p_value, paired_values

Verdict = Literal["confirmed", "partly", "not confirmed"]
Relation = Literal[">", "<", "≈", "≥", "improves on"]

_ALIASES: dict[str, Relation] = {
    ">=": "≥",
    "~": "≈",
    ">": ">",
    "<": "<",
    "≈": "≈",
    "≥": "≥",
    "improves on": "improves on",
}
_EXPRESSION = re.compile(r"(.+?)\s+(>=|≥|>|<|≈|~|improves on)\s+(.+)")
#: Differences of printed decimals are exact only up to this.
_DUST = 1e-9

VERDICTS = pl.Schema(
    {
        "claim": pl.String,
        "study": pl.String,
        "verdict": pl.String,
        "open": pl.Boolean,
        "holds": pl.Int64,
        "parts": pl.Int64,
        "difference": pl.Float64,
        "change": pl.Float64,
        "note": pl.String,
    }
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a study concluded, in a form that another study can confirm.

    ``comparisons`` are (system, relation, other system). The claim has a part for each of them on every dimension and
    role (no ``roles``: all that the study has). A part holds where system minus other is

    - ``>`` above 0, ``<`` below 0,
    - ``≈`` between −margin and margin,
    - ``≥`` not below −margin,
    - ``improves on`` above 0 and significant at .05: by its printed star, or by the paired t-test of its ratings.

    The claim is confirmed where at least the share ``confirmed`` of its parts hold (1: all of them), partly confirmed
    where at least the share ``partly`` does (0: at least one part), and else not confirmed.
    """

    id: str
    text: str
    comparisons: tuple[tuple[str, Relation, str], ...]
    dimensions: tuple[str, ...]
    roles: tuple[str, ...] = ()
    margin: float = 0.0
    confirmed: float = 1.0
    partly: float = 0.0

    def __post_init__(self) -> None:
        where = f"claim {self.id!r}"
        if not self.comparisons or not self.dimensions:
            raise InputError(f"{where}: needs a comparison and a dimension")
        if self.margin < 0:
            raise ParameterError(where, "margin", "0 or more", self.margin)
        if not 0 <= self.partly <= self.confirmed <= 1 or self.confirmed == 0:
            raise ParameterError(where, "confirmed", "above 0, at most 1, and not below 'partly'", self.confirmed)

    def verdict(self, holds: int, parts: int) -> Verdict:
        """The verdict when ``holds`` of ``parts`` parts hold."""
        share = holds / parts
        if share >= self.confirmed - _DUST:
            return "confirmed"
        return "partly" if holds and share >= self.partly - _DUST else "not confirmed"


@dataclass(frozen=True, slots=True)
class Conclusions:
    """Claims checked in studies. ``frame`` has a row per claim and study, the original first.

    ``open`` says that rounding of the printed numbers (or a test that is not known) could change the verdict.
    ``difference`` is the mean difference over the parts, ``change`` that mean minus the original's.
    """

    claims: tuple[Claim, ...]
    studies: tuple[str, ...]
    frame: pl.DataFrame

    def overall(self, claim: str) -> Verdict:
        """One verdict over all reproductions: theirs where they agree, else partly."""
        rows = self.frame.filter((pl.col("claim") == claim) & (pl.col("study") != self.studies[0]))
        if rows.is_empty():
            raise UnknownNameError("claim", claim, [known.id for known in self.claims])
        verdicts = set(rows["verdict"])
        found: Verdict = verdicts.pop() if len(verdicts) == 1 else "partly"
        return found

    @property
    def confirmed(self) -> int:
        """How many claims all reproductions confirm."""
        return sum(self.overall(claim.id) == "confirmed" for claim in self.claims)


def parse_comparison(text: str) -> tuple[str, Relation, str]:
    """``"A > B"`` as (A, >, B); the relations are >, <, ≈ (or ~), ≥ (or >=) and "improves on"."""
    match = _EXPRESSION.fullmatch(text.strip())
    if match is None:
        raise InputError(f"claim {text!r}: write it as 'A > B', 'A < B', 'A ≈ B', 'A ≥ B' or 'A improves on B'")
    return match[1], _ALIASES[match[2]], match[3]


def read_claims(path: Path | str) -> tuple[Claim, ...]:
    """Claims from a TOML file of ``[[claims]]`` tables (see :func:`claims_from`)."""
    path = Path(path)
    data = parse_toml(read_utf8(path), str(path))
    if not isinstance(data.get("claims"), list) or not data["claims"]:
        raise InputError(f"{path}: no [[claims]]")
    return claims_from(data["claims"], str(path))


def claims_from(tables: Sequence[Mapping[str, object]], where: str = "claims") -> tuple[Claim, ...]:
    """Claims from plain data: ``id``, ``claim`` ("A > B", or several), ``dimension`` (or several) and optionally
    ``text``, ``roles``, ``margin``, ``confirmed``, ``partly``."""
    claims = []
    allowed = ("id", "text", "claim", "dimension", "roles", "margin", "confirmed", "partly")
    for number, table in enumerate(tables, start=1):
        place = f"{where}: claim {table.get('id', number)}"
        for key in table:
            if key not in allowed:
                raise UnknownNameError(f"key in {place}", key, allowed)
        for key in ("claim", "dimension"):
            if key not in table:
                raise InputError(f"{place}: no {key!r}")
        expressions = _texts(table["claim"], f"{place}: 'claim'")
        claims.append(
            Claim(
                str(table.get("id", number)),
                str(table.get("text", "; ".join(expressions))),
                tuple(parse_comparison(text) for text in expressions),
                _texts(table["dimension"], f"{place}: 'dimension'"),
                _texts(table.get("roles", []), f"{place}: 'roles'"),
                *(
                    _number(table.get(key, default), f"{place}: {key!r}")
                    for key, default in (("margin", 0.0), ("confirmed", 1.0), ("partly", 0.0))
                ),
            )
        )
    ids = [claim.id for claim in claims]
    for one in ids:
        if ids.count(one) > 1:
            raise InputError(f"{where}: two claims have the id {one!r}")
    return tuple(claims)


def _texts(value: object, where: str) -> tuple[str, ...]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(one, str) for one in values):
        raise InputError(f"{where} must be a text or a list of texts; got {value!r}")
    return tuple(values)


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where} must be a number; got {value!r}")
    return float(value)


def check_claims(claims: Sequence[Claim], studies: Sequence[StudyResults]) -> Conclusions:
    """Check every claim in every study; the first study is the original."""
    if not claims:
        raise InputError("there are no claims to check")
    rows = []
    for claim in claims:
        original: float | None = None
        for study in studies:
            parts = _parts(claim, study)
            holds = sum(part.holds for part in parts)
            least, most = sum(part.surely for part in parts), sum(part.possibly for part in parts)
            difference = fmean(part.difference for part in parts)
            original = difference if original is None else original
            rows.append(
                {
                    "claim": claim.id,
                    "study": study.name,
                    "verdict": claim.verdict(holds, len(parts)),
                    "open": claim.verdict(least, len(parts)) != claim.verdict(most, len(parts)),
                    "holds": holds,
                    "parts": len(parts),
                    "difference": difference,
                    "change": difference - original,
                    "note": "; ".join(dict.fromkeys(part.note for part in parts if part.note)),
                }
            )
    return Conclusions(tuple(claims), tuple(s.name for s in studies), pl.DataFrame(rows, schema=VERDICTS))


@dataclass(frozen=True, slots=True)
class _Part:
    """One comparison on one dimension and role: whether it holds as it stands, surely, or possibly within rounding."""

    difference: float
    holds: bool
    surely: bool
    possibly: bool
    note: str = ""


def _parts(claim: Claim, study: StudyResults) -> list[_Part]:
    cells = {(row["dimension"], row["role"], row["system"]): row for row in study.frame.iter_rows(named=True)}
    parts = []
    for dimension in claim.dimensions:
        if dimension not in study.dimensions:
            raise UnknownNameError(
                f"dimension of study {study.name!r} (claim {claim.id!r})", dimension, study.dimensions
            )
        for role in claim.roles or study.roles:
            for system, relation, other in claim.comparisons:
                for name in (system, other):
                    if (dimension, role, name) not in cells:
                        key = f"{dimension} / {role} / {name}"
                        raise InputError(f"claim {claim.id!r}: study {study.name!r} has no value for {key}")
                ours, theirs = cells[dimension, role, system], cells[dimension, role, other]
                parts.append(_part(claim, study, relation, ours, theirs))
    return parts


def _part(
    claim: Claim, study: StudyResults, relation: Relation, ours: dict[str, object], theirs: dict[str, object]
) -> _Part:
    difference = _float(ours["value"]) - _float(theirs["value"])
    reach = _float(ours["half_width"]) + _float(theirs["half_width"])
    low, high, margin = difference - reach, difference + reach, claim.margin
    match relation:
        case ">":
            return _Part(difference, difference > _DUST, _surely_above(low, reach), high > _DUST)
        case "<":
            return _Part(difference, difference < -_DUST, _surely_above(-high, reach), low < -_DUST)
        case "≈":
            holds = abs(difference) <= margin + _DUST
            surely = max(abs(low), abs(high)) <= margin + _DUST
            return _Part(difference, holds, surely, low <= margin + _DUST and high >= -margin - _DUST)
        case "≥":
            return _Part(difference, difference >= -margin - _DUST, low >= -margin - _DUST, high >= -margin - _DUST)
        case "improves on":
            significant = _significant(study, ours, theirs)
            above = difference > _DUST
            if significant is None:
                return _Part(difference, False, False, above, "whether differences are significant is not known")
            return _Part(difference, above and significant, above and significant, above and significant)


def _surely_above(low: float, reach: float) -> bool:
    """Above 0 whatever the rounding: two printed numbers that differ by one step are different before rounding too."""
    return low > -_DUST if reach else low > _DUST


def _float(value: object) -> float:
    assert isinstance(value, float)
    return value


def _significant(study: StudyResults, ours: dict[str, object], theirs: dict[str, object]) -> bool | None:
    """By the star printed at the system's value, or the paired t-test of the study's ratings; None where neither is."""
    if study.summaries is None:
        has_stars = bool((study.frame["stars"] > 0).any())
        return bool(ours["stars"]) if has_stars else None
    key = (str(ours["dimension"]), str(ours["role"]), str(ours["system"]), str(theirs["system"]))
    p = paired_t_p_value(*paired_values(study, *key))
    return p is not None and p < 0.05
