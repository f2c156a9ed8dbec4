"""Texts that differ only in their numbers are shown as one."""

from dialgauge.tables import group_alike


def test_decimals_are_one_number_and_the_range_keeps_its_digits() -> None:
    counts = {"better (0.18 → 0.20)": 1, "better (0.09 → 0.3)": 2, "9 of 10": 1, "none": 4}
    assert [(alike.text, alike.count) for alike in group_alike(counts)] == [
        ("none", 4),
        ("better (0.09 to 0.18 → 0.20 to 0.3)", 3),
        ("9 of 10", 1),
    ]
    assert group_alike(counts)[1].texts == ("better (0.09 → 0.3)", "better (0.18 → 0.20)")


def test_equal_numbers_are_no_range() -> None:
    (alike,) = group_alike({"1.0 of 2": 1, "1 of 11": 1})
    assert alike.text == "1 of 2 to 11"
    assert group_alike({}) == []
