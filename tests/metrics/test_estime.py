"""ESTIME against the reference implementation on a tiny masked language model."""

import itertools

import pytest
import torch

from dialgauge.errors import ModelError, ParameterError
from dialgauge.metrics import score_pairs
from dialgauge.metrics._estime import Match, _groups
from tests.metrics.golden_pairs import KEYS, SOURCES, SUMMARIES, differences, model, recorded

MODEL = model("tiny-bert-mlm")
NAMES = {
    "alarms": "alarms",
    "alarms-adjusted": "alarms_adjusted",
    "alarms-all": "alarms_alltokens",
    "soft": "soft",
    "coherence": "coherence",
}
SETTINGS = {"dist8": "", "dist4": ",distance=4", "window60_margin10": ",window=60,margin=10"}


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def specification(name: str, settings: str) -> str:
    return f"estime-{name}:model={MODEL},device=cpu{settings}" + (f",embeddings={MODEL}" if name == "soft" else "")


@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("settings", SETTINGS)
def test_all_five_equal_the_reference(layer: int, settings: str) -> None:
    golden = recorded("estime")["results"]
    specs = [specification(name, f",layer={layer}{SETTINGS[settings]}") for name in NAMES]
    frame = score_pairs(SUMMARIES, SOURCES, specs)
    for column, theirs in zip(frame.columns, NAMES.values(), strict=True):
        # An empty summary is an error there and a single word has a coherence of nan: null here.
        expected = [golden[key][f"layer{layer}_{settings}"].get(theirs) for key in KEYS]
        assert not differences(frame[column].to_list(), [None if one == "nan" else one for one in expected])


def test_counts_by_hand() -> None:
    match = Match(
        pieces=[("anna", "anna"), ("calls", "call"), ("bob", "anna"), ("today", "today")],
        places=[(0, 4), (1, 5), (2, 4), (3, 9)],
        shared=[True, False, True, True],
    )
    assert (match.alarms_all, match.alarms) == (2, 1)
    assert match.alarms_adjusted == pytest.approx(1 * 4 / 3)
    # Pairs in order: 4<5, 4=4, 4<9, 5>4, 5<9, 4<9: 4 concordant, 1 discordant; 3 distinct values: tau-c = 2·3·3/(16·2).
    assert match.coherence == pytest.approx(2 * (4 - 1) * 3 / (16 * 2))
    foreign = Match([("a", "b"), ("c", "c")], [(0, 0), (1, 1)], [False, False])
    assert (foreign.alarms, foreign.alarms_adjusted) == (1, 2.0)


def test_groups_are_apart_and_complete() -> None:
    groups = list(_groups(20, 8))
    assert sorted(word for group in groups for word in group) == list(range(20))
    assert all(b - a >= 8 for group in groups for a, b in itertools.pairwise(group))
    assert list(_groups(0, 8)) == []


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (",layer=3", ParameterError, "0 to 2"),
        (",layer=1,window=600", ModelError, "window=510"),
        (",layer=1,window=60,margin=30", ParameterError, "less than half"),
        (",layer=minus", ParameterError, "layer"),
    ],
)
def test_settings_that_do_not_fit(settings: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        score_pairs(["a summary"], ["a source"], [specification("alarms", settings)])
