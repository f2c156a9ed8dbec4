"""The training step of BLANC-tune: a copy of the masked language model, fine-tuned on one summary."""

import copy
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from dialgauge.metrics._encoding import padded
from dialgauge.metrics._masking import framed, piece_ids
from dialgauge.metrics._metric import Parameter
from dialgauge.metrics._readings import number_parameter
from dialgauge.models import Model

_CHUNK, _STRIDE = 64, 32
#: Shares of the masked tokens that are replaced by a random token and that are kept.
_REPLACED, _KEPT = 0.1, 0.1
_SHARE_MASKED = 0.15
_DECAY = 0.01
_NOT_DECAYED = ("bias", "LayerNorm.weight")
_IGNORED = -100


@dataclass(frozen=True, slots=True)
class Tuning:
    """Training settings of the copy. Training on each summary starts from the same seed, whatever else is scored."""

    epochs: int
    rate: float
    batch: int
    mask: str
    noise: bool
    seed: int

    PARAMETERS: ClassVar[Mapping[str, Parameter]] = {
        "epochs": number_parameter("10", "number of epochs on the summary"),
        "rate": number_parameter("5e-5", "initial learning rate", r"\d*\.?\d+(e-?\d+)?", "a number, as in 5e-5"),
        "batch": number_parameter("1", "number of masked copies of a chunk per step"),
        "mask": Parameter("even", ("even", "random"), "even: every gap-th piece; random: 15 % of the pieces per step"),
        "noise": Parameter(
            "yes",
            ("yes", "no"),
            "yes: dropout, and a tenth each of the masked tokens replaced or kept; no: neither, deterministic",
        ),
        "seed": number_parameter("1", "random seed", r"\d+"),
    }

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "Tuning":
        """From the parameters of a request."""
        return cls(
            int(parameters["epochs"]),
            float(parameters["rate"]),
            int(parameters["batch"]),
            parameters["mask"],
            parameters["noise"] == "yes",
            int(parameters["seed"]),
        )


#: Token ids of an input, and the original id at each masked place.
_Lesson = tuple[list[int], dict[int, int]]


def tuned(
    model: Model,
    pieces: Sequence[str],
    tuning: Tuning,
    maskings: Callable[[Sequence[str]], Iterable[list[int]]],
) -> Model:
    """The model after training on these pieces; the original model if they have nothing to mask."""
    import torch

    lessons = _lessons(model, pieces, tuning, maskings)
    if not lessons:
        return model
    with torch.inference_mode(False), torch.random.fork_rng(_cards(model)), torch.enable_grad():
        torch.manual_seed(tuning.seed)
        module = copy.deepcopy(model.module)
        module.requires_grad_(True)
        module.train()
        if not tuning.noise:
            _silence(module)
        _train(replace(model, module=module), lessons, tuning)
        module.requires_grad_(False)
        module.eval()
    return replace(model, module=module)


def _cards(model: Model) -> list[int]:
    import torch

    return [torch.device(model.device).index or 0] if model.device.startswith("cuda") else []


def _silence(module: Any) -> None:
    import torch

    for part in module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0


def _train(model: Model, lessons: Sequence[_Lesson], tuning: Tuning) -> None:
    import torch

    adam = _Adam(model.module)
    batches = [lessons[i : i + tuning.batch] for i in range(0, len(lessons), tuning.batch)]
    steps = len(batches) * tuning.epochs
    for step in range(steps):
        batch = batches[step % len(batches)]
        ids, mask = padded(model, [ids for ids, _ in batch])
        labels = torch.full_like(ids, _IGNORED)
        for row, (_, answers) in enumerate(batch):
            for place, answer in answers.items():
                labels[row, place] = answer
        model.module.zero_grad()
        model.module(input_ids=ids, attention_mask=mask, labels=labels).loss.backward()
        adam.step(tuning.rate * (steps - step) / steps)


class _Adam:
    """Adam with weight decay in the form of the published program: ε is added before the bias is corrected.

    The optimizer of torch adds it after, which makes the first steps of parameters with tiny gradients larger: enough
    to change which words are predicted correctly.
    """

    _BETAS, _EPSILON = (0.9, 0.999), 1e-8

    def __init__(self, module: Any) -> None:
        import torch

        named = [(name, parameter) for name, parameter in module.named_parameters()]
        self._parameters = [parameter for _, parameter in named]
        self._decay = [0.0 if any(part in name for part in _NOT_DECAYED) else _DECAY for name, _ in named]
        self._means = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._steps = 0

    def step(self, rate: float) -> None:
        """Move every parameter that has a gradient."""
        import torch

        self._steps += 1
        first, second = self._BETAS
        size = rate * (1 - second**self._steps) ** 0.5 / (1 - first**self._steps)
        with torch.no_grad():
            for parameter, decay, mean, square in zip(
                self._parameters, self._decay, self._means, self._squares, strict=True
            ):
                if parameter.grad is None:
                    continue
                mean.mul_(first).add_(parameter.grad, alpha=1 - first)
                square.mul_(second).addcmul_(parameter.grad, parameter.grad, value=1 - second)
                parameter.addcdiv_(mean, square.sqrt().add_(self._EPSILON), value=-size)
                parameter.mul_(1 - rate * decay)


def _lessons(
    model: Model, pieces: Sequence[str], tuning: Tuning, maskings: Callable[[Sequence[str]], Iterable[list[int]]]
) -> list[_Lesson]:
    rng = random.Random(tuning.seed)
    replacements = _replacements(model) if tuning.noise else []
    lessons: list[_Lesson] = []
    for chunk in _chunks(pieces):
        sets = list(maskings(chunk)) if tuning.mask == "even" else list(_random_maskings(chunk, maskings, rng))
        ids = piece_ids(model, chunk)
        for places in sets:
            given = framed(model, ids)
            answers = {}
            for place in places:
                answers[place + 1] = ids[place]
                chance = rng.random() if tuning.noise else 1.0
                if chance < _REPLACED:
                    given[place + 1] = rng.choice(replacements)
                elif chance >= _REPLACED + _KEPT:
                    given[place + 1] = model.tokenizer.mask_token_id
            lessons.append((given, answers))
    return lessons


def _chunks(pieces: Sequence[str]) -> Iterator[Sequence[str]]:
    """Overlapping chunks; the part that the first stride leaves short is repeated."""
    for start in range(0, len(pieces), _STRIDE):
        yield pieces[start : start + _CHUNK]
        if 0 < start < _CHUNK:
            yield pieces[:start]


def _random_maskings(
    pieces: Sequence[str], maskings: Callable[[Sequence[str]], Iterable[list[int]]], rng: random.Random
) -> Iterator[list[int]]:
    usable = sorted(place for places in maskings(pieces) for place in places)
    rng.shuffle(usable)
    size = max(1, int(_SHARE_MASKED * len(pieces)))
    for start in range(0, len(usable), size):
        yield sorted(usable[start : start + size])


def _replacements(model: Model) -> list[int]:
    """The ids that a random token is drawn from: all but special and unused ones."""
    special = set(model.tokenizer.all_special_ids)
    vocabulary = model.tokenizer.get_vocab()
    return sorted(i for token, i in vocabulary.items() if i not in special and not token.startswith("[unused"))
