"""A corpus knows its language: declared in Python, on the command line, in the folder's card and in rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from dialgauge.corpus import (
    DATASETS,
    Corpus,
    CorpusInfo,
    Dialogue,
    Summary,
    Turn,
    embedded_corpus,
    inspect_file,
    read_corpus,
    read_dataset,
    write_corpus,
)
from dialgauge.corpus._guess import Guess
from dialgauge.errors import InputError

Cli = Callable[..., Any]


def corpus(*languages: str | None, info: CorpusInfo | None = None) -> Corpus:
    dialogues = [Dialogue(f"d{i}", (Turn("A", "Bonjour"),), language=code) for i, code in enumerate(languages)]
    return Corpus.build(dialogues, [Summary(d.id, "s", "Bonjour") for d in dialogues], info=info)


def test_the_language_is_what_all_dialogues_declare() -> None:
    assert corpus("fr", "fr").language == "fr"
    assert corpus("fr", "de").language is None
    assert corpus("fr", None).language is None
    assert Corpus().language is None
    assert embedded_corpus().language == "en"


def test_dialogues_that_declare_none_get_that_of_the_corpus() -> None:
    declared = corpus("de", None).with_language("fr")
    assert declared.info.language == "fr"
    assert declared.dialogues["language"].to_list() == ["de", "fr"]
    assert corpus(None, info=CorpusInfo(language="pt-BR")).dialogue("d0").language == "pt-BR"


@pytest.mark.parametrize("code", ["", "french!", "f", "fr ", "1a"])
def test_what_is_no_language_code_is_refused(code: str) -> None:
    with pytest.raises(InputError, match="language must be a code such as 'fr'"):
        corpus(None).with_language(code)


@pytest.mark.parametrize("name", ["folder", "c.jsonl", "c.parquet", "c.csv"])
def test_every_format_keeps_it(tmp_path: Path, name: str) -> None:
    write_corpus(corpus(None, None).with_language("fr"), tmp_path / name)
    assert read_corpus(tmp_path / name).language == "fr"
    assert inspect_file(tmp_path / name).language == "fr"
    assert read_corpus(tmp_path / name, language="de").language == "fr"  # rows that declare one keep it


def test_the_card_of_a_folder(tmp_path: Path) -> None:
    write_corpus(corpus(None), tmp_path / "folder")
    card = tmp_path / "folder" / "corpus.toml"
    assert "language" not in card.read_text("utf-8")
    assert read_corpus(tmp_path / "folder").language is None
    card.write_text('language = "fr"\n' + card.read_text("utf-8"), encoding="utf-8")
    assert read_corpus(tmp_path / "folder").language == "fr"
    for wrong, message in (("3", "must be a string"), ('"??"', "must be a code")):
        card.write_text(f"language = {wrong}\n" + card.read_text("utf-8").partition("\n")[2], encoding="utf-8")
        with pytest.raises(InputError, match=rf"corpus.toml: .*language {message}"):
            read_corpus(tmp_path / "folder")


def test_convert_and_inspect(cli: Cli, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"dialogue": "A: Salut", "summary": "A salue."}), encoding="utf-8")
    assert "language" not in cli("inspect", rows).out.splitlines()[0]
    assert json.loads(cli("inspect", rows, "--json").out)["language"] is None
    written = cli("convert", rows, tmp_path / "corpus", "--language", "fr", "--json")
    assert json.loads(written.out)["language"] == "fr"
    assert "language fr" in cli("inspect", tmp_path / "corpus").out
    refused = cli("convert", rows, tmp_path / "other", "--language", "français")
    assert refused.code == 2
    assert "must be a code such as 'fr'" in refused.err


@pytest.mark.data
def test_data_sets_declare_theirs(data_dir: Path) -> None:
    assert read_dataset("csds", data_dir / "csds").language == DATASETS["csds"].language == "zh"


@pytest.mark.parametrize(
    ("text", "several"),
    [
        ("They meet soon", True),
        ("ลูกค้าต้องการคืนสินค้า", True),
        ("អតិថិជនចង់ប្រគល់ទំនិញ", True),
        ("顧客は返品を希望", True),
        ("客户要求退货", True),
        ("客户", False),
        ("Zustimmung", False),
    ],
)
def test_a_text_in_a_script_without_spaces_is_a_text(text: str, several: bool) -> None:
    assert Guess(pl.DataFrame({"said": [text] * 3}), {}).has_texts("said") is several
