"""The verdict on affect claims no more than its intervals allow, and says who only copies."""

from typing import Any

import polars as pl

from dialgauge.report._affect import _verdict
from dialgauge.report._affect_figures import _box


def row(
    name: str, spearman: tuple[float, float, float], adjusted: tuple[float, float, float], kind: str = "system"
) -> dict[str, Any]:
    ends = ("", "_low", "_high")
    values = {f"spearman{end}": value for end, value in zip(ends, spearman, strict=True)}
    values |= {f"adjusted{end}": value for end, value in zip(ends, adjusted, strict=True)}
    return {"kind": kind, "name": name, **values}


NONE = (0.0, 0.0, 0.0)


def test_a_lead_that_may_be_at_zero_is_said_to_be() -> None:
    rows = [row("careful", (0.71, -0.11, 1.0), (-0.1, -0.4, 0.2)), row("rough", (0.4, -0.3, 0.8), (0.07, -0.28, 0.42))]
    said = _verdict(pl.DataFrame(rows))
    assert said == (
        "careful follows the dialogues most closely (Spearman 0.71 [−0.11, 1.00]), but its interval includes zero; no "
        "system is significantly above zero. Adjusted for copying and length, no system is significantly above zero "
        "(highest: rough 0.07 [−0.28, 0.42])."
    )


def test_the_best_that_is_sure_is_named_beside_a_higher_one_that_is_not() -> None:
    rows = [row("a", (0.7, -0.1, 1.0), (0.3, -0.1, 0.6)), row("b", (0.5, 0.2, 0.7), (0.2, 0.1, 0.3))]
    said = _verdict(pl.DataFrame(rows))
    assert "but its interval includes zero; the best significantly above zero is b (0.50 [0.20, 0.70])" in said
    assert said.endswith("highest with an interval above zero: b 0.20 [0.10, 0.30].")


def test_the_best_that_is_sure_may_be_one_that_copies() -> None:
    rows = [row("a", (0.7, -0.1, 1.0), (0.3, -0.1, 0.6)), row("b", (0.5, 0.2, 0.7), NONE)]
    assert "the best significantly above zero is b, which only copies (0.50 [0.20, 0.70])" in _verdict(
        pl.DataFrame(rows)
    )


def test_a_system_that_copies_is_called_so_and_the_best_other_follows() -> None:
    rows = [
        row("B", (0.82, 0.73, 0.91), NONE),
        row("K", (0.37, 0.18, 0.56), (0.24, 0.04, 0.39)),
        row("D", (0.28, 0.09, 0.45), (0.10, 0.07, 0.19)),
        row("lead-3", (0.69, 0.55, 0.78), NONE, "control"),
        row("shuffled", (0.01, -0.08, 0.11), (0.01, -0.08, 0.1), "control"),
    ]
    said = _verdict(pl.DataFrame(rows))
    assert said.startswith("B, which only copies, follows the dialogues most closely (Spearman 0.82 [0.73, 0.91]). ")
    assert "Among systems that do not only copy, K follows" in said
    assert "the intervals of 1 of 1 others overlap with it" in said
    assert "Controls score as high (lead-3)" in said
    assert said.endswith("highest: K 0.24 [0.04, 0.39].")


def test_a_sure_lead_is_a_lead() -> None:
    rows = [row("a", (0.8, 0.7, 0.9), (0.3, 0.1, 0.6)), row("b", (0.3, 0.2, 0.4), (0.2, 0.1, 0.3))]
    said = _verdict(pl.DataFrame(rows))
    assert said.startswith("a follows the dialogues most closely (Spearman 0.80 [0.70, 0.90]). Adjusted")


def test_no_score_at_all() -> None:
    empty = pl.DataFrame([row("a", (0.8, 0.7, 0.9), NONE)]).with_columns(spearman=pl.lit(None, pl.Float64))
    assert _verdict(empty).startswith("No system has a PSentScore:")


def test_the_names_of_the_first_figure_are_not_cut() -> None:
    for name in ("PSentDial, filtered", "PSentSumm, filtered"):
        assert f">{name}<" in _box(name, "summary", None, 10.0, lambda share: share)
