"""Loading: every kind, once, and every way in which a checkpoint can be wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from dialgauge.errors import InputError, ModelError, ParameterError
from dialgauge.models import _load as loading, convert, load, unload

KINDS = {
    "encoder": ["tiny-bert", "tiny-bert-mlm", "tiny-roberta", "tiny-bart", "tiny-t5"],
    "masked-lm": ["tiny-bert-mlm"],
    "causal-lm": ["tiny-gpt2"],
    "seq2seq": ["tiny-bart", "tiny-t5"],
    "sequence-classifier": ["tiny-bert-nli"],
    "qa": ["tiny-bert-qa"],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in KINDS.items() for name in names])
def test_every_kind_loads_for_inference(tiny: Path, kind, name: str) -> None:
    model = load(kind, f"folder:{tiny / name}", device="cpu")
    assert load(kind, f"folder:{tiny / name}", device="cpu") is model
    assert not model.module.training
    assert not any(weight.requires_grad for weight in model.module.parameters())
    assert {weight.dtype for weight in model.module.parameters()} == {torch.float32}
    assert 2 <= model.max_length <= 1024
    assert model.signature.endswith(f"#{model.fingerprint[:12]}")


def test_dtype_device_and_unloading(tiny: Path) -> None:
    ref = f"folder:{tiny / 'tiny-bert'}"
    single = load("encoder", ref, device="cpu")
    half = load("encoder", ref, device="cpu", dtype="bf16")
    assert half is not single
    assert {weight.dtype for weight in half.module.parameters()} == {torch.bfloat16}
    unload(keep=single)
    assert load("encoder", ref, device="cpu") is single
    assert load("encoder", ref, device="cpu", dtype="bf16") is not half
    unload()
    assert load("encoder", ref, device="cpu") is not single


def test_models_that_are_not_in_use_make_room(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A card on which one of the two fits at a time."""
    first = load("encoder", f"folder:{tiny / 'tiny-bert'}", "cpu")
    move = torch.nn.Module.to
    tries: list[int] = []

    def to(module: torch.nn.Module, *given: Any, **named: Any) -> torch.nn.Module:
        tries.append(len(loading._loaded))
        if loading._loaded:
            raise torch.OutOfMemoryError("out of memory")
        return move(module, *given, **named)

    monkeypatch.setattr(torch.nn.Module, "to", to)
    second = load("seq2seq", f"folder:{tiny / 'tiny-bart'}", "cpu")
    assert tries == [1, 0]
    assert list(loading._loaded.values()) == [second]
    unload()
    monkeypatch.setattr(torch.nn.Module, "to", lambda *_: (_ for _ in ()).throw(torch.OutOfMemoryError("still")))
    with pytest.raises(ModelError, match=r"tiny-bert' does not fit into the memory of cpu; try device=cpu"):
        load("encoder", first.ref, "cpu")


def test_split_products_are_nearly_as_exact_as_fp32(tiny: Path) -> None:
    ref = f"folder:{tiny / 'tiny-bert'}"
    ids = torch.arange(5, 25).view(2, 10)
    exact, split, half = (
        load("encoder", ref, device="cpu", dtype=dtype).module(input_ids=ids).last_hidden_state.float()
        for dtype in ("fp32", "bf16x3", "bf16")
    )
    assert not torch.equal(split, exact)
    assert (split - exact).abs().max() < 1e-4
    assert (half - exact).abs().max() > 20 * (split - exact).abs().max()


def test_bad_settings(tiny: Path) -> None:
    ref = f"folder:{tiny / 'tiny-bert'}"
    with pytest.raises(ParameterError, match="parameter 'kind' must be 'encoder' or"):
        load("encodr", ref)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="parameter 'device' must be 'auto'"):
        load("encoder", ref, device="gpu")
    with pytest.raises(ParameterError, match="parameter 'dtype' must be 'fp32' or 'bf16' or 'bf16x3'; got 'int8'"):
        load("encoder", ref, dtype="int8")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA")
def test_cuda_absent(tiny: Path) -> None:
    with pytest.raises(ModelError, match=r"device 'cuda:1' cannot be used: .*; use device=cpu"):
        load("encoder", f"folder:{tiny / 'tiny-bert'}", device="cuda:1")
    assert load("encoder", f"folder:{tiny / 'tiny-bert'}", device="auto").device == "cpu"


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("masked-lm", "tiny-bert", r"is not a masked language model: its checkpoint has no weights for cls\.pred"),
        ("qa", "tiny-bert", r"is not a question answering model: .* qa_outputs.bias and 1 more"),
        ("sequence-classifier", "tiny-bert-qa", "is not a sequence classifier"),
        ("seq2seq", "tiny-bert", "is not a sequence-to-sequence model: .* says model_type 'bert'"),
        ("causal-lm", "tiny-t5", "is not a causal language model: .* says model_type 't5'"),
    ],
)
def test_a_model_of_another_kind_is_refused(tiny: Path, kind, name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(kind, f"folder:{tiny / name}", device="cpu")


def test_damaged_weights(copy_of) -> None:
    folder = copy_of("tiny-bert")
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    for spoiled in (whole[: len(whole) // 2], b"\xff" * 8 + whole[8:], b""):
        weights.write_bytes(spoiled)
        with pytest.raises(ModelError, match=f"folder:{folder}.*(damaged|cannot be loaded)"):
            load("encoder", f"folder:{folder}", device="cpu")


def test_weights_of_another_shape(copy_of) -> None:
    folder = copy_of("tiny-bert")
    config = json.loads((folder / "config.json").read_text())
    config["intermediate_size"] += 8
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=f"folder:{folder}"):
        load("encoder", f"folder:{folder}", device="cpu")


def test_pickled_weights_are_refused_until_converted(copy_of) -> None:
    from safetensors.torch import load_file

    folder = copy_of("tiny-bert")
    tensors = load_file(folder / "model.safetensors")
    before = load("encoder", f"folder:{folder}", device="cpu").module.state_dict()
    torch.save(tensors, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"only pickled weights \(pytorch_model.bin\).*dialgauge models convert"):
        load("encoder", f"folder:{folder}", device="cpu")
    assert convert(folder) == folder / "model.safetensors"
    after = load("encoder", f"folder:{folder}", device="cpu").module.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


class Trap:
    def __reduce__(self):
        return (print, ("a pickle ran code",))


def test_conversion_runs_no_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"weight": torch.zeros(2), "trap": Trap()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="has more than tensors"):
        convert(tmp_path)
    assert "ran code" not in capsys.readouterr().out
    torch.save([torch.zeros(2)], tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="not a plain table of tensors"):
        convert(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match=r"no pickled weights .*to convert"):
        convert(tmp_path / "empty")
    with pytest.raises(InputError, match="no such folder"):
        convert(tmp_path / "missing")


def test_no_weights_no_folder_no_tokenizer(copy_of, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(ModelError, match="no weights"):
        load("encoder", f"folder:{tmp_path / 'bare'}")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ModelError, match="is not a folder"):
        load("encoder", f"folder:{tmp_path / 'file'}")
    folder = copy_of("tiny-gpt2")
    for name in ("vocab.json", "merges.txt", "tokenizer_config.json", "tokenizer.json", "special_tokens_map.json"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises(ModelError, match=r"no tokenizer in .* \(looked for tokenizer.json, vocab.txt"):
        load("causal-lm", f"folder:{folder}", device="cpu")
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(ModelError, match="no usable tokenizer"):
        load("causal-lm", f"folder:{folder}", device="cpu")


def test_a_tokenizer_of_another_model(copy_of) -> None:
    folder = copy_of("tiny-bert")
    words = (folder / "vocab.txt").read_text().splitlines()
    (folder / "vocab.txt").write_text("\n".join([*words, *(f"new{i}" for i in range(50))]) + "\n")
    with pytest.raises(ModelError, match="they do not belong together"):
        load("encoder", f"folder:{folder}", device="cpu")


def without_pad(folder: Path) -> Path:
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        path = folder / name
        settings = json.loads(path.read_text())
        settings["pad_token"] = None
        if name == "special_tokens_map.json":
            del settings["pad_token"]
        path.write_text(json.dumps(settings))
    return folder


def test_a_tokenizer_without_pad_token(copy_of) -> None:
    with pytest.raises(ModelError, match="its tokenizer has no pad token"):
        load("encoder", f"folder:{without_pad(copy_of('tiny-bert'))}", device="cpu")
    model = load("causal-lm", f"folder:{without_pad(copy_of('tiny-gpt2'))}", device="cpu")
    assert model.pad_id == model.tokenizer.eos_token_id


def test_code_that_comes_with_a_model_is_not_run(copy_of) -> None:
    folder = copy_of("tiny-bert")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "strange", "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(folder / 'ran')!r}, 'w')\nclass Config: ...\nclass Model: ...\n")
    with pytest.raises(ModelError):
        load("encoder", f"folder:{folder}", device="cpu")
    assert not (folder / "ran").exists()


def test_without_torch_the_extra_is_named(tiny: Path) -> None:
    code = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] in ('torch', 'transformers'): raise ImportError(name)\n"
        "import importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name in ('torch',) else real(name, package)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "import dialgauge.metrics\n"
        "from dialgauge.errors import MissingExtraError\n"
        "from dialgauge.models import load\n"
        f"try: load('encoder', 'folder:{tiny / 'tiny-bert'}')\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert "needs the extra 'models': pip install 'dialgauge[models]'" in done.stdout, done.stderr


def test_importing_the_rooms_does_not_import_torch() -> None:
    code = "import sys, dialgauge.metrics as m, dialgauge.models; m.all_metrics(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"


def test_what_is_said_to_be_pickled_can_be_converted(copy_of) -> None:
    import torch
    from safetensors.torch import load_file

    folder = copy_of("tiny-bert")
    torch.save(load_file(folder / "model.safetensors"), folder / "weights.pt")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"only pickled weights \(weights.pt\).*dialgauge models convert"):
        load("encoder", f"folder:{folder}", "cpu")
    convert(folder)
    load("encoder", f"folder:{folder}", "cpu")
    (folder / "model.safetensors").unlink()
    (folder / "optimizer.pt").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"optimizer.pt, weights.pt are all pickled"):
        convert(folder)
