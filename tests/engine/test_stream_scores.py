"""Streaming: the same numbers as in memory, whatever the layout of the files and wherever they are cut."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from dialgauge.corpus import KEY, Corpus, embedded_corpus, write_corpus
from dialgauge.engine import engine
from dialgauge.errors import InputError, ParameterError, UnknownNameError
from dialgauge.metrics import Scores, parse_request, score, score_pairs, score_stream
from dialgauge.metrics._scores import SYSTEM_KEY
from dialgauge.metrics._stream_layout import bucket_numbers
from dialgauge.metrics._stream_source import PairsSource

METRICS = ["rouge-1", "rouge-l", "chrf", "bleu-4"]
CORPUS_METRICS = [
    "corpus-bleu",
    "corpus-bleu:smooth=floor,order=2",
    "corpus-chrf++",
    "corpus-ter",
    "corpus-chrf@source",
]


def pairs_frame(count: int = 60) -> pl.DataFrame:
    """Summaries of the embedded corpus beside the reference of their dialogue."""
    corpus = embedded_corpus()
    references = corpus.references.unique("dialogue_id", keep="first", maintain_order=True)
    texts = dict(references.select("dialogue_id", "text").iter_rows())
    sources = {dialogue.id: dialogue.text for dialogue in corpus.iter_dialogues()}
    rows = corpus.summaries.filter(kind="system").sort("dialogue_id", "system").head(count)
    return pl.DataFrame(
        {
            "dialogue_id": rows["dialogue_id"],
            "system": rows["system"],
            "summary": rows["text"],
            "reference": [texts[name] for name in rows["dialogue_id"]],
            "dialogue": [sources[name] for name in rows["dialogue_id"]],
        }
    )


def read_parts(folder: Path) -> pl.DataFrame:
    return pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("part-*.parquet"))])


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 70), st.booleans(), st.randoms(use_true_random=False))
def test_a_corpus_folder_gives_what_memory_gives(
    tmp_path_factory: pytest.TempPathFactory, size: int, include_references: bool, random: object
) -> None:
    folder = tmp_path_factory.mktemp("stream")
    corpus = embedded_corpus().select(dialogues=embedded_corpus().dialogues["dialogue_id"].head(8))
    rows = list(range(corpus.summaries.height))
    random.shuffle(rows)  # type: ignore[attr-defined]
    holed = corpus.summaries[rows].filter(
        ~((pl.col("dialogue_id") == corpus.dialogues["dialogue_id"][0]) & (pl.col("kind") == "reference"))
    )
    corpus = Corpus(corpus.dialogues.reverse(), holed, info=corpus.info)
    write_corpus(corpus, folder / "corpus")
    metrics = [*METRICS, "rouge-2@source"]
    report = score_stream(
        folder / "corpus", metrics, folder / "out", chunk_size=size, include_references=include_references
    )
    whole = score(corpus, metrics, include_references=include_references)
    assert read_parts(folder / "out").sort(KEY).equals(whole.frame.sort(KEY))
    assert report.rows == whole.frame.height
    assert sum(report.failures.values()) == whole.failures.height > 0
    means = whole.means().select(report.means.columns)
    assert report.means.drop(metrics).equals(means.drop(metrics))
    difference = (report.means.select(metrics) - means.select(metrics)).to_numpy()
    assert abs(difference[~pl.Series(difference.ravel()).is_nan().to_numpy().reshape(difference.shape)]).max() < 1e-9


def test_a_corpus_in_many_files(tmp_path: Path) -> None:
    corpus = embedded_corpus()
    write_corpus(corpus, tmp_path / "one")
    write_corpus(corpus, tmp_path / "many")
    for name in ("dialogues", "summaries"):
        whole = pl.read_parquet(tmp_path / "many" / f"{name}.parquet")
        (tmp_path / "many" / f"{name}.parquet").unlink()
        for number, rows in enumerate(whole.iter_slices(37)):
            part = tmp_path / "many" / name / f"month={number:02d}" / "rows.parquet"
            part.parent.mkdir(parents=True)
            rows.write_parquet(part)
    for name in ("one", "many"):
        score_stream(tmp_path / name, METRICS, tmp_path / f"{name}-scores", chunk_size=50)
    one, many = bytes_of(tmp_path / "one-scores"), bytes_of(tmp_path / "many-scores")
    parts = [name for name in one if name.startswith("part-")]
    assert len(parts) > 3
    assert {name: one[name] for name in parts} == {name: many[name] for name in parts}
    assert one["manifest.json"] == many["manifest.json"]


def test_the_order_of_rows_and_the_number_of_files_change_no_byte(tmp_path: Path) -> None:
    corpus = embedded_corpus()
    mixed = {
        name: getattr(corpus, name).sample(fraction=1, shuffle=True, seed=7) for name in ("dialogues", "summaries")
    }
    for name, one in (("ordered", corpus), ("mixed", Corpus(mixed["dialogues"], mixed["summaries"], info=corpus.info))):
        write_corpus(one, tmp_path / name)
        score_stream(tmp_path / name, METRICS, tmp_path / f"{name}-scores", chunk_size=50)
    found = [bytes_of(tmp_path / f"{name}-scores") for name in ("ordered", "mixed")]
    kept = [{name: data for name, data in one.items() if name.startswith(("part-", "manifest"))} for one in found]
    assert kept[0] == kept[1]
    assert len(kept[0]) > 5
    layout = json.loads(found[0]["layout.json"])
    assert sum(layout["rows"]["summaries"]) == corpus.summaries.filter(kind="system").height
    assert not any(name.startswith("_layout") for name in found[0]), "what was laid out is removed"
    parts = [pl.read_parquet(tmp_path / "ordered-scores" / name) for name in kept[0] if name.startswith("part-")]
    ids = [set(part["dialogue_id"]) for part in parts]
    assert sum(map(len, ids)) == len(set.union(*ids)), "a dialogue is in one bucket"


def test_a_bucket_is_the_same_everywhere() -> None:
    names = pl.Series(["call-1", "call-2", None, "é", ""])
    assert bucket_numbers(names, 1_000_000).to_list() == [558_664, 761_943, 838_756, 669_963, 838_756]


def test_dialogues_of_a_table_of_pairs_are_not_cut(tmp_path: Path) -> None:
    frame = pairs_frame(60)
    frame.write_parquet(tmp_path / "pairs.parquet")
    cuts = PairsSource.open(str(tmp_path / "pairs.parquet"), {}, False).chunks(7)
    assert [chunk.stop for chunk in cuts] == [chunk.start for chunk in cuts[1:]] + [60]
    assert all(frame["dialogue_id"][c.start] != frame["dialogue_id"][c.start - 1] for c in cuts[1:])
    # A dialogue without an end is cut all the same: memory is bounded by the chunk.
    frame.with_columns(dialogue_id=pl.lit("same")).write_parquet(tmp_path / "same.parquet")
    cuts = PairsSource.open(str(tmp_path / "same.parquet"), {}, False).chunks(7)
    assert max(chunk.stop - chunk.start for chunk in cuts) == 14


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_pairs_give_what_plain_lists_give(tmp_path: Path, size: int) -> None:
    frame = pairs_frame()
    frame.write_parquet(tmp_path / "pairs.parquet")
    report = score_stream(tmp_path / "pairs.parquet", [*METRICS, "rouge-1@source"], tmp_path / "out", chunk_size=size)
    found = read_parts(tmp_path / "out")
    assert found.select("dialogue_id", "system").equals(frame.select("dialogue_id", "system"))
    assert set(found["variant"]) == {"original"}
    expected = score_pairs(frame["summary"].to_list(), frame["reference"].to_list(), METRICS)
    assert found.select(METRICS).equals(expected)
    source = score_pairs(frame["summary"].to_list(), frame["dialogue"].to_list(), ["rouge-1@source"])
    assert found["rouge-1@source"].equals(source["rouge-1@source"])
    assert report.rows == 60
    part = Scores.load(tmp_path / "out" / "part-00000000.parquet")
    assert part.signatures == report.signatures


def test_other_names_several_references_and_rows_that_cannot_be_used(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "hyp_text": ["red green", None, "blue", "one two", "…"],
            "gold": [["red", "green"], ["red"], None, ["two"], ["red"]],
            "second": ["green red", "red", "blue", None, "red"],
        }
    )
    frame.write_parquet(tmp_path / "table.parquet")
    report = score_stream(
        tmp_path / "table.parquet",
        ["rouge-1"],
        tmp_path / "out",
        mapping={"summary": "hyp_text", "reference": ["gold", "second"], "system": "=mine"},
        chunk_size=2,
    )
    found = read_parts(tmp_path / "out")
    assert found["dialogue_id"].to_list() == ["1", "3", "4", "5"]  # the numbers of their rows
    assert found["system"].unique().to_list() == ["mine"]
    texts = [("red green", ["red", "green", "green red"]), ("blue", ["blue"]), ("one two", ["two"])]
    expected = score_pairs([text for text, _ in texts], [several for _, several in texts], ["rouge-1"])
    assert found["rouge-1"].to_list()[:3] == expected["rouge-1"].to_list()
    assert found["rouge-1"].to_list()[3] is None
    assert report.problems == {"the summary has no text": 1}
    ((metric, reason),) = report.failures
    assert metric == "rouge-1"
    assert "no words" in reason
    assert Scores.load(tmp_path / "out" / "part-00000002.parquet").failures["dialogue_id"].to_list() == ["5"]


def test_a_row_without_reference_has_a_reason_and_a_doubled_key_is_left_out(tmp_path: Path) -> None:
    frame = pairs_frame(6).with_columns(reference=pl.lit(None, dtype=pl.String))
    with_one = pl.concat([pairs_frame(6).head(1), frame, pairs_frame(6).tail(1)])
    with_one.write_parquet(tmp_path / "pairs.parquet")
    report = score_stream(tmp_path / "pairs.parquet", ["rouge-1", "rouge-1@source"], tmp_path / "out", chunk_size=4)
    found = read_parts(tmp_path / "out")
    assert report.problems == {"duplicate key": 2}
    assert found.height == 6
    assert found["rouge-1"].null_count() == 5
    assert found["rouge-1@source"].null_count() == 0
    assert report.failures == {("rouge-1", "the dialogue has no reference for this role"): 5}


def test_a_key_of_an_earlier_chunk_is_left_out(tmp_path: Path) -> None:
    frame = pairs_frame(12)
    doubled = pl.concat([frame, frame.head(3), frame.slice(11, 1), frame.head(2)])
    doubled.write_parquet(tmp_path / "pairs.parquet")
    for size in (2, 5, 100):
        report = score_stream(tmp_path / "pairs.parquet", ["rouge-1"], tmp_path / f"out-{size}", chunk_size=size)
        assert report.problems == {"duplicate key": 6}
        assert report.rows == 12
        assert (
            read_parts(tmp_path / f"out-{size}")
            .select("dialogue_id", "system")
            .equals(frame.select("dialogue_id", "system"))
        )


def test_a_key_of_an_earlier_chunk_of_a_folder_is_left_out(tmp_path: Path) -> None:
    corpus = embedded_corpus().select(dialogues=embedded_corpus().dialogues["dialogue_id"].head(4))
    write_corpus(corpus, tmp_path / "corpus")
    summaries = pl.read_parquet(tmp_path / "corpus" / "summaries.parquet")
    again = summaries.filter(kind="system").head(2)
    pl.concat([summaries, again]).write_parquet(tmp_path / "corpus" / "summaries.parquet")
    whole = score(corpus, ["rouge-1"]).frame
    for size in (1, 1000):
        report = score_stream(tmp_path / "corpus", ["rouge-1"], tmp_path / f"out-{size}", chunk_size=size)
        assert report.problems == {"duplicate key": 2}
        assert report.rows == whole.height
        assert (
            read_parts(tmp_path / f"out-{size}")
            .sort("dialogue_id", "system")
            .equals(whole.sort("dialogue_id", "system"))
        )


def test_a_row_without_the_name_of_its_dialogue_is_left_out_as_in_memory(tmp_path: Path) -> None:
    row = pl.int_range(pl.len())
    nameless = pl.when(row.is_in([2, 5])).then(None).otherwise(pl.col("dialogue_id"))
    pairs_frame(12).with_columns(dialogue_id=nameless).write_parquet(tmp_path / "pairs.parquet")
    for size in (2, 100):
        report = score_stream(tmp_path / "pairs.parquet", ["rouge-1"], tmp_path / f"out-{size}", chunk_size=size)
        assert report.problems == {"the row has no dialogue_id": 2}
        assert read_parts(tmp_path / f"out-{size}")["dialogue_id"].null_count() == 0
        assert report.rows == 10


def test_engines_and_numbers_of_workers_give_the_same_bytes(tmp_path: Path) -> None:
    pairs_frame(240).write_parquet(tmp_path / "pairs.parquet")
    runs = {
        "serial": engine("serial"),
        "one": engine("processes", workers=1),
        "two": engine("processes", workers=2),
    }
    for name, used in runs.items():
        score_stream(tmp_path / "pairs.parquet", METRICS, tmp_path / name, chunk_size=30, engine=used)
    assert len(bytes_of(tmp_path / "serial")) > 14
    assert bytes_of(tmp_path / "serial") == bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_behind_a_url_it_is_the_same(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    corpus = embedded_corpus()
    write_corpus(corpus, tmp_path / "corpus")
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "corpus"), "/stream-test/corpus", recursive=True)
    big = pairs_frame(200)
    big.write_parquet(tmp_path / "pairs.parquet", row_group_size=32)
    memory.put(str(tmp_path / "pairs.parquet"), "/stream-test/pairs.parquet")
    try:
        for name in ("corpus", "pairs.parquet"):
            place = f"memory://stream-test/{name}"
            there = f"memory://stream-test/scores-{name}"
            score_stream(place, METRICS, there, chunk_size=60)
            report = score_stream(place, METRICS, there, chunk_size=60)
            assert report.resumed == report.parts > 2
            score_stream(tmp_path / name, METRICS, tmp_path / f"scores-{name}", chunk_size=60)
            here = bytes_of(tmp_path / f"scores-{name}")
            for file, content in here.items():
                if file.startswith("part-") or file == "manifest.json":
                    assert memory.cat_file(f"/stream-test/scores-{name}/{file}") == content
        with pytest.raises(ParameterError, match="a place that the workers of engine 'processes' see"):
            score_stream("memory://stream-test/corpus", METRICS, tmp_path / "x", engine=engine("processes"))
    finally:
        memory.rm("/stream-test", recursive=True)


def test_metrics_of_systems_come_from_sums(tmp_path: Path) -> None:
    corpus, metrics = embedded_corpus(), ["rouge-1", *CORPUS_METRICS]
    columns = [parse_request(spec).column for spec in metrics]
    write_corpus(corpus, tmp_path / "corpus")
    expected = score(corpus, metrics).systems.sort("system").select("system", *columns[1:])
    for size in (10, 10_000):
        out = tmp_path / f"out-{size}"
        report = score_stream(tmp_path / "corpus", metrics, out, chunk_size=size)
        found = report.means.sort("system")
        assert found.columns == [*SYSTEM_KEY, *columns]
        assert found.select(expected.columns).equals(expected)
        assert (report.parts > 5) == (size == 10)
        assert Scores.load(out / "part-00000000.parquet").metrics == ["rouge-1"]
    again = score_stream(tmp_path / "corpus", metrics, tmp_path / "out-10", chunk_size=10)
    assert again.resumed == again.parts


def test_a_system_without_words_has_no_value(tmp_path: Path) -> None:
    file, metrics = tmp_path / "pairs.parquet", ["corpus-bleu:order=1", "corpus-ter"]
    texts = {"summary": ["one word", " "], "reference": ["one word", "two"]}
    pl.DataFrame({"dialogue_id": ["1", "2"], "system": ["a", "b"], **texts}).write_parquet(file)
    report = score_stream(file, metrics, tmp_path / "out", chunk_size=1)
    assert report.means["corpus-ter"].to_list() == [0.0, None]
    assert report.failures == {(name, "no summary of the system can be scored"): 1 for name in metrics}


def test_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.parquet"
    pairs_frame().write_parquet(file)
    out = tmp_path / "out"
    with pytest.raises(InputError, match="'bertscore-f1:idf=distinct' needs all summaries"):
        score_stream(file, ["bertscore-f1:idf=distinct"], out)
    with pytest.raises(ParameterError, match="'chunk_size' must be 1 or more"):
        score_stream(file, METRICS, out, chunk_size=0)
    with pytest.raises(UnknownNameError, match="unknown column in the mapping 'sumary'"):
        score_stream(file, METRICS, out, mapping={"summary": "sumary"})
    with pytest.raises(InputError, match="no such file or folder"):
        score_stream(tmp_path / "nothing", METRICS, out)
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "rows.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="no Parquet file found"):
        score_stream(tmp_path / "csv", METRICS, out)
    pairs_frame().drop("reference").write_parquet(tmp_path / "bare.parquet")
    with pytest.raises(InputError, match=r"needs references, but .*bare\.parquet has none"):
        score_stream(tmp_path / "bare.parquet", METRICS, out, mapping={"summary": "summary"})
    pairs_frame().drop("dialogue").write_parquet(tmp_path / "sourceless.parquet")
    with pytest.raises(InputError, match="no dialogue column was found"):
        score_stream(tmp_path / "sourceless.parquet", ["rouge-1@source"], out)
    with pytest.raises(InputError, match="cannot be scored as a system"):
        score_stream(file, METRICS, out, include_references=True)
    corpus = embedded_corpus()
    write_corpus(Corpus(corpus.dialogues, corpus.summaries.filter(kind="system")), tmp_path / "corpus")
    with pytest.raises(InputError, match="needs references"):
        score_stream(tmp_path / "corpus", METRICS, out)
    with pytest.raises(InputError, match="a mapping is not supported"):
        score_stream(tmp_path / "corpus", METRICS, out, mapping={"summary": "text"})
    assert not out.exists()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    for number in range(2):
        pairs_frame().write_parquet(tmp_path / f"{number}.parquet")
    whole = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"1\.parquet: cannot be read as Parquet"):
        score_stream(tmp_path, METRICS, tmp_path / "out")
    pairs_frame().drop("system").write_parquet(tmp_path / "1.parquet")
    with pytest.raises(InputError, match=r"1\.parquet: its columns .* differ"):
        score_stream(tmp_path, METRICS, tmp_path / "out")
