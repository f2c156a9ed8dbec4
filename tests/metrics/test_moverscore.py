"""MoverScore beside the values of the published programs, both versions."""

import pytest

from dialgauge.errors import ParameterError
from dialgauge.metrics import score_pairs
from tests.metrics.golden_pairs import KEYS, REFERENCES, SUMMARIES, differences, model, recorded

pytest.importorskip("torch").set_num_threads(1)
RESULTS = recorded("moverscore")["results"]
NAMES = [name for name in RESULTS["d01-A"] if name.endswith("bs1")]
#: The same words as the reference: single precision keeps equal vectors apart there, and not here.
IDENTICAL = ("d08-C", "d12-C")
COLUMN = f"moverscore:model={model('tiny-bert')},device=cpu"


def settings(name: str) -> str:
    version, idf, third, *rest = name.split("_")
    chosen = f"version={version[1]},idf={'pairs' if idf == 'idf' else 'no'},empty=published"
    if version == "v2":
        return f"{chosen},stop={'the+a+and' if third == 'stop' else 'none'}"
    return f"{chosen},ngram={third[-1]},subwords={'remove' if rest[0] == 'rmsub' else 'keep'}"


def values(chosen: str) -> list[float | None]:
    return score_pairs(SUMMARIES, REFERENCES, [f"{COLUMN},{chosen}"]).to_series(0).to_list()


@pytest.mark.parametrize("name", NAMES)
def test_equal_to_the_reference(name: str) -> None:
    found, expected = values(settings(name)), [RESULTS[key][name] for key in KEYS]
    for key in IDENTICAL if name.startswith("v2") else ():
        place = KEYS.index(key)
        assert found[place] == pytest.approx(expected[place], abs=1e-3)
        found[place] = expected[place]
    assert not differences(found, expected, 1e-6)


def test_a_summary_without_tokens_has_no_value_instead_of_a_perfect_one() -> None:
    published = values("idf=pairs,empty=published")
    sane = values("idf=pairs")
    for key in ("d02-C", "d04-C", "d12-B"):
        assert published[KEYS.index(key)] == 1.0
        assert sane[KEYS.index(key)] is None
    others = [i for i in range(36) if sane[i] is not None]
    assert [sane[i] for i in others] == pytest.approx([published[i] for i in others])


def test_a_text_is_at_no_distance_from_itself() -> None:
    for version in "12":
        found = score_pairs(REFERENCES[:3], REFERENCES[:3], [f"{COLUMN},version={version}"]).to_series(0).to_list()
        assert found == pytest.approx([1.0] * 3, abs=1e-4 if version == "1" else 1e-12)


def test_english_stop_words() -> None:
    both = [f"{COLUMN},stop={stop}" for stop in ("none", "english")]
    frame = score_pairs(["cake of the day"], ["cake for a day"], both)
    assert frame.row(0)[0] != frame.row(0)[1]
    assert score_pairs(["of the"], ["a cake"], [f"{COLUMN},stop=english,idf=distinct"]).row(0) == (None,)


def test_bad_settings() -> None:
    with pytest.raises(ParameterError, match="'version' must be '2' or '1'"):
        score_pairs(["a"], ["b"], [f"{COLUMN},version=3"])
