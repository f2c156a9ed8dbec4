"""The fine-tuned encoder on SST3: twelve minutes of CPU, so only where it is asked for."""

import os
from pathlib import Path

import pytest

from dialgauge.affect import TaggerTraining, read_treebank, train_tagger
from dialgauge.models import ASSETS


@pytest.mark.data
@pytest.mark.slow
def test_minilm_reaches_its_bar_on_sst3(data_dir: Path, tmp_path: Path) -> None:
    if not os.environ.get("DIALGAUGE_LONG_TESTS"):
        pytest.skip("LONG: set DIALGAUGE_LONG_TESTS=1 to train MiniLM on SST3 (12 minutes of CPU)")
    if not (data_dir / "psent").is_dir():
        pytest.skip(f"NO STUDY DATA: {data_dir / 'psent'} does not exist")
    if not ASSETS["minilm"].present:
        pytest.skip("NO MODEL: 'dialgauge models get minilm' fetches it")
    trained = train_tagger(
        read_treebank(data_dir / "psent" / "sst3"), tmp_path / "taggers", TaggerTraining(device="cpu")
    )
    found = trained.seeds[0].test
    assert found is not None
    assert found.f1 >= 0.933
