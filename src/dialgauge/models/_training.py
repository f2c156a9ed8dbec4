"""The one training loop, for taggers, metrics and summarizers."""

import hashlib
import json
import math
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from dialgauge.errors import InputError, ModelError
from dialgauge.files import atomic_folder
from dialgauge.models._device import choose_device
from dialgauge.models._settings import TrainingPlan
from dialgauge.progress import Progress

Plan = TypeVar("Plan", bound=TrainingPlan)
_CHECKPOINT = "checkpoint"
_STATE = "state.json"
_WEIGHTS = "weights.safetensors"
_BEST = "best.safetensors"
_MOMENTS = "moments.safetensors"
#: How many losses are read at a time on a GPU: reading one waits for all work that was submitted before it.
_READ_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """One pass over the data: the mean training loss, the value of ``evaluate`` (lower is better) and the time."""

    epoch: int
    loss: float
    value: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """The course of training: the epochs, which one was kept, whether it stopped early, where it was resumed."""

    epochs: tuple[EpochRecord, ...] = ()
    best_epoch: int = 0
    stopped_early: bool = False
    resumed_from: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The record for a card or a manifest."""
        return asdict(self)


def train(
    module: Any,
    batches: Callable[[int], Sequence[Any]],
    loss: Callable[[Any, Any], Any],
    plan: TrainingPlan,
    *,
    evaluate: Callable[[Any], float] | None = None,
    ties: Literal["earlier", "later"] = "earlier",
    folder: Path | None = None,
    identity: str = "",
    progress: Progress | None = None,
) -> TrainingRecord:
    """Train a module of torch in place; at the end it holds the weights of the best epoch (the last, unevaluated).

    ``accumulate`` micro-batches of the plan make one step, and its ``patience`` counts epochs without a better value of
    ``evaluate``. ``batches(epoch)`` gives the micro-batches of an epoch (from 0) and must depend on nothing but the
    epoch and the plan's seed; ``loss(module, batch)`` gives a scalar; ``evaluate(module)`` a number, the lower the
    better. ``ties`` says which of equally good epochs is best. Only parameters that require gradients are trained.

    With ``folder`` the state is kept there after every epoch, and a call with the same folder, plan and ``identity``
    (a digest of data and starting weights) resumes after the last complete epoch, with the same result as if it had
    never stopped. Random choices inside an epoch start from the seed and the number of the epoch.
    """
    import torch

    device = choose_device(plan.device)
    # The device is where, not what: a training may go on elsewhere.
    plan = settle(plan).subset(TrainingPlan, device="auto")
    module.to(device)
    decayed = [p for p in module.parameters() if p.requires_grad and p.dim() > 1]
    plain = [p for p in module.parameters() if p.requires_grad and p.dim() <= 1]
    if not decayed and not plain:
        raise ModelError("nothing to train: no parameter of the module requires gradients")
    groups = [{"params": decayed, "weight_decay": plan.weight_decay}, {"params": plain, "weight_decay": 0.0}]
    groups = [group for group in groups if group["params"]]
    optimizer = torch.optim.AdamW(groups, lr=plan.learning_rate, fused=_on_card(device))
    keeper = _Keeper(module, optimizer, folder, _identity(module, plan, identity))
    record = keeper.restore()
    while len(record.epochs) < plan.epochs and not record.stopped_early:
        epoch = len(record.epochs)
        start = time.perf_counter()
        torch.manual_seed(_epoch_seed(plan.seed, epoch))
        mean = _one_epoch(module, optimizer, batches(epoch), loss, plan, epoch, device, progress)
        value = None if evaluate is None else _evaluated(module, evaluate, epoch)
        entry = EpochRecord(epoch, mean, value, round(time.perf_counter() - start, 3))
        record = _extended(record, entry, plan.patience, ties)
        if record.best_epoch == epoch:
            keeper.keep_best()
        keeper.save(record)
    keeper.load_best()
    module.eval()
    return record


def settle(plan: Plan) -> Plan:
    """The plan with the precision that ``auto`` stands for on its device."""
    if plan.precision != "auto":
        return plan
    return plan.model_copy(update={"precision": "bf16" if _on_card(choose_device(plan.device)) else "fp32"})


def _one_epoch(
    module: Any,
    optimizer: Any,
    batches: Sequence[Any],
    loss: Callable[[Any, Any], Any],
    plan: TrainingPlan,
    epoch: int,
    device: str,
    progress: Progress | None,
) -> float:
    import torch

    if not batches:
        raise InputError("nothing to train on: there are no batches")
    module.train()
    trained = [p for group in optimizer.param_groups for p in group["params"]]
    losses = _Losses(epoch, _READ_AT_ONCE if _on_card(device) else 1)
    count = len(batches)
    optimizer.zero_grad(set_to_none=True)
    for done, batch in enumerate(batches):
        # The last group of an epoch may hold fewer micro-batches than the others: its mean is over what it has.
        group = min(plan.accumulate, count - done // plan.accumulate * plan.accumulate)
        with torch.autocast(device.partition(":")[0], torch.bfloat16, enabled=plan.precision == "bf16"):
            value = loss(module, batch)
        losses.add(value.detach())
        (value / group).backward()
        if (done + 1) % plan.accumulate == 0 or done + 1 == count:
            torch.nn.utils.clip_grad_norm_(trained, plan.clip)
            for settings in optimizer.param_groups:
                settings["lr"] = plan.rate((epoch + (done + 1) / count) / plan.epochs)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        if progress:
            shown = f", loss {losses.mean:.4f}" if losses.count else ""
            progress(f"epoch {epoch + 1} of {plan.epochs}{shown}", epoch * count + done + 1, plan.epochs * count)
    losses.read()
    return losses.mean


def _on_card(device: str) -> bool:
    return device.startswith("cuda")


class _Losses:
    """The losses of an epoch, read from where they were computed ``at_once`` at a time; one that is not finite raises.

    By the time a loss is read, later steps may have used it: the training ends there all the same, and nothing is kept.
    """

    def __init__(self, epoch: int, at_once: int) -> None:
        self.epoch, self.at_once = epoch, at_once
        self.waiting: list[Any] = []
        self.total = 0.0
        self.count = 0

    @property
    def mean(self) -> float:
        """The mean of those that were read."""
        return self.total / self.count

    def add(self, loss: Any) -> None:
        self.waiting.append(loss)
        if len(self.waiting) >= self.at_once:
            self.read()

    def read(self) -> None:
        import torch

        if not self.waiting:
            return
        for number in torch.stack(self.waiting).tolist():
            self.count += 1
            self.total += number
            if not math.isfinite(number):
                raise ModelError(
                    f"training: the loss became {number} in epoch {self.epoch + 1} at batch {self.count}; "
                    "a lower learning rate often helps"
                )
        self.waiting.clear()


def _evaluated(module: Any, evaluate: Callable[[Any], float], epoch: int) -> float:
    import torch

    module.eval()
    with torch.inference_mode():
        value = float(evaluate(module))
    if math.isnan(value):
        raise ModelError(f"training: the value on the development set is not a number after epoch {epoch + 1}")
    return value


def _extended(record: TrainingRecord, entry: EpochRecord, patience: int | None, ties: str) -> TrainingRecord:
    """The record with one more epoch: which is best now, and whether that was enough."""
    best = record.best_epoch
    if entry.value is None or not record.epochs:
        best = entry.epoch
    else:
        lowest = record.epochs[best].value or 0.0
        if entry.value < lowest or (ties == "later" and entry.value == lowest):
            best = entry.epoch
    stop = patience is not None and entry.value is not None and entry.epoch - best >= patience
    return replace(record, epochs=(*record.epochs, entry), best_epoch=best, stopped_early=stop)


class _Keeper:
    """Keeps the best weights, and with a folder everything that is needed to resume training."""

    def __init__(self, module: Any, optimizer: Any, folder: Path | None, identity: str) -> None:
        self.module, self.optimizer, self.identity = module, optimizer, identity
        self.folder = None if folder is None else folder / _CHECKPOINT
        # named_parameters gives tied weights once, where a state_dict would repeat them.
        self.tensors = {name: p for name, p in module.named_parameters() if p.requires_grad}
        self.tensors |= {name: b for name, b in module.named_buffers() if b.is_floating_point()}
        self.best: dict[str, Any] = {}

    def keep_best(self) -> None:
        self.best = {name: tensor.detach().cpu().clone() for name, tensor in self.tensors.items()}

    def load_best(self) -> None:
        self._put(self.best)

    def save(self, record: TrainingRecord) -> None:
        if self.folder is None:
            return
        from safetensors.torch import save_file

        state = self.optimizer.state_dict()["state"]
        moments = {f"{i}.{name}": _plain(value) for i, entry in state.items() for name, value in entry.items()}
        weights = {name: _plain(tensor) for name, tensor in self.tensors.items()}
        with atomic_folder(self.folder) as temporary:
            save_file(weights, temporary / _WEIGHTS)
            save_file(self.best, temporary / _BEST)
            save_file(moments, temporary / _MOMENTS)
            document = {"identity": self.identity, "record": record.as_dict()}
            (temporary / _STATE).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")

    def restore(self) -> TrainingRecord:
        """Resume from what an earlier call left in the folder; a training of something else is refused."""
        if self.folder is None or not (self.folder / _STATE).is_file():
            return TrainingRecord()
        try:
            document = json.loads((self.folder / _STATE).read_text("utf-8"))
            if document["identity"] != self.identity:
                raise InputError(
                    f"{self.folder}: has a training with other settings, data or starting weights; "
                    "choose another folder, or remove this one"
                )
            kept = document["record"]
            epochs = tuple(EpochRecord(**entry) for entry in kept["epochs"])
            weights, self.best, moments = (self._read(name) for name in (_WEIGHTS, _BEST, _MOMENTS))
            self._put(weights)
            self._put_moments(moments)
        except InputError:
            raise
        except Exception as error:  # half-written JSON, damaged safetensors, keys of another version
            raise InputError(
                f"{self.folder}: a damaged checkpoint ({type(error).__name__}: {error}); remove it to start over"
            ) from error
        return TrainingRecord(epochs, kept["best_epoch"], kept["stopped_early"], resumed_from=len(epochs))

    def _read(self, name: str) -> dict[str, Any]:
        from safetensors.torch import load_file

        assert self.folder is not None
        tensors: dict[str, Any] = load_file(self.folder / name)
        return tensors

    def _put(self, values: dict[str, Any]) -> None:
        import torch

        with torch.no_grad():
            for name, tensor in self.tensors.items():
                tensor.copy_(values[name])

    def _put_moments(self, moments: dict[str, Any]) -> None:
        state: dict[int, dict[str, Any]] = {}
        for key, value in moments.items():
            number, _, name = key.partition(".")
            state.setdefault(int(number), {})[name] = value
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state})


def remove_checkpoint(folder: Path) -> None:
    """Remove what :func:`train` kept in this folder, once its result is safely stored."""
    shutil.rmtree(folder / _CHECKPOINT, ignore_errors=True)


def digest_of(parts: Iterable[str]) -> str:
    """A digest of texts in their order, for the ``identity`` of a training."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode()
        total.update(f"{len(data)}:".encode())
        total.update(data)
    return total.hexdigest()


def _identity(module: Any, plan: TrainingPlan, identity: str) -> str:
    shapes = [f"{name}{tuple(p.shape)}" for name, p in module.named_parameters() if p.requires_grad]
    return digest_of([json.dumps(plan.model_dump(), sort_keys=True), identity, *shapes])


def _epoch_seed(seed: int, epoch: int) -> int:
    return int(hashlib.sha256(f"{seed}:{epoch}".encode()).hexdigest()[:15], 16)


def _plain(tensor: Any) -> Any:
    return tensor.detach().cpu().contiguous()
