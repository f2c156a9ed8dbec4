"""Finding models without a network, and what is said when they are not there."""

import importlib.util
from pathlib import Path

import pytest

from dialgauge.errors import ModelError, UnknownNameError
from dialgauge.models import check_available, model_signature, resolve


def test_a_folder_is_signed_with_the_hash_of_what_matters(copy_of) -> None:
    folder = copy_of("tiny-bert")
    first = resolve(f"folder:{folder}").fingerprint
    (folder / "README.md").write_text("words", encoding="utf-8")
    assert resolve(f"folder:{folder}").fingerprint == first
    assert model_signature(f"folder:{folder}") == f"folder:{folder}#{first[:12]}"
    assert resolve(f"folder:{folder}@{first[:16]}").path == folder
    (folder / "vocab.txt").write_text("other", encoding="utf-8")
    assert resolve(f"folder:{folder}").fingerprint != first
    with pytest.raises(ModelError, match="these are other files"):
        resolve(f"folder:{folder}@{first[:16]}")


def test_missing_models_name_id_folder_extra_and_command(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError) as caught:
        resolve("embedded:spacy-en")
    assert "extra" not in str(caught.value), "spaCy is here"
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModelError) as caught:
        resolve("org/name@v2")
    for part in ("'org/name@v2'", str(tmp_path / "hub"), "'dialgauge models get org/name@v2'", "dialgauge[models]"):
        assert part in str(caught.value)
    with pytest.raises(ModelError) as caught:
        resolve("embedded:minilm")
    for part in ("'embedded:minilm'", str(own_cache), "'dialgauge models get minilm'", "dialgauge[models]"):
        assert part in str(caught.value)
    with pytest.raises(ModelError, match="looked in /no/such/folder"):
        resolve("folder:/no/such/folder")
    with pytest.raises(UnknownNameError, match="did you mean 'minilm'"):
        resolve("embedded:minlm")
    assert model_signature("org/name@v2") == "org/name@v2#absent"
    assert model_signature("chat:some@http://host/v1") == "chat:some@http://host/v1"


def test_the_hub_cache_is_read_by_revision(own_cache: Path, tmp_path: Path) -> None:
    repository = tmp_path / "hub" / "models--org--name"
    commits = ["a" * 40, "b" * 40]
    for commit in commits:
        (repository / "snapshots" / commit).mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commits[1], encoding="utf-8")
    assert resolve("org/name").fingerprint == commits[1]
    assert resolve("org/name@aaaaaaa").path == repository / "snapshots" / commits[0]
    assert model_signature("org/name") == f"org/name#{commits[1][:12]}"
    with pytest.raises(ModelError, match="is not here"):
        resolve("org/name@cccc")


def test_what_cannot_be_used_is_known_before_any_work(monkeypatch: pytest.MonkeyPatch, tiny: Path) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    check_available("encoder", f"folder:{tiny / 'tiny-bert'}", "metric 'x'")
    with pytest.raises(ModelError, match=r"metric 'x' has no default model: name one, as in model=folder:/path"):
        check_available("encoder", "", "metric 'x'")
    with pytest.raises(ModelError, match="metric 'x': no endpoint for 'chat:y': set OPENAI_BASE_URL"):
        check_available("chat", "chat:y", "metric 'x'")
    with pytest.raises(ModelError, match="judge=org/name is not a chat model"):
        check_available("chat", "org/name", "metric 'x'", "judge")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    check_available("chat", "chat:y", "metric 'x'")
