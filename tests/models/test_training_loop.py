"""The training loop: it learns, it can be stopped at any epoch, and it keeps the best weights."""

import json
import math

import pytest

torch = pytest.importorskip("torch")

from dialgauge.errors import InputError, ModelError, ParameterError, UnknownNameError  # noqa: E402
from dialgauge.models import TrainingPlan, _training, remove_checkpoint, train  # noqa: E402


def _module(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(4, 16), torch.nn.LayerNorm(16), torch.nn.Dropout(0.2), torch.nn.Tanh(), torch.nn.Linear(16, 1)
    )


def _data(seed, count=12):
    made = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 8, 4, generator=made)
    return [(x[i], x[i].sum(-1, keepdim=True)) for i in range(count)]


def _batches(epoch):
    order = torch.randperm(12, generator=torch.Generator().manual_seed(epoch)).tolist()
    data = _data(1)
    return [data[i] for i in order]


def _loss(module, batch):
    x, y = batch
    return torch.nn.functional.mse_loss(module(x), y)


def _weights(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


def test_the_loss_falls_and_the_module_ends_in_evaluation_mode():
    module = _module()
    record = train(module, _batches, _loss, TrainingPlan(epochs=8, learning_rate=2e-2, device="cpu"))
    losses = [epoch.loss for epoch in record.epochs]
    assert losses[-1] < 0.3 * losses[0]
    assert record.best_epoch == 7
    assert not module.training


def test_the_same_seed_gives_the_same_weights_and_another_seed_others():
    def made(seed):
        module = _module()
        train(module, _batches, _loss, TrainingPlan(epochs=2, seed=seed, device="cpu"))
        return _weights(module)

    assert torch.equal(made(3), made(3))
    assert not torch.equal(made(3), made(4))  # dropout


def test_accumulated_micro_batches_equal_one_large_batch():
    data = _data(1, count=4)
    whole = [(torch.cat([x for x, _ in data]), torch.cat([y for _, y in data]))]
    modules = [torch.nn.Linear(4, 1) for _ in range(2)]
    modules[1].load_state_dict(modules[0].state_dict())
    train(modules[0], lambda _: data, _loss, TrainingPlan(epochs=3, accumulate=4, device="cpu"))
    train(modules[1], lambda _: whole, _loss, TrainingPlan(epochs=3, device="cpu"))
    torch.testing.assert_close(_weights(modules[0]), _weights(modules[1]), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("stopped_after", [1, 2, 4])
def test_a_stopped_training_goes_on_as_if_it_had_never_stopped(tmp_path, stopped_after):
    plan = TrainingPlan(epochs=5, learning_rate=1e-2, device="cpu")
    values = [3.0, 1.0, 2.0, 0.5, 4.0]

    def evaluate_from(done):
        left = iter(values[done:])
        return lambda module: next(left)

    undisturbed = _module()
    expected = train(undisturbed, _batches, _loss, plan, evaluate=evaluate_from(0))

    def dying(epoch):
        if epoch == stopped_after:
            raise KeyboardInterrupt
        return _batches(epoch)

    with pytest.raises(KeyboardInterrupt):
        train(_module(), dying, _loss, plan, evaluate=evaluate_from(0), folder=tmp_path)
    resumed = _module(seed=9)
    record = train(resumed, _batches, _loss, plan, evaluate=evaluate_from(stopped_after), folder=tmp_path)
    assert torch.equal(_weights(resumed), _weights(undisturbed))
    assert [e.loss for e in record.epochs] == [e.loss for e in expected.epochs]
    assert record.best_epoch == expected.best_epoch == 3
    assert record.resumed_from == stopped_after
    remove_checkpoint(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_best_epoch_is_kept_and_patience_stops():
    values = iter([1.0, 0.4, 0.6, 0.7, 0.1])
    seen = []

    def evaluate(module):
        seen.append(_weights(module))
        return next(values)

    module = _module()
    record = train(module, _batches, _loss, TrainingPlan(epochs=5, patience=2, device="cpu"), evaluate=evaluate)
    assert record.stopped_early
    assert len(record.epochs) == 4
    assert record.best_epoch == 1
    assert torch.equal(_weights(module), seen[1])


@pytest.mark.parametrize(("ties", "best"), [("earlier", 1), ("later", 3)])
def test_of_equally_good_epochs_the_wanted_one_is_kept(ties, best):
    values = iter([1.0, -1.0, 0.5, -1.0, -0.5])
    seen = []

    def evaluate(module):
        seen.append(_weights(module))
        return next(values)

    module = _module()
    record = train(module, _batches, _loss, TrainingPlan(epochs=5, device="cpu"), evaluate=evaluate, ties=ties)
    assert record.best_epoch == best
    assert torch.equal(_weights(module), seen[best])


def test_frozen_parameters_stay(tmp_path):
    module = _module()
    module[0].requires_grad_(False)
    before = module[0].weight.clone()
    train(module, _batches, _loss, TrainingPlan(epochs=1, device="cpu"), folder=tmp_path)
    assert torch.equal(module[0].weight, before)
    module.requires_grad_(False)
    with pytest.raises(ModelError, match="nothing to train"):
        train(module, _batches, _loss, TrainingPlan(device="cpu"))


def test_bf16_learns_with_weights_in_fp32():
    module = _module()
    record = train(module, _batches, _loss, TrainingPlan(epochs=8, learning_rate=2e-2, precision="bf16", device="cpu"))
    assert record.epochs[-1].loss < record.epochs[0].loss
    assert module[0].weight.dtype == torch.float32


def test_another_training_or_a_damaged_checkpoint_is_refused(tmp_path):
    plan = TrainingPlan(epochs=1, device="cpu")
    train(_module(), _batches, _loss, plan, folder=tmp_path, identity="a")
    with pytest.raises(InputError, match="other settings"):
        train(_module(), _batches, _loss, TrainingPlan(epochs=2, device="cpu"), folder=tmp_path, identity="a")
    with pytest.raises(InputError, match="other settings"):
        train(_module(), _batches, _loss, plan, folder=tmp_path, identity="b")
    state = tmp_path / "checkpoint" / "state.json"
    assert json.loads(state.read_text("utf-8"))["record"]["best_epoch"] == 0
    weights = tmp_path / "checkpoint" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-40])
    with pytest.raises(InputError, match="damaged checkpoint"):
        train(_module(), _batches, _loss, plan, folder=tmp_path, identity="a")


def test_a_loss_that_explodes_is_named():
    with pytest.raises(ModelError, match=r"became nan in epoch 1 at batch 1; a lower learning rate"):
        train(_module(), _batches, lambda m, b: _loss(m, b) * math.nan, TrainingPlan(device="cpu"))
    with pytest.raises(InputError, match="no batches"):
        train(_module(), lambda epoch: [], _loss, TrainingPlan(device="cpu"))


def test_losses_that_are_read_late_are_the_same_and_the_bad_one_is_named(monkeypatch):
    def trained(at_once, loss=_loss):
        monkeypatch.setattr(_training, "_READ_AT_ONCE", at_once)
        monkeypatch.setattr(_training, "_on_card", lambda device: at_once > 1)
        module = _module()
        seen = []
        plan = TrainingPlan(epochs=2, device="cpu")
        record = train(module, _batches, loss, plan, progress=lambda *told: seen.append(told))
        return [entry.loss for entry in record.epochs], seen

    at_once, seen = trained(1)
    later, seen_later = trained(5)
    assert later == at_once
    assert [told[1:] for told in seen_later] == [told[1:] for told in seen]
    assert seen_later[0][0] == "epoch 1 of 2"
    assert seen_later[4][0] == seen[4][0]
    calls = iter(range(100))
    with pytest.raises(ModelError, match="became nan in epoch 1 at batch 8"):
        trained(5, lambda module, batch: _loss(module, batch) * (math.nan if next(calls) >= 7 else 1))


@pytest.mark.parametrize(
    ("name", "value"),
    [("epochs", 0), ("learning_rate", 0.0), ("warmup", 1.0), ("accumulate", 0), ("precision", "fp16"), ("patience", 0)],
)
def test_settings_outside_their_range_are_named(name, value):
    with pytest.raises((ParameterError, UnknownNameError), match=name):
        TrainingPlan(**{name: value})
