"""The file of the result cache: what is kept is found, what is damaged is not, and it never grows without end."""

import math
import sqlite3
import subprocess
import sys
import time
import warnings
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given, settings, strategies as st

from dialgauge.engine import Entry, ResultCache, _cache as module, results_cache
from dialgauge.errors import DialgaugeError, ParameterError


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def filled(folder: Path, count: int = 10, **settings: int) -> ResultCache:
    cache = ResultCache(folder / "results.db", **settings)
    assert cache.keep("m", [(key(i), Entry(float(i))) for i in range(count)])
    return cache


texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(st.floats(), texts, texts), max_size=20))
@example([(-0.0, None, None), (math.nan, "", "\x00")])
@settings(max_examples=40, deadline=None)
def test_what_is_kept_is_found(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, str, str]]) -> None:
    cache = ResultCache(tmp_path_factory.mktemp("cache") / "results.db")
    entries = {key(i): Entry(*row) for i, row in enumerate(rows)}
    assert cache.keep("m", entries.items())
    found = cache.find([*entries, key(999)])
    assert found.keys() == entries.keys()
    for name, entry in entries.items():
        same = found[name].number == entry.number or (math.isnan(found[name].number) and math.isnan(entry.number))
        assert (same and math.copysign(1, found[name].number) == math.copysign(1, entry.number)) or math.isnan(
            entry.number
        )
        assert (found[name].reason, found[name].note) == (entry.reason, entry.note)


def test_a_later_value_replaces_an_earlier_one(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    cache.keep("m", [(key(3), Entry(30.0))])
    assert cache.find([key(3)])[key(3)].number == 30.0
    assert cache.stats().entries == 10


def test_many_keys_at_once(tmp_path: Path) -> None:
    cache = filled(tmp_path, 2000)
    assert len(cache.find([key(i) for i in range(2500)])) == 2000


@pytest.mark.parametrize(("column", "value"), [("number", 7.5), ("number", "text"), ("reason", "made up"), ("note", 3)])
def test_a_damaged_entry_is_dropped_with_a_warning(tmp_path: Path, column: str, value: object) -> None:
    cache = filled(tmp_path)
    with sqlite3.connect(cache.path) as connection:
        connection.execute(f"UPDATE entries SET {column} = ? WHERE key = ?", (value, key(4)))
    with pytest.warns(UserWarning, match="1 damaged entries in the result cache .* dropped and computed again"):
        found = cache.find([key(i) for i in range(10)])
    assert found.keys() == {key(i) for i in range(10)} - {key(4)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert key(4) not in cache.find([key(4)])
    cache.keep("m", [(key(4), Entry(4.0))])
    assert cache.find([key(4)])[key(4)].number == 4.0


def test_verify_reads_everything(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    assert cache.verify() == module.CacheCheck(10, 0)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE entries SET checksum = x'00' WHERE key IN (?, ?)", (key(1), key(2)))
    assert cache.verify() == module.CacheCheck(8, 2)
    assert cache.verify() == module.CacheCheck(8, 0)
    assert ResultCache(tmp_path / "none" / "results.db").verify() == module.CacheCheck(0, 0)


@pytest.mark.parametrize("damage", ["no database", "torn"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, damage: str) -> None:
    cache = filled(tmp_path, 3000)
    data = cache.path.read_bytes()
    torn = data[:4096] + Random(1).randbytes(len(data) - 4096)
    broken = b"this is no database " * 500 if damage == "no database" else torn
    cache.path.write_bytes(broken)
    with pytest.warns(UserWarning, match=r"is damaged .* renamed to results\.db\.damaged-1"):
        found = cache.find([key(i) for i in range(3000)])
    assert not found
    assert (tmp_path / "results.db.damaged-1").read_bytes()[:4096] == broken[:4096]
    assert cache.keep("m", [(key(1), Entry(1.0))])
    assert cache.find([key(1)]) == {key(1): Entry(1.0)}
    assert cache.stats().set_aside == (tmp_path / "results.db.damaged-1",)
    cache.clear()
    assert not (tmp_path / "results.db.damaged-1").exists()


def test_asking_about_a_damaged_file(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    cache.path.write_bytes(b"this is no database " * 500)
    with pytest.raises(DialgaugeError, match=r"is damaged .*set it aside with 'dialgauge cache verify'"):
        cache.stats()
    assert cache.verify().set_aside == tmp_path / "results.db.damaged-1"
    cache.path.write_bytes(b"this is no database " * 500)
    cache.clear()
    assert [path.name for path in tmp_path.iterdir()] == []


def test_the_cache_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.warns(UserWarning, match="layout 99, and this dialgauge knows 1"):
        assert cache.find([key(1)]) == {}
    with pytest.raises(DialgaugeError, match="later version"):
        cache.stats()
    assert cache.path.exists()


def test_the_size_is_bounded_and_the_least_used_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, draw = [1000.0], Random(1)
    monkeypatch.setattr(time, "time", lambda: now[0])
    limit = 400_000
    cache = ResultCache(tmp_path / "results.db", limit)
    for chunk in range(60):
        now[0] += 100
        cache.keep("m", [(draw.randbytes(32) if i else key(chunk), Entry(1.0, note="n" * 50)) for i in range(100)])
        assert cache.find([key(0)]), "what is read again and again stays"
    stats = cache.stats()
    assert stats.bytes_used <= limit
    assert stats.bytes_on_disk < 2.5 * limit  # the log of writes is bounded as well
    assert 10 <= stats.entries / 100 < 60
    kept = [chunk for chunk in range(60) if cache.find([key(chunk)])]
    assert kept[0] == 0
    assert kept[1:] == list(range(kept[1], 60)), "of the others the oldest are gone"


def test_a_clock_that_was_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept after it is not taken for the oldest."""
    monkeypatch.setattr(time, "time", lambda: 5e9)
    cache = ResultCache(tmp_path / "results.db", 100_000)
    for chunk in range(4):
        assert cache.keep("m", [(key(1000 * chunk + i), Entry(1.0)) for i in range(160)])
    monkeypatch.setattr(time, "time", lambda: 1e9)
    assert cache.keep("m", [(key(9000 + i), Entry(1.0)) for i in range(160)])
    assert cache.find([key(9000)])
    assert not cache.find([key(0)])


def test_what_is_larger_than_the_cache_is_not_kept_and_said(tmp_path: Path) -> None:
    cache = filled(tmp_path, limit=10_000)
    with pytest.warns(UserWarning, match=r"100 values of n take 15,000 bytes.*limited to 10,000: they are not stored"):
        assert not cache.keep("n", [(key(100 + i), Entry(1.0)) for i in range(100)])
    assert cache.stats().labels == {"m": 10}


class _FullDisk:
    def execute(self, statement: str) -> None:
        raise sqlite3.OperationalError("database or disk is full")


def test_a_file_that_cannot_shrink_is_no_error(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"keeps its size on disk for now \(database or disk is full\)"):
        filled(tmp_path)._shrink(_FullDisk())  # type: ignore[arg-type]


def test_several_processes_find_the_damage_at_once(tmp_path: Path) -> None:
    """One of them sets the file aside; what they keep afterwards is sound."""
    path = tmp_path / "results.db"
    path.write_bytes(b"this is no database " * 500)
    lenient = _WRITER.replace('simplefilter("error")', 'simplefilter("ignore")').replace("    assert len", "    len")
    writers = [subprocess.Popen([sys.executable, "-c", lenient, str(path), str(1000 * i)]) for i in range(4)]
    assert [writer.wait(300) for writer in writers] == [0] * 4
    check = ResultCache(path).verify()
    assert check.dropped == 0
    assert check.set_aside is None
    assert check.sound > 0


def test_clearing_one_metric(tmp_path: Path) -> None:
    cache = filled(tmp_path)
    cache.keep("other", [(key(100), Entry(1.0))])
    assert cache.stats().labels == {"m": 10, "other": 1}
    assert cache.clear("m") == 10
    assert cache.stats().labels == {"other": 1}
    assert cache.find([key(100)])


def test_where_it_is_and_how_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIALGAUGE_RESULTS", "off")
    assert results_cache() is None
    monkeypatch.delenv("DIALGAUGE_RESULTS")
    monkeypatch.setenv("DIALGAUGE_CACHE", str(tmp_path))
    monkeypatch.setenv("DIALGAUGE_RESULTS_MIB", "3")
    assert results_cache() == ResultCache(tmp_path / "results" / "results.db", 3 * 2**20)
    monkeypatch.setenv("DIALGAUGE_RESULTS_MIB", "much")
    with pytest.raises(ParameterError, match=r"DIALGAUGE_RESULTS_MIB.*a whole number of MiB above 0; got 'much'"):
        results_cache()


_WRITER = """
import sys
from dialgauge.engine import Entry, ResultCache
cache, start = ResultCache(__import__("pathlib").Path(sys.argv[1])), int(sys.argv[2])
import warnings
warnings.simplefilter("error")
for chunk in range(20):
    keys = [(start + chunk * 10 + i).to_bytes(32, "big") for i in range(20)]
    assert cache.keep("m", [(key, Entry(float(int.from_bytes(key, "big")))) for key in keys])
    assert len(cache.find(keys)) == 20
"""


def test_several_processes_write_and_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    starts = (0, 50, 100, 1000)
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, str(path), str(start)]) for start in starts]
    assert [writer.wait(300) for writer in writers] == [0] * len(starts)
    expected = {start + i for start in starts for i in range(210)}
    cache = ResultCache(path)
    found = cache.find([key(i) for i in sorted(expected)])
    assert {name: entry.number for name, entry in found.items()} == {key(i): float(i) for i in expected}
    assert cache.verify() == module.CacheCheck(len(expected), 0)


def test_a_writer_that_is_killed_leaves_whole_chunks(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    endless = _WRITER.replace("range(20):\n", "__import__('itertools').count():\n", 1)
    for start in (0, 1_000_000, 2_000_000):
        writer = subprocess.Popen([sys.executable, "-c", endless, str(path), str(start)])
        deadline = time.monotonic() + 120
        while not ResultCache(path).find([key(start)]) and time.monotonic() < deadline:
            time.sleep(0.05)
        writer.kill()
        writer.wait()
    cache = ResultCache(path)
    check = cache.verify()
    assert check.dropped == 0
    assert check.set_aside is None
    assert check.sound >= 60
    assert cache.keep("m", [(key(5), Entry(5.0))])
