"""What rows mean: keys, references, ratings, and every way in which a row can be wrong."""

import json
from pathlib import Path

import polars as pl
import pytest

from dialgauge.corpus import (
    Corpus,
    Dialogue,
    Problem,
    Rating,
    Summary,
    Turn,
    add_ratings,
    count_by_reason,
    inspect_file,
    parse_mapping,
    read_corpus,
    read_ratings,
    write_corpus,
)
from dialgauge.errors import InputError, UnknownNameError


def csv_file(folder: Path, text: str, name: str = "c.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def jsonl_file(folder: Path, *records: object) -> Path:
    path = folder / "c.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


def places(problems: tuple[Problem, ...]) -> list[tuple[int | None, str | None, str]]:
    return [(problem.line, problem.key, problem.reason) for problem in problems]


class TestReferences:
    def test_a_repeated_reference_is_stored_once(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "id,system,summary,reference\nd,a,x,R\nd,b,y,R\ne,a,z,S\n"))
        assert corpus.references.select("dialogue_id", "system", "text").rows() == [
            ("d", "reference", "R"),
            ("e", "reference", "S"),
        ]

    def test_several_references_are_numbered(self, tmp_path: Path) -> None:
        corpus = read_corpus(jsonl_file(tmp_path, {"id": "d", "references": ["R", "S", "R"], "dialogue": "A: x"}))
        assert corpus.references.select("system", "text").rows() == [
            ("reference-1", "R"),
            ("reference-2", "S"),
            ("reference-3", "R"),
        ]

    def test_different_references_in_different_rows(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "id,system,summary,reference\nd,a,x,R\nd,b,y,S\nd,c,z,R\n"))
        assert corpus.references["system"].to_list() == ["reference-1", "reference-2"]

    def test_more_than_nine_references_keep_their_order(self, tmp_path: Path) -> None:
        texts = [f"r{number}" for number in range(12)]
        corpus = read_corpus(jsonl_file(tmp_path, {"id": "d", "references": texts, "dialogue": "A: x"}))
        assert corpus.references["text"].to_list() == texts

    def test_a_system_can_be_the_reference(self, tmp_path: Path) -> None:
        header = "id,system,kind,summary,reference,annotator,coherence\n"
        rows = "d,A,reference,R,R,1,5\nd,B,system,x,R,1,3\n"
        corpus = read_corpus(csv_file(tmp_path, header + rows), strict=True)
        assert corpus.references["system"].to_list() == ["A"]
        assert corpus.systems == ["B"]
        assert corpus.ratings.select("system", "value").rows() == [("A", 5.0), ("B", 3.0)]

    def test_references_by_role(self, tmp_path: Path) -> None:
        rows = "id,system,role,summary,reference\nd,a,user,x,U\nd,a,agent,y,V\n"
        corpus = read_corpus(csv_file(tmp_path, rows))
        assert corpus.references.select("system", "role", "text").rows() == [
            ("reference", "user", "U"),
            ("reference", "agent", "V"),
        ]

    def test_summaries_without_any_system_are_references(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, 'id,dialogue,summary\nd,"A: hi\nB: ho",They greet.\n')
        corpus = read_corpus(path)
        assert corpus.references["text"].to_list() == ["They greet."]
        assert any("read as references" in note for note in corpus.notes)
        mapped = read_corpus(path, mapping={"system": "=bart"})
        assert mapped.systems == ["bart"]
        assert read_corpus(path, mapping={"summary": "summary"}).systems == ["system"]


class TestDialogues:
    @pytest.mark.parametrize(
        "dialogue",
        [
            {"turns": [{"speaker": "Ana", "text": "hi"}, {"speaker": "Bob", "text": "ho", "role": "agent"}]},
            {"turns": [{"name": "Ana", "utterance": "hi"}, {"author": "Bob", "content": "ho", "role": "agent"}]},
        ],
    )
    def test_turn_objects(self, tmp_path: Path, dialogue: dict[str, object]) -> None:
        corpus = read_corpus(jsonl_file(tmp_path, {"id": "d", **dialogue}), strict=True)
        assert corpus.dialogue("d").turns == (Turn("Ana", "hi"), Turn("Bob", "ho", "agent"))

    @pytest.mark.parametrize("dialogue", ["Ana: hi\nBob: ho", ["Ana: hi", "Bob: ho"], "Ana: hi | Bob: ho |"])
    def test_dialogue_texts(self, tmp_path: Path, dialogue: object) -> None:
        corpus = read_corpus(jsonl_file(tmp_path, {"id": 7, "dialogue": dialogue, "domain": "x", "language": "en"}))
        assert corpus.dialogue("7") == Dialogue("7", (Turn("Ana", "hi"), Turn("Bob", "ho")), "x", "en")

    def test_chat_messages_with_roles(self, tmp_path: Path) -> None:
        turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
        corpus = read_corpus(jsonl_file(tmp_path, {"id": "d", "turns": turns}))
        assert corpus.dialogue("d").turns == (Turn("user", "hi", "user"), Turn("assistant", "ho", "agent"))

    @pytest.mark.parametrize(
        ("turns", "reason"),
        [
            ([{"speaker": "A"}], "turn 1 has no text"),
            ([3], "turn 1 is neither an object nor a string"),
            (["A: x", {"text": "y", "speaker": {}}], "turn 2: speaker and role must be strings"),
        ],
    )
    def test_bad_turns(self, tmp_path: Path, turns: object, reason: str) -> None:
        corpus = read_corpus(jsonl_file(tmp_path, {"id": "ok", "turns": ["A: x"]}, {"id": "d", "turns": turns}))
        assert places(corpus.problems) == [(2, "d", reason)]

    def test_ids_from_the_text(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "dialogue,system,summary\nA: hi,s,x\nA: hi,t,y\nA: ho,s,z\n")
        corpus = read_corpus(path)
        ids = corpus.summaries["dialogue_id"].to_list()
        assert ids[0] == ids[1] != ids[2]
        assert corpus.dialogues.height == 2
        assert any("hash of the dialogue's text" in note for note in corpus.notes)

    def test_ids_from_the_row(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "hyp,ref\nx,R\ny,S\n"))
        assert corpus.summaries["dialogue_id"].to_list() == ["row-1", "row-2", "row-1", "row-2"]
        assert any("the row number" in note for note in corpus.notes)

    def test_meta_comes_from_json_and_from_columns(self, tmp_path: Path) -> None:
        record = {"id": "d", "dialogue": "A: x", "meta": {"a": 1}, "topic": "cards", "split": "test"}
        corpus = read_corpus(jsonl_file(tmp_path, record))
        assert corpus.dialogue("d").meta == {"a": 1, "topic": "cards", "split": "test"}

    def test_meta_that_is_no_object(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,dialogue,meta\nd,A: x,oops\ne,A: y,[1]\n")
        corpus = read_corpus(path)
        assert places(corpus.problems) == [
            (2, "d", "meta is not a JSON object and was ignored"),
            (3, "e", "meta is not a JSON object and was ignored"),
        ]
        assert corpus.dialogues.height == 2


class TestRatings:
    def test_long(self, tmp_path: Path) -> None:
        header = "id,system,summary,annotator,dimension,value,scale,comment,sentence,time\n"
        rows = "d,s,x,1,coherence,4,1-5,fine,,2024-01-02 03:04:05\nd,s,x,1,fluency,,1-5,,,2024-01-02T03:04:05+02:00\n"
        corpus = read_corpus(csv_file(tmp_path, header + rows), strict=True)
        first, second = corpus.ratings.iter_rows(named=True)
        assert (first["value"], first["scale"], first["comment"]) == (4.0, "1-5", "fine")
        assert second["value"] is None
        assert [str(time) for time in (first["time"], second["time"])] == ["2024-01-02 03:04:05", "2024-01-02 01:04:05"]

    def test_wide_with_an_open_one(self, tmp_path: Path) -> None:
        rows = "id,system,summary,annotator,coherence,Wit\nd,s,x,1,4,2\nd,s,x,2,,3\n"
        corpus = read_corpus(csv_file(tmp_path, rows), strict=True)
        assert corpus.ratings.select("annotator", "dimension", "value").rows() == [
            ("1", "coherence", 4.0),
            ("1", "Wit", 2.0),
            ("2", "coherence", None),
            ("2", "Wit", 3.0),
        ]

    def test_nested_both_ways(self, tmp_path: Path) -> None:
        record = {
            "id": "d",
            "dialogue": "A: x",
            "summaries": {"s": "one", "t": "two"},
            "ratings": [
                {"system": "s", "annotator": 1, "dimension": "wit", "value": 2},
                {"system": "t", "annotator": 1, "coherence": 3, "fluency": 4.5},
            ],
        }
        corpus = read_corpus(jsonl_file(tmp_path, record), strict=True)
        assert corpus.ratings.select("system", "dimension", "value").sort("dimension").rows() == [
            ("t", "coherence", 3.0),
            ("t", "fluency", 4.5),
            ("s", "wit", 2.0),
        ]

    def test_numbers_without_an_annotator_are_no_ratings(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,system,summary,rouge-1,coherence\nd,s,x,0.3,4\n")
        corpus = read_corpus(path)
        assert corpus.ratings.select("annotator", "dimension").rows() == [("1", "coherence")]
        assert "columns not used: rouge-1" in corpus.notes
        assert any("annotator '1'" in note for note in corpus.notes)

    def test_mapped_dimensions(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,system,summary,q1\nd,s,x,3\n")
        corpus = read_corpus(path, mapping={"dimension:wit": "q1", "annotator": "=panel"})
        assert corpus.ratings.select("annotator", "dimension", "value").rows() == [("panel", "wit", 3.0)]

    def test_annotators_without_ratings_are_said(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "id,system,summary,annotator,wit\nd,s,x,1,good\n"))
        assert any("but no column holds ratings" in note for note in corpus.notes)

    def test_value_without_a_dimension(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,system,summary,q1\nd,s,x,3\n")
        with pytest.raises(InputError, match="no dimension"):
            read_corpus(path, mapping={"value": "q1"})
        corpus = read_corpus(path, mapping={"value": "q1", "dimension": "=wit"})
        assert corpus.dimensions == ["wit"]


class TestBadRows:
    def test_every_reason_with_its_place(self, tmp_path: Path) -> None:
        rows = [
            "id,dialogue,system,summary,annotator,dimension,value,sentence,time",
            "d,A: hi,s,x,1,wit,4,,",
            "d,,s,x,1,wit,5,,",  # the same rating again
            "d,,s,other text,2,wit,5,,",
            "d,A: else,s,x,3,wit,5,,",
            "d,,t,,1,wit,5,,",  # a rating of a summary that is nowhere
            "d,,u,,,,,,",  # a system without a summary
            "e,,s,x,1,wit,5,,",  # a dialogue that is nowhere
            ",A: y,s,x,1,wit,5,,",
            "d,,,lost,,,,,",
            "d,,s,x,4,wit,four,,",
            "d,,s,x,5,wit,nan,,",
            "d,,s,x,6,wit,inf,,",
            "d,,s,x,7,wit,1,first,",
            "d,,s,x,8,wit,1,,noon",
            "d,,s,x,,wit,1,,",
            "",
            "d,,v,y,,,,,",
            "d,,v,y,,,,,",  # the same summary again, with nothing new
        ]
        corpus = read_corpus(csv_file(tmp_path, "\n".join(rows) + "\n"))
        assert places(corpus.problems) == [
            (3, "d / s / original / overall / 1 / wit", "rated twice with different values"),
            (4, "d / s / original / overall", "the text differs from an earlier row for this summary"),
            (5, "d", "the text differs from an earlier row for this dialogue"),
            (6, "d / t / original / overall / 1 / wit", "rating of a summary that is not in the corpus"),
            (7, "d / u / original / overall", "the summary has no text"),
            (8, "e / s / original / overall", "the dialogue of this row is not in the file"),
            (9, "– / s / original / overall", "the row has no dialogue_id"),
            (10, "d", "the summary has no system"),
            (11, "d / s / original / overall / 4 / wit", "the value is not a number"),
            (12, "d / s / original / overall / 5 / wit", "the value is NaN or infinite"),
            (13, "d / s / original / overall / 6 / wit", "the value is NaN or infinite"),
            (14, "d / s / original / overall / 7 / wit", "the sentence is not a whole number"),
            (16, "d / s / original / overall / – / wit", "a part of the key is missing: annotator"),
        ]
        assert corpus.problems[0].given == "5, and 4 before"
        assert corpus.summaries.select("system", "text").rows() == [("s", "x"), ("v", "y")]
        assert corpus.ratings.select("annotator", "value").rows() == [("1", 4.0), ("8", 1.0)]
        assert "1 time not understood and left empty, such as 'noon'" in corpus.notes
        assert "1 row there twice, identical: duplicates merged" in corpus.notes
        assert sum(corpus.accounts[0].left_out.values()) == 11
        assert all(problem.file.endswith("c.csv") for problem in corpus.problems)
        with pytest.raises(InputError, match="13 bad rows") as caught:
            read_corpus(tmp_path / "c.csv", strict=True)
        assert str(caught.value).splitlines()[1:] == [f"  {problem}" for problem in corpus.problems]

    def test_lines_are_right_after_multi_line_cells(self, tmp_path: Path) -> None:
        rows = 'id,system,summary,annotator,wit\nd,s,"a\nb\r\nc",1,1\nd,t,y,1,x\nd,u,z,1,2\n\nd,v,z,1,y\nd,w,z,1,3\n'
        assert [problem.line for problem in read_corpus(csv_file(tmp_path, rows)).problems] == [5, 8]

    def test_lone_carriage_returns_are_no_line_ends(self, tmp_path: Path) -> None:
        path = tmp_path / "c.csv"
        path.write_bytes(b'id,system,summary,annotator,wit\nd,s,a\rb,1,1\nd,t,"c\rd",1,x\n')
        corpus = read_corpus(path)
        assert corpus.summaries["text"].to_list() == ["a\rb", "c\rd"]
        assert [problem.line for problem in corpus.problems] == [3]
        path.write_bytes(b"id,system,summary\nd,s,a\rb\nd,t,x,y\n")
        corpus = read_corpus(path)
        assert corpus.summaries["text"].to_list() == ["a\rb"]
        assert [problem.line for problem in corpus.problems] == [3]

    def test_rows_with_too_many_cells(self, tmp_path: Path) -> None:
        rows = 'id,system,summary\nd,s,x\nd,t,one,two\nd,"u",y\nd,v\n'
        corpus = read_corpus(csv_file(tmp_path, rows))
        assert places(corpus.problems) == [
            (3, "d", "more cells than the header has (3)"),
            (5, "d / v / original / overall", "the summary has no text"),
        ]
        assert corpus.systems == ["s", "u"]

    def test_quotes_that_are_not_csv(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, 'id,system,summary\nd,s,"x"y\nd,t,say "hi"\n'))
        assert corpus.summaries["text"].to_list() == ["xy", 'say "hi"']
        assert any("not valid CSV" in note for note in corpus.notes)

    def test_json_lines(self, tmp_path: Path) -> None:
        deep = "[" * 100_000 + "]" * 100_000
        path = jsonl_file(
            tmp_path,
            {"id": "d", "system": "s", "summary": "x"},
            '{"id": "e", ',
            "[1, 2]",
            "null",
            f'{{"id": "f", "meta": {deep}}}',
            '{"id": "g", "system": "s", "summary": "\\ud800"}',
            '{"id": "h", "summaries": [{"text": "x"}]}',
            '{"id": "i", "summaries": ["x"]}',
            '{"id": "j", "references": [1]}',
            '{"id": "k", "ratings": [1]}',
            "",
            '{"id": "l", "system": "s", "summary": "\\ud83d\\ude00"}',
        )
        corpus = read_corpus(path)
        assert places(corpus.problems) == [
            (2, None, "not JSON: Expecting property name enclosed in double quotes at character 13"),
            (3, None, "a JSON object is expected, not a list"),
            (4, None, "a JSON object is expected, not null"),
            (5, None, "JSON nested too deeply"),
            (6, "g", "half a surrogate pair, which is not valid text"),
            (7, "h", "a summary needs 'system' and 'text'"),
            (8, "i", "a summary must be an object"),
            (9, "j", "references must be strings"),
            (10, "k", "a rating must be an object"),
        ]
        assert corpus.summaries["text"].to_list() == ["x", "😀"]
        assert count_by_reason(corpus.problems)["JSON nested too deeply"] == 1

    def test_a_file_of_nothing_but_bad_lines(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"2 bad rows(.|\n)*c\.jsonl:1"):
            read_corpus(jsonl_file(tmp_path, "x", "y"))

    def test_json_array(self, tmp_path: Path) -> None:
        path = tmp_path / "c.json"
        path.write_text('[{"id": "d", "system": "s", "summary": "x"},\n 3]')
        corpus = read_corpus(path)
        assert places(corpus.problems) == [(2, None, "a JSON object is expected, not a number")]
        path.write_text('[{"id": "d"},\n {]')
        with pytest.raises(InputError, match=r"c\.json:2: not JSON"):
            read_corpus(path)
        path.write_text("[" * 100_000)
        with pytest.raises(InputError, match="nested too deeply"):
            read_corpus(path)

    def test_provenance_that_is_no_object(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, 'id,system,summary,provenance\nd,s,x,oops\nd,t,y,"{""a"": 1}"\n'))
        assert [problem.line for problem in corpus.problems] == [2]
        assert corpus.summaries["provenance"].to_list() == [None, '{"a": 1}']

    def test_columns_of_bytes(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"id": [1], "system": ["s"], "summary": ["x"], "raw": [b"\xff"]})
        frame.write_parquet(tmp_path / "c.parquet")
        assert "binary columns are not read: raw" in read_corpus(tmp_path / "c.parquet").notes

    def test_parquet_rows(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"id": [1, 1, 2], "system": ["s", "s", "s"], "summary": ["x", "x", None]})
        frame.write_parquet(tmp_path / "c.parquet")
        corpus = read_corpus(tmp_path / "c.parquet")
        assert places(corpus.problems) == [
            (3, "2 / s / original / overall", "the summary has no text"),
        ]


class TestMapping:
    def test_messy_names(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "num;txt;who;chat\n7;Short.;m1;A: hi | B: ho\n")
        mapping = parse_mapping(["dialogue_id=num", "summary=txt", "system=who"])
        corpus = read_corpus(path, mapping=mapping, strict=True)
        assert corpus.summaries.select("dialogue_id", "system", "text").rows() == [("7", "m1", "Short.")]
        assert len(corpus.dialogue("7").turns) == 2
        columns = {column.name: column for column in inspect_file(path, mapping=mapping).columns}
        assert (columns["txt"].use, columns["txt"].why) == ("summary", "the mapping says so")
        assert (columns["chat"].use, columns["chat"].why) == ("dialogue", "its values look like turns of speakers")
        assert columns["num"].type == "number"

    def test_nested_records_with_a_mapped_id(self, tmp_path: Path) -> None:
        path = jsonl_file(tmp_path, {"key": "d", "turns": ["A: x"], "summaries": {"s": "y"}})
        corpus = read_corpus(path, mapping={"dialogue_id": "key"}, strict=True)
        assert corpus.summaries["dialogue_id"].to_list() == ["d"]

    def test_several_reference_columns(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,system,summary,anna,ben\nd,s,x,R,S\n")
        corpus = read_corpus(path, mapping=parse_mapping(["reference=anna", "reference=ben"]))
        assert corpus.references.select("system", "text").rows() == [("reference-1", "R"), ("reference-2", "S")]

    def test_errors(self, tmp_path: Path) -> None:
        path = csv_file(tmp_path, "id,system,summary,hyp\nd,s,x,y\n")
        with pytest.raises(UnknownNameError, match="did you mean 'summary'"):
            read_corpus(path, mapping={"sumary": "hyp"})
        with pytest.raises(UnknownNameError, match=r"column in the mapping 'hypp'.*did you mean 'hyp'"):
            read_corpus(path, mapping={"summary": "hypp"})
        with pytest.raises(InputError, match="'hyp' is given two uses"):
            read_corpus(path, mapping={"summary": "hyp", "reference": "hyp"})
        for use in ("reference", "dimension:wit", "meta:x"):
            with pytest.raises(InputError, match="needs a column"):
                read_corpus(path, mapping={use: "=x"})
        with pytest.raises(InputError, match="only 'reference' takes several"):
            read_corpus(path, mapping={"summary": ["hyp", "summary"]})
        for pair in ("summary", "=hyp", "summary="):
            with pytest.raises(InputError, match="USE=COLUMN"):
                parse_mapping([pair])

    def test_a_text_beside_a_system_is_a_summary(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "dialogue_id,system,text\nd,s,x\n"), strict=True)
        assert corpus.summaries["text"].to_list() == ["x"]
        assert read_corpus(csv_file(tmp_path, "id,text\nd,A: x\n")).dialogue("d").turns == (Turn("A", "x"),)

    def test_a_taken_use_is_explained(self, tmp_path: Path) -> None:
        found = inspect_file(csv_file(tmp_path, "id,dialogue_id,system,summary\nx,d,s,y\n"))
        assert {column.name: column.why for column in found.columns}["id"] == "could be dialogue_id, but that is taken"
        assert {column.name: column.use for column in found.columns}["dialogue_id"] == "dialogue_id"

    def test_nothing_usable(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"c\.csv: no column holds dialogues.*found: a, b"):
            read_corpus(csv_file(tmp_path, "a,b\n1,2\n"))

    def test_a_doubled_column_is_said(self, tmp_path: Path) -> None:
        corpus = read_corpus(csv_file(tmp_path, "id,system,summary,summary\nd,s,x,y\n"))
        assert corpus.summaries["text"].to_list() == ["x"]
        assert any("more than once" in note for note in corpus.notes)


class TestRatingFiles:
    @pytest.fixture
    def corpus(self) -> Corpus:
        summaries = [Summary("d", "s", "x"), Summary("d", "t", "y")]
        return Corpus.build([Dialogue("d", ())], summaries, [Rating("d", "s", "1", "wit", 3)])

    def test_added_to_a_corpus(self, tmp_path: Path, corpus: Corpus) -> None:
        path = csv_file(tmp_path, "id,system,annotator,wit\nd,s,1,5\nd,s,2,4\nd,z,2,4\nd,t,2,x\nd,t,3,2\n")
        ratings, problems = read_ratings(path)
        assert places(problems) == [(5, "d / t / original / overall / 2 / wit", "the value is not a number")]
        more = corpus.with_ratings(ratings)
        assert more.ratings.select("system", "annotator", "value").rows() == [
            ("s", "1", 3.0),
            ("s", "2", 4.0),
            ("t", "3", 2.0),
        ]
        assert [problem.reason for problem in more.problems] == [
            "duplicate key",
            "rating of a summary that is not in the corpus",
        ]
        with pytest.raises(InputError, match="2 bad rows"):
            corpus.with_ratings(ratings, strict=True)
        with pytest.raises(InputError, match="1 bad row"):
            read_ratings(path, strict=True)

    def test_added_from_a_file_with_true_lines(self, tmp_path: Path, corpus: Corpus) -> None:
        path = csv_file(
            tmp_path,
            'id,system,annotator,wit,comment\nd,s,2,x,\nd,s,3,4,"two\nlines"\nd,z,2,4,\n\nd,t,2,2,\nd,s,1,5,\n',
        )
        more = add_ratings(corpus, path)
        assert places(more.problems) == [
            (2, "d / s / original / overall / 2 / wit", "the value is not a number"),
            (5, "d / z / original / overall / 2 / wit", "rating of a summary that is not in the corpus"),
            (8, "d / s / original / overall / 1 / wit", "duplicate key"),
        ]
        assert {problem.file for problem in more.problems} == {str(path)}
        assert more.ratings.select("system", "annotator").rows() == [("s", "1"), ("s", "3"), ("t", "2")]
        with pytest.raises(InputError, match="3 bad rows") as caught:
            add_ratings(corpus, path, strict=True)
        assert str(caught.value).splitlines()[1:] == [f"  {problem}" for problem in more.problems]
        assert len(add_ratings(more, path).problems) == 3 + 5

    def test_not_a_file_of_ratings(self, tmp_path: Path, corpus: Corpus) -> None:
        with pytest.raises(InputError, match="no column holds the system"):
            read_ratings(csv_file(tmp_path, "id,annotator,wit\nd,1,2\n"))
        with pytest.raises(InputError, match="no column holds ratings"):
            read_ratings(csv_file(tmp_path, "id,system,x\nd,s,y\n"))
        write_corpus(corpus, tmp_path / "folder")
        with pytest.raises(InputError, match="is a corpus"):
            read_ratings(tmp_path / "folder")

    @pytest.mark.data
    def test_published_ratings(self, data_dir: Path) -> None:
        ratings, problems = read_ratings(data_dir / "dialsummeval" / "human_reproduction.jsonl", strict=True)
        assert problems == ()
        assert ratings.height == 16_800
        assert (ratings["value"] == 0).sum() == 16
        corpus = read_corpus(data_dir / "dialsummeval" / "summaries.jsonl").with_ratings(ratings, strict=True)
        assert corpus.ratings.height == 16_800


def test_the_corpus_refuses_what_the_readers_leave_out() -> None:
    dialogue = Dialogue("d", ())
    for ratings, reason in (
        ([Rating("d", "s", "1", "wit", float("nan"))], "NaN"),
        ([Rating("d", "t", "1", "wit", 1)], "not in the corpus"),
        ([Rating("d", "s", "1", "wit", 1), Rating("d", "s", "1", "wit", 2)], "duplicate key"),
    ):
        with pytest.raises(InputError, match=reason):
            Corpus.build([dialogue], [Summary("d", "s", "x")], ratings)
