"""The catalogue: complete entries, readers of the published layouts, readers of the study data."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import DATASETS, Corpus, Turn, get_dataset, read_dataset
from dialgauge.errors import InputError, UnknownNameError

NAMES = [
    "csds",
    "dialogsum",
    "dialsummeval",
    "faceval",
    "samsum",
    "sst",
    "summedits",
    "summeval",
    "tofueval",
    "tweetsumm",
]


def lines(path: Path, *records: object) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def ratings(corpus: Corpus, *columns: str) -> list[tuple[object, ...]]:
    return corpus.ratings.select(columns).rows()


def test_every_data_set_is_there_and_complete() -> None:
    assert sorted(DATASETS) == NAMES
    for name, entry in DATASETS.items():
        assert entry.name == name
        for field in ("title", "what", "size", "language", "licence", "home", "paper", "how", "unverified"):
            assert getattr(entry, field), f"{name}: {field}"
        assert entry.markers
        assert all(file.url.startswith("https://") and "/" not in file.name for file in entry.files)
        # A branch moves; what is pinned to GitHub must be pinned to a commit.
        assert all("githubusercontent" not in f.url or len(f.url.split("/")[5]) == 40 for f in entry.files)


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'samsum'"):
        get_dataset("samsun")
    with pytest.raises(UnknownNameError, match="part of samsum 'tests'"):
        read_dataset("samsum:tests", tmp_path)
    with pytest.raises(InputError, match="is not a data set of dialogues"):
        read_dataset("sst", tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_dataset("samsum", tmp_path / "gone")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "sst"])
def test_absent_and_foreign_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="in it"):
        read_dataset(name, tmp_path)
    for marker in DATASETS[name].markers:
        if marker.endswith((".jsonl", ".json")):
            lines(tmp_path / marker, {"nothing": "known"})
        elif marker.endswith(".csv"):
            (tmp_path / marker).write_text("nothing,known\n1,2\n")
    (tmp_path / "twcs.csv").write_text("tweet_id,inbound,text\n1,True,x\n")
    assert DATASETS[name].is_in(tmp_path)
    with pytest.raises(InputError, match=r"layout|in it"):
        read_dataset(name, tmp_path)


class TestPublishedLayouts:
    """Small files of our own in the layouts that the authors publish."""

    def test_dialsummeval(self, tmp_path: Path) -> None:
        rated = [{"coherence": n, "consistency": 5, "fluency": 5, "relevance": 5} for n in (1, 2, 3)]
        row = {"id": "1", "dialogue": "| A: x | B: y", "annotations": rated}
        lines(tmp_path / "human_judgment.jsonl", *({**row, "summary": f"s{m}", "model_id": m} for m in "AB"))
        corpus = read_dataset("dialsummeval", tmp_path)
        assert corpus.references["system"].to_list() == ["A"]
        assert corpus.dialogue("1").turns == (Turn("A", "x"), Turn("B", "y"))
        found = corpus.ratings.filter(pl.col("system") == "B", pl.col("dimension") == "coherence")
        assert found.select("annotator", "value", "scale").rows() == [
            ("1", 1.0, "1-5"),
            ("2", 2.0, "1-5"),
            ("3", 3.0, "1-5"),
        ]

    def test_samsum(self, tmp_path: Path) -> None:
        for split in ("train", "val", "test"):
            row = {"id": split, "dialogue": "A: x\r\nB: y", "summary": "s"}
            (tmp_path / f"{split}.json").write_text(json.dumps([row]))
        corpus = read_dataset("samsum", tmp_path)
        assert [d.meta["split"] for d in corpus.iter_dialogues()] == ["train", "validation", "test"]
        assert read_dataset("samsum:validation", tmp_path).dialogues["dialogue_id"].to_list() == ["val"]

    def test_dialogsum(self, tmp_path: Path) -> None:
        (tmp_path / "DialogSum_Data").mkdir()
        row = {
            "fname": "test_0",
            "dialogue": "#Person1#: x",
            "summary1": "a",
            "summary2": "a",
            "topic1": "t",
            "topic2": "u",
        }
        lines(tmp_path / "DialogSum_Data" / "dialogsum.test.jsonl", row)
        corpus = read_dataset("dialogsum:test", tmp_path)
        assert corpus.references.select("system", "text").rows() == [("reference-1", "a"), ("reference-2", "a")]
        assert corpus.dialogue("test_0").meta == {"split": "test", "topics": ["t", "u"]}

    def test_tweetsumm(self, tmp_path: Path) -> None:
        (tmp_path / "twcs.csv").write_text(
            "tweet_id,author_id,inbound,created_at,text\n"
            "1,x,True,now,My phone broke. Help!\n2,y,False,now,We are sorry.\n"
        )
        notes = {"extractive": [{"tweet_id": 1, "sentence_offset": "[0, 15]"}], "abstractive": ["It broke.", "Sorry."]}
        row: dict[str, Any] = {
            "conversation_id": "c",
            "tweet_ids_sentence_offset": [
                {"tweet_id": 1, "sentence_offsets": ["[0, 15]", "[16, 21]"]},
                {"tweet_id": 2, "sentence_offsets": ["[0, 13]"]},
            ],
            "annotations": [notes],
        }
        lines(tmp_path / "final_test_tweetsum.jsonl", row)
        corpus = read_dataset("tweetsumm:test", tmp_path)
        assert corpus.dialogue("c").turns == (
            Turn("Customer", "My phone broke. Help!", "customer"),
            Turn("Agent", "We are sorry.", "agent"),
        )
        assert corpus.summaries.select("system", "kind", "text").rows() == [
            ("reference", "reference", "It broke. Sorry."),
            ("extractive-1", "system", "My phone broke."),
        ]
        row["tweet_ids_sentence_offset"][0]["tweet_id"] = 9
        lines(tmp_path / "final_test_tweetsum.jsonl", row)
        with pytest.raises(InputError, match="tweet 9 is not in"):
            read_dataset("tweetsumm:test", tmp_path)

    def test_csds(self, tmp_path: Path) -> None:
        row = {
            "DialogueID": 3,
            "QRole": "商家",
            "Dialogue": [
                {"speaker": "Q", "turn": 0, "utterance": "你 好"},
                {"speaker": "A", "turn": 1, "utterance": "您好"},
            ],
            "UserSumm": ["商家 问好。"],
            "AgentSumm": ["客服 回答。", "再见。"],
            "FinalSumm": ["问好。"],
        }
        (tmp_path / "val.json").write_text(json.dumps([row]), encoding="utf-8")
        corpus = read_dataset("csds:val", tmp_path)
        assert corpus.dialogue("val-3").turns == (Turn("商家", "你好", "user"), Turn("客服", "您好", "agent"))
        assert corpus.references.select("role", "text").rows() == [
            ("user", "商家问好。"),
            ("agent", "客服回答。再见。"),
            ("overall", "问好。"),
        ]

    def test_summeval(self, tmp_path: Path) -> None:
        four = {"coherence": 1, "consistency": 2, "fluency": 3, "relevance": 4}
        row = {"id": "a", "decoded": "s", "references": ["r", "q"], "expert_annotations": [four] * 3}
        row["turker_annotations"] = [four] * 5
        lines(tmp_path / "model_annotations.aligned.jsonl", *({**row, "model_id": m} for m in ("M1", "M2")))
        assert read_dataset("summeval", tmp_path).ratings.height == 2 * 3 * 4
        crowd = read_dataset("summeval:crowd", tmp_path)
        assert crowd.ratings["annotator"].n_unique() == 5
        assert crowd.references["system"].to_list() == ["reference-1", "reference-2"]

    def test_tofueval(self, tmp_path: Path) -> None:
        header = "doc_id,annotation_id,topic,model_name,sent_idx,summ_sent,sent_label,exp,type\n"
        rows = 'D,1,cost,model_A,1,First.,yes,,\nD,1,cost,model_A,2,"Second, too.",no,not so,Extrinsic\n'
        (tmp_path / "mediasum_factual_eval_dev.csv").write_text(
            header + rows + rows.splitlines()[0] + "\n"
        )  # one row twice
        (tmp_path / "mediasum_dev_doc.csv").write_text('doc_id,source\nD,"HOST: hi\nGUEST: ho"\n')
        corpus = read_dataset("tofueval:mediasum", tmp_path)
        assert corpus.summaries["text"].to_list() == ["First. Second, too."]
        assert len(corpus.dialogue("D#cost").turns) == 2
        assert ratings(corpus, "sentence", "value", "comment") == [(1, 1.0, None), (2, 0.0, "Extrinsic: not so")]
        (tmp_path / "mediasum_factual_eval_dev.csv").write_text(header + rows.replace("yes", "maybe"))
        with pytest.raises(InputError, match="'maybe', not yes or no"):
            read_dataset("tofueval", tmp_path)

    def test_faceval(self, tmp_path: Path) -> None:
        header = ",DocID,Dialogue,Model,Summary,SubObjE,ProE,NegE,ParE,HalE,OtherE,w/ Error\n"
        rows = '0,7,"A: x\nB: y",human_ref,ref,no,no,no,no,no,no,no\n1,7,"A: x\nB: y",bart,out,yes,no,no,no,no,no,yes\n'
        (tmp_path / "FacEval_human_result.csv").write_text(header + rows)
        corpus = read_dataset("faceval", tmp_path)
        assert corpus.references["system"].to_list() == ["human_ref"]
        found = corpus.ratings.filter(pl.col("dimension").is_in(["consistency", "SubObjE"]))
        assert found.select("system", "dimension", "value").rows() == [
            ("human_ref", "consistency", 1.0),
            ("human_ref", "SubObjE", 0.0),
            ("bart", "consistency", 0.0),
            ("bart", "SubObjE", 1.0),
        ]

    def test_summedits(self, tmp_path: Path) -> None:
        base = {"doc": "Ann: Buy it. . Mike: Ok. . Ann: Thanks", "original_summary": "s"}
        rows = [
            {**base, "id": "samsum_1_og", "summary": "s", "label": 1, "edit_types": []},
            {**base, "id": "samsum_1_0", "summary": "t", "label": 0, "edit_types": ["entity_modification"]},
        ]
        (tmp_path / "summedits_samsum.json").write_text(json.dumps(rows))
        corpus = read_dataset("summedits:samsum", tmp_path)
        assert [turn.speaker for turn in corpus.dialogue("samsum_1").turns] == ["Ann", "Mike", "Ann"]
        assert ratings(corpus, "variant", "value") == [("original", 1.0), ("edit-0", 0.0)]
        assert corpus.summaries["provenance"].to_list() == [None, '{"edit_types": ["entity_modification"]}']
        (tmp_path / "summedits_samsum.json").unlink()
        (tmp_path / "summedits.json").write_text(json.dumps([{**row, "domain": "samsum"} for row in rows]))
        assert read_dataset("summedits:samsum", tmp_path).summaries.height == 2


@pytest.mark.data
class TestStudyData:
    @pytest.mark.parametrize(("part", "count"), [("original", 16_800), ("reproduction", 16_800), ("ablation", 1_680)])
    def test_dialsummeval(self, data_dir: Path, part: str, count: int) -> None:
        corpus = read_dataset(f"dialsummeval:{part}", data_dir / "dialsummeval")
        assert (corpus.dialogues.height, corpus.summaries.height, corpus.ratings.height) == (100, 1400, count)
        assert corpus.references["system"].unique().to_list() == ["A"]
        assert len(corpus.systems) == 13
        assert all(turn.speaker for dialogue in corpus.iter_dialogues() for turn in dialogue.turns)

    def test_the_unset_ratings_keep_their_zeros(self, data_dir: Path) -> None:
        corpus = read_dataset("dialsummeval:reproduction", data_dir)
        zeros = corpus.ratings.filter(pl.col("value") == 0)
        assert zeros.select("dialogue_id", "system", "annotator").unique().height == 4
        assert zeros["scale"].unique().to_list() == ["1-5"]
        assert corpus.ratings["comment"].drop_nulls().n_unique() > 50

    def test_samsum(self, data_dir: Path) -> None:
        corpus = read_dataset("samsum", data_dir)
        splits = [dialogue.meta["split"] for dialogue in corpus.iter_dialogues()]
        assert [splits.count(split) for split in ("train", "validation", "test")] == [14_732, 818, 819]
        assert all(turn.speaker for dialogue in corpus.iter_dialogues() for turn in dialogue.turns[:1])

    def test_dialogsum(self, data_dir: Path) -> None:
        corpus = read_dataset("dialogsum", data_dir)
        assert corpus.dialogues.height == 12_460 + 500 + 500 + 100
        assert corpus.references.height == 12_460 + 500 + 1_500
        assert corpus.dialogue("hiddentest_0").meta["topics"] == ["financial service"]

    def test_csds(self, data_dir: Path) -> None:
        corpus = read_dataset("csds", data_dir)
        assert corpus.dialogues["language"].unique().to_list() == ["zh"]
        assert len(corpus.systems) == 10
        assert corpus.summaries.group_by("role").len().sort("role").rows() == [
            ("agent", 8_800),
            ("overall", 800),
            ("user", 8_800),
        ]
        speakers = {(turn.speaker, turn.role) for d in corpus.iter_dialogues() for turn in d.turns}
        assert speakers == {("客服", "agent"), ("用户", "user"), ("商家", "user"), ("物流师傅", "user")}
