"""Whether a study is reproduced, in sentences."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dialgauge.errors import counted
from dialgauge.tables import number

if TYPE_CHECKING:
    from dialgauge.reproduce._section import Block

#: What the order of the systems is called when at least this share of their pairs keeps it.
_ORDERS = ((1.0, "the same"), (0.9, "nearly the same"), (0.75, "much the same"), (0.5, "only partly the same"))


def lead(found: Mapping[str, Any], original: str) -> str:
    """The verdict: on the claims where there are any, else on the order of the systems."""
    verdicts = [claim["overall"] for claim in found["conclusions"] or ()]
    confirmed, partly = verdicts.count("confirmed"), verdicts.count("partly")
    if verdicts:
        if confirmed == len(verdicts):
            said = "the claim of {} holds" if confirmed == 1 else f"all {confirmed} claims of {{}} hold"
            return f"Confirmed: {said.format(original)} here."
        if len(verdicts) == 1:
            holds = f"the claim of {original} {'holds here in part' if partly else 'does not hold here'}."
            return f"{'Partly' if partly else 'Not'} confirmed: {holds}"
        said = f"{confirmed} of {len(verdicts)} claims of {original} hold here"
        said += f", {partly} in part" if partly else ""
        return f"Partly confirmed: {said}." if confirmed or partly else f"Not confirmed: {said}."
    kept, pairs, _ = _pairs(found)
    if not pairs:
        return f"No two systems differ both here and in {original}, so there is no order to compare."
    word = next((word for share, word in _ORDERS if kept >= share * pairs), "not the same")
    return f"The order of the systems is {word} as in {original}."


def sentences(found: Mapping[str, Any], blocks: Sequence["Block"], names: Sequence[str]) -> list[str]:
    """What the numbers say, from the order of the systems to α between the studies."""
    kept, pairs, tied = _pairs(found)
    said = []
    if pairs:
        share = f"{kept} of {counted(pairs, 'pair')} of systems ({kept / pairs:.0%}) keep their order"
        said.append(f"{share}{_over(found)}{f', and {tied} more are tied' if tied else ''}.")
    if len(names) == 2:
        said += _leaders(blocks)
    said.append(_level(blocks, names[0]))
    whole = next((row for row in found["spread"] if row["dimension"] is None and row["role"] is None), None)
    if whole:
        mean, largest = number(whole["mean"]), number(whole["largest"])
        said.append(f"CV* is {mean} on average and {largest} at most (0: identical results).")
    known = [row["alpha"] for row in found["concordance"] if row["alpha"] is not None]
    if known:
        who = "both" if len(names) == 2 else "all"
        said.append(f"On the summaries that {who} rated, α between the studies is {number(fmean(known))} on average.")
    return said


def _ordered(found: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The dimensions and roles whose pairs of systems count: a mean of dimensions does not count beside them."""
    # Runs that were made before comparisons named them have no such key: there every dimension counts.
    computed = found.get("computed_dimensions", ())
    return [row for row in found["correlations"] if row["dimension"] not in computed] or found["correlations"]


def _pairs(found: Mapping[str, Any]) -> tuple[int, int, int]:
    """How many pairs of systems keep their order, of how many that differ in both studies, and how many are tied."""
    kept, turned, tied = (sum(row[key] for row in _ordered(found)) for key in ("kept", "reversed", "tied"))
    return kept, kept + turned, tied


def _over(found: Mapping[str, Any]) -> str:
    """Over what pairs are counted, where it is more than one study, dimension or role."""
    rows = _ordered(found)
    sizes = [(len({row[key] for row in rows}), key) for key in ("study", "dimension", "role")]
    names = [counted(count, key if key != "study" else "reproduction") for count, key in sizes if count > 1]
    return f", over {' and '.join(names)}" if names else ""


def _level(blocks: Sequence["Block"], original: str) -> str:
    """Whether raters were stricter or milder than those of the original."""
    levels = sorted(((block.level, block.title) for block in blocks), key=lambda one: one[0])
    ends = levels if len(levels) == 1 else (levels[0], levels[-1])
    span = " to ".join(f"{number(level, '+.2f')} ({title})" for level, title in ends)
    return f"Compared with {original}, mean results change by {span}."


def _leaders(blocks: Sequence["Block"]) -> list[str]:
    """Where another system came out best."""
    compared = [(block.title, block.best(0), block.best(1)) for block in blocks if len(block.rows) > 1]
    others = [
        f"for {title}, {' and '.join(second)} instead of {' and '.join(first)}"
        for title, first, second in compared
        if first != second
    ]
    if not others:
        return ["The best system is the same throughout."] if compared else []
    return [f"Another system comes out best {'; '.join(others)}."]
