"""Stored models: the same bytes for the same model, whatever process wrote them."""

import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dialgauge.learn._archive import dump, renumbered

_MAKE = """
import hashlib, numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from dialgauge.learn._archive import dump
x = np.random.default_rng(0).normal(size=(40, 3))
print(hashlib.sha256(dump(ExtraTreesRegressor(5, random_state=0).fit(x, x[:, 0]))).hexdigest())
"""


def _data():
    x = np.random.default_rng(0).normal(size=(40, 3))
    return x, x @ [1.0, 0.5, -0.25]


@pytest.mark.parametrize("model", [make_pipeline(StandardScaler(), Ridge(0.5)), ExtraTreesRegressor(5, random_state=0)])
def test_a_stored_model_predicts_the_same(model):
    skops_io = pytest.importorskip("skops.io")  # it looks through all modules there are, which takes seconds
    x, y = _data()
    model.fit(x, y)
    stored = dump(model)
    types = skops_io.get_untrusted_types(data=stored)
    assert np.array_equal(skops_io.loads(stored, trusted=types).predict(x), model.predict(x))
    assert renumbered(stored) == stored


def test_two_processes_write_the_same_bytes(capsys):
    other = subprocess.run([sys.executable, "-c", _MAKE], capture_output=True, text=True, check=True).stdout
    exec(_MAKE, {})
    assert capsys.readouterr().out == other != ""


def test_no_time_and_no_address_is_left():
    x, y = _data()
    with zipfile.ZipFile(io.BytesIO(dump(Ridge().fit(x, y)))) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert all(len(entry.filename.split(".")[0]) < 8 for entry in archive.infolist())
