"""Claims: how they are declared, when they hold, what rounding leaves open, and bad declarations."""

import polars as pl
import pytest
from hypothesis import given, strategies as st

from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.reproduce import Claim, check_claims, rated_results, read_claims
from dialgauge.reproduce._conclusions import claims_from, parse_comparison
from dialgauge.reproduce._studies import printed_results


def study(name, user, agent=None):
    """A printed study of systems A and B on one dimension, for one role or two."""
    sides = {"user": user} | ({"agent": agent} if agent else {})
    rows = [
        {"system": system, "dimension": "quality", "role": role, "value": value}
        for role, values in sides.items()
        for system, value in zip("AB", values, strict=True)
    ]
    return printed_results(rows, name)


def verdicts(claim, *studies):
    return check_claims([claim], studies).frame


def claim(text, **more):
    return claims_from([{"id": "c", "claim": text, "dimension": "quality", **more}])[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A > B", ("A", ">", "B")),
        ("model one < model two", ("model one", "<", "model two")),
        ("A ≈ B", ("A", "≈", "B")),
        ("A ~ B", ("A", "≈", "B")),
        ("A >= B", ("A", "≥", "B")),
        ("A ≥ B", ("A", "≥", "B")),
        ("BERT-both improves on BERT-multi", ("BERT-both", "improves on", "BERT-multi")),
    ],
)
def test_comparisons_are_read(text, expected):
    assert parse_comparison(text) == expected


@pytest.mark.parametrize("text", ["A", "A>B", "A beats B", "> B", "A >", ""])
def test_other_comparisons_are_refused(text):
    with pytest.raises(InputError, match="write it as 'A > B'"):
        parse_comparison(text)


@pytest.mark.parametrize(
    ("relation", "difference", "margin", "holds"),
    [
        (">", 0.1, 0, True),
        (">", 0.0, 0, False),
        ("<", -0.1, 0, True),
        ("<", 0.0, 0, False),
        ("≈", 0.1, 0.1, True),
        ("≈", -0.1, 0.1, True),
        ("≈", 0.2, 0.1, False),
        ("≥", -0.1, 0.1, True),
        ("≥", 0.9, 0.1, True),
        ("≥", -0.2, 0.1, False),
    ],
)
def test_relations(relation, difference, margin, holds):
    frame = verdicts(claim(f"A {relation} B", margin=margin), study("s", (f"{3 + difference:.1f}", "3.0")))
    assert frame["verdict"][0] == ("confirmed" if holds else "not confirmed")
    assert frame["difference"][0] == pytest.approx(difference)


def test_parts_make_the_verdict():
    both, one, none = (("3.2", "3.0"), ("3.2", "3.0")), (("3.2", "3.0"), ("2.9", "3.0")), (("2.9", "3.0"),) * 2
    for sides, verdict in ((both, "confirmed"), (one, "partly"), (none, "not confirmed")):
        assert verdicts(claim("A > B"), study("s", *sides))["verdict"][0] == verdict
    assert verdicts(claim("A > B", confirmed=0.5), study("s", *one))["verdict"][0] == "confirmed"
    assert verdicts(claim("A > B", partly=0.75), study("s", *one))["verdict"][0] == "not confirmed"
    assert verdicts(claim("A > B", roles=["user"]), study("s", *one))["verdict"][0] == "confirmed"


def test_rounding_can_leave_a_verdict_open():
    row = verdicts(claim("A > B"), study("s", ("3.0", "3.0"))).row(0, named=True)
    assert (row["verdict"], row["open"]) == ("not confirmed", True)
    # One step apart in print is apart before rounding.
    assert not verdicts(claim("A > B"), study("s", ("3.1", "3.0")))["open"][0]
    assert verdicts(claim("A ≈ B", margin=0.1), study("s", ("3.1", "3.0")))["open"][0]
    assert not verdicts(claim("A ≈ B", margin=0.2), study("s", ("3.1", "3.0")))["open"][0]


def test_a_star_makes_an_improvement():
    starred, plain = ("3.4*", "3.0"), ("3.4", "3.0")
    assert verdicts(claim("A improves on B"), study("s", starred, starred))["verdict"][0] == "confirmed"
    assert verdicts(claim("A improves on B"), study("s", starred, plain))["verdict"][0] == "partly"
    unknown = verdicts(claim("A improves on B"), study("s", plain, plain)).row(0, named=True)
    assert (unknown["verdict"], unknown["open"]) == ("not confirmed", True)
    assert "not known" in unknown["note"]


def test_ratings_decide_an_improvement_by_their_t_test(make_ratings):
    results = rated_results(make_ratings(), "made")
    better, same = claims_from(
        [
            {"id": "1", "claim": "better improves on worse", "dimension": "overall"},
            {"id": "2", "claim": "plain improves on better", "dimension": ["overall", "fluency"]},
        ]
    )
    frame = check_claims([better, same], [results]).frame
    assert frame["verdict"].to_list() == ["confirmed", "not confirmed"]
    assert frame["parts"].to_list() == [2, 4]
    assert not frame["open"].any()


def test_change_is_measured_against_the_original():
    frame = verdicts(claim("A > B"), study("o", ("3.5", "3.0")), study("r", ("3.2", "3.0")))
    assert frame["change"].to_list() == pytest.approx([0, -0.3])


def test_the_overall_verdict_is_that_of_the_reproductions():
    better, worse = ("3.2", "3.0"), ("2.8", "3.0")
    agreed = check_claims([claim("A > B")], [study("o", worse), study("r1", better), study("r2", better)])
    assert agreed.overall("c") == "confirmed"
    assert agreed.confirmed == 1
    mixed = check_claims([claim("A > B")], [study("o", better), study("r1", better), study("r2", worse)])
    assert mixed.overall("c") == "partly"
    assert mixed.confirmed == 0
    with pytest.raises(UnknownNameError, match="claim"):
        mixed.overall("d")


@given(st.integers(1, 8), st.integers(0, 8), st.floats(0.01, 1), st.floats(0, 1))
def test_more_parts_never_make_a_verdict_worse(parts, holds, confirmed, partly):
    holds, partly = min(holds, parts), min(partly, confirmed)
    rule = Claim("c", "", (("A", ">", "B"),), ("q",), confirmed=confirmed, partly=partly)
    order = ["not confirmed", "partly", "confirmed"]
    if holds < parts:
        assert order.index(rule.verdict(holds, parts)) <= order.index(rule.verdict(holds + 1, parts))
    assert rule.verdict(parts, parts) == "confirmed"
    assert rule.verdict(0, parts) == "not confirmed"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"dimension": "quality"}, "no 'claim'"),
        ({"claim": "A > B"}, "no 'dimension'"),
        ({"claim": "A > B", "dimension": "quality", "colour": 1}, "colour"),
        ({"claim": 3, "dimension": "quality"}, "must be a text or a list"),
        ({"claim": "A > B", "dimension": "quality", "margin": "wide"}, "must be a number"),
        ({"claim": "A > B", "dimension": []}, "needs a comparison and a dimension"),
        ({"claim": "A > B", "dimension": "quality", "margin": -1}, "margin"),
        ({"claim": "A > B", "dimension": "quality", "confirmed": 0}, "confirmed"),
        ({"claim": "A > B", "dimension": "quality", "confirmed": 0.2, "partly": 0.5}, "confirmed"),
    ],
)
def test_bad_declarations(table, message):
    with pytest.raises((InputError, UnknownNameError, ParameterError), match=message):
        claims_from([table])


def test_two_claims_of_one_id():
    with pytest.raises(InputError, match="two claims have the id '1'"):
        claims_from([{"id": "1", "claim": "A > B", "dimension": "q"}, {"claim": "B > A", "dimension": "q", "id": "1"}])


def test_claims_about_what_a_study_does_not_have():
    results = study("s", ("3.2", "3.0"))
    with pytest.raises(UnknownNameError, match="dimension of study 's'"):
        check_claims(claims_from([{"claim": "A > B", "dimension": "qualty"}]), [results])
    with pytest.raises(InputError, match="no value for quality / user / C"):
        check_claims([claim("A > C")], [results])
    with pytest.raises(InputError, match="no value for quality / agent / A"):
        check_claims([claim("A > B", roles=["agent"])], [results])
    with pytest.raises(InputError, match="no claims"):
        check_claims([], [results])


def test_reads_a_file(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text('[[claims]]\nclaim = ["A > B", "A ≈ C"]\ndimension = "q"\nmargin = 1\n', encoding="utf-8")
    (found,) = read_claims(path)
    assert found.id == "1"
    assert found.text == "A > B; A ≈ C"
    assert found.margin == 1.0
    path.write_text("claims = 3", encoding="utf-8")
    with pytest.raises(InputError, match=r"no \[\[claims\]\]"):
        read_claims(path)
    path.write_text("[[claims", encoding="utf-8")
    with pytest.raises(InputError, match=r"claims\.toml"):
        read_claims(path)


def test_a_frame_without_gaps():
    frame = verdicts(claim("A > B"), study("o", ("3.5", "3.0")))
    assert frame.null_count().sum_horizontal()[0] == 0
    assert frame.schema["open"] == pl.Boolean
