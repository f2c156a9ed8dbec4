"""Training of BARTScore and UniEval, with the metric's own token ids and, in validation, its own numbers."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dialgauge.errors import InputError, counted
from dialgauge.learn._finetune_checkpoint import checkpoint_spec
from dialgauge.learn._finetune_data import LEAST, RatedSummary
from dialgauge.learn._finetune_measures import FloatArray
from dialgauge.learn._finetune_recipe import on, rng_of, save_checkpoint, shuffled, trainable
from dialgauge.learn._losses import (
    BART_LOSSES,
    UNIEVAL_LOSSES,
    answer_loss,
    find_loss,
    likelihood_loss,
    mean_share_loss,
    moments,
    ranking_loss,
    regression_loss,
)
from dialgauge.learn._settings import FineTuneSettings
from dialgauge.metrics import (
    QUESTIONS,
    Answers,
    SourceTargets,
    TextTable,
    answer_tokens,
    check_bart,
    mean_log_likelihoods,
    padded,
    readable,
    readable_tokens,
    special_ids,
    tokenise,
)
from dialgauge.models import Model, load

#: Token ids of the input, and those of the output.
Pair = tuple[tuple[int, ...], tuple[int, ...]]
#: Share of the scale from which a summary counts as good.
_GOOD = 0.5
#: Default limit of tokens for UniEval.
_UNIEVAL_LIMIT = 1024


class BartRecipe:
    """BARTScore in one of its directions."""

    def __init__(self, settings: FineTuneSettings) -> None:
        self.settings = settings
        self.way = settings.metric.removeprefix("bartscore-")
        self.loss_name = find_loss("bartscore", settings.loss, BART_LOSSES, "ranking")
        self.model = load("seq2seq", settings.model, "cpu")
        check_bart(self.model.ref, self.model.config.model_type)
        self.limit = min(settings.limit or self.model.max_length, self.model.max_length)
        self.module = trainable(self.model)
        self._known: dict[str, tuple[int, ...]] = {}
        self._lessons: list[RatedSummary] = []
        self._partners: dict[int, list[RatedSummary]] = {}
        self._centre, self._spread, self._mean, self._deviation = 0.0, 1.0, 0.0, 1.0

    def readable(self, items: Iterable[RatedSummary]) -> list[RatedSummary]:
        """All, or those that have a reference where the direction needs one."""
        return [item for item in items if item.references or "ref" not in self.way]

    def prepare(self, train: Sequence[RatedSummary]) -> None:
        """Select the training data and measure the untrained model."""
        lessons = list(train)
        if self.loss_name == "likelihood":
            lessons = [item for item in train if item.share >= _GOOD]
            if len(lessons) < LEAST:
                raise InputError(
                    f"loss 'likelihood': {counted(len(lessons), 'summary', 'summaries')} rated in the upper half of "
                    f"the scale; at least {LEAST} are needed"
                )
        if self.loss_name == "ranking":
            groups: dict[str, list[RatedSummary]] = {}
            for item in train:
                groups.setdefault(item.dialogue_id, []).append(item)
            self._partners = {
                id(item): [other for other in groups[item.dialogue_id] if other.rating != item.rating] for item in train
            }
            lessons = [item for item in train if self._partners[id(item)]]
            if not lessons:
                raise InputError("loss 'ranking': no dialogue has two summaries with different ratings")
        if self.loss_name != "likelihood":
            self._centre, self._spread = moments(self.predict(self.module, train).tolist())
            self._mean, self._deviation = moments([item.share for item in train])
        self._lessons = lessons

    def batches(self, epoch: int) -> list[Any]:
        """Batches of (pairs of token ids, target numbers); with ``ranking``, better and worse alternate."""
        seed, rng = self.settings.seed, rng_of(self.settings.seed, ~epoch)
        portions = []
        for part in shuffled(self._lessons, seed, epoch, self.settings.batch):
            pairs: list[Pair] = []
            wanted: list[float] = []
            for item in part:
                if self.loss_name == "ranking":
                    partner = rng.choice(self._partners[id(item)])
                    better, worse = (item, partner) if item.rating > partner.rating else (partner, item)
                    pairs += [rng.choice(self.pairs(better)), rng.choice(self.pairs(worse))]
                    wanted.append((better.share - worse.share) * self.settings.margin * self._spread)
                else:
                    pairs.append(rng.choice(self.pairs(item)))
                    wanted.append((item.share - self._mean) / self._deviation)
            portions.append((pairs, wanted))
        return portions

    def loss(self, module: Any, batch: tuple[list[Pair], list[float]]) -> Any:
        """The loss of that name on the log-likelihoods."""
        import torch

        pairs, wanted = batch
        likelihoods = log_likelihoods(on(self.model, module), pairs)
        numbers = torch.tensor(wanted, device=likelihoods.device)
        if self.loss_name == "ranking":
            return ranking_loss(likelihoods[0::2], likelihoods[1::2], numbers)
        if self.loss_name == "likelihood":
            return likelihood_loss(likelihoods)
        return regression_loss(likelihoods, numbers, self._centre, self._spread)

    def predict(self, module: Any, items: Sequence[RatedSummary]) -> FloatArray:
        """The metric's numbers, computed as in scoring; the best over references."""
        groups: dict[tuple[int, ...], list[tuple[int, tuple[int, ...]]]] = {}
        for place, item in enumerate(items):
            for read, written in self.pairs(item):
                groups.setdefault(read, []).append((place, written))
        module.eval()
        found = mean_log_likelihoods(
            on(self.model, module),
            [SourceTargets(list(read), [list(written) for _, written in some]) for read, some in groups.items()],
        )
        numbers = np.full(len(items), -np.inf)
        for some, values in zip(groups.values(), found, strict=True):
            for (place, _), value in zip(some, values, strict=True):
                numbers[place] = max(numbers[place], value)
        return numbers

    def pairs(self, item: RatedSummary) -> list[Pair]:
        """The token ids that the metric reads and writes for a summary, one pair per reference."""
        summary = self._ids(item.summary)
        if self.way == "src-hyp":
            return [(self._ids(item.source), summary)]
        if self.way == "hyp":
            before, after = special_ids(self.model.tokenizer)
            return [((*before, *after), summary)]
        references = [self._ids(text) for text in item.references]
        if self.way == "hyp-ref":
            return [(summary, reference) for reference in references]
        return [(reference, summary) for reference in references]

    def _ids(self, text: str) -> tuple[int, ...]:
        if text not in self._known:
            texts = TextTable()
            ids = texts.intern([text])
            self._known[text] = tuple(tokenise(self.model, texts, ids, self.limit).ids[int(ids[0])])
        return self._known[text]

    def untrained(self, items: Sequence[RatedSummary]) -> FloatArray:
        """The untrained metric."""
        return self.predict(self.model.module, items)

    def facts(self) -> dict[str, Any]:
        """The metric's name and the parameters that go with these weights."""
        whole = self.limit == self.model.max_length
        parameters = {} if whole else {"limit": str(self.limit)}
        margin = {"margin": self.settings.margin} if self.loss_name == "ranking" else {}
        return {"metric": self.settings.metric, "parameters": parameters, **margin}

    def save(self, module: Any, folder: Path) -> None:
        """A checkpoint folder."""
        save_checkpoint(self.model, module, folder)

    def spec(self, folder: Path) -> str:
        """As in ``bartscore-src-hyp:model=folder:PATH``."""
        return checkpoint_spec(folder, self.facts())


def log_likelihoods(model: Model, pairs: Sequence[Pair]) -> Any:
    """Mean log-probability of what each pair writes, with gradients; what several pairs read is encoded once."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    reads = list(dict.fromkeys(read for read, _ in pairs))
    ids, mask = padded(model, [list(read) for read in reads])
    states = model.module.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
    owner = torch.tensor([reads.index(read) for read, _ in pairs], device=ids.device)
    written, real = padded(model, [list(tokens) for _, tokens in pairs])
    start = torch.full((len(pairs), 1), int(model.config.decoder_start_token_id), device=ids.device)
    logits = model.module(
        encoder_outputs=BaseModelOutput(last_hidden_state=states[owner]),
        attention_mask=mask[owner],
        decoder_input_ids=torch.cat([start, written[:, :-1]], dim=1),
        decoder_attention_mask=real,
        use_cache=False,
    ).logits
    chances = torch.log_softmax(logits.float(), dim=-1).gather(2, written[:, :, None])[:, :, 0]
    return (chances * real).sum(1) / real.sum(1)


class UnievalRecipe:
    """UniEval in one dimension: the questions of the metric, answered from ratings."""

    def __init__(self, settings: FineTuneSettings) -> None:
        self.settings = settings
        self.dimension = settings.metric.removeprefix("unieval-")
        self.question = QUESTIONS[self.dimension]
        self.loss_name = find_loss("unieval", settings.loss, UNIEVAL_LOSSES, "graded")
        self.model = load("seq2seq", settings.model, "cpu")
        self.limit = readable_tokens(self.model, settings.limit or _UNIEVAL_LIMIT)
        self.yes, self.no = answer_tokens(self.model)
        self.module = trainable(self.model)
        self._lessons: list[RatedSummary] = []

    def readable(self, items: Iterable[RatedSummary]) -> list[RatedSummary]:
        """All, or those that have a reference where the question is about one."""
        return [item for item in items if self.question.beside != "reference" or item.references]

    def prepare(self, train: Sequence[RatedSummary]) -> None:
        """With ``boolean``, skip what is neither Yes nor No."""
        if self.loss_name != "boolean":
            self._lessons = list(train)
            return
        self._lessons = [item for item in train if item.share != _GOOD]
        yes = sum(item.share > _GOOD for item in self._lessons)
        if not 0 < yes < len(self._lessons):
            raise InputError(
                f"loss 'boolean': all {len(self._lessons)} ratings are on the same side of the middle of the scale; "
                "use 'graded'"
            )

    def batches(self, epoch: int) -> list[Any]:
        """Batches of (token ids of each prompt, the summary of each prompt, the target share of each summary)."""
        seed, rng = self.settings.seed, rng_of(self.settings.seed, ~epoch)
        portions = []
        for part in shuffled(self._lessons, seed, epoch, self.settings.batch):
            rows: list[list[int]] = []
            owners: list[int] = []
            for place, item in enumerate(part):
                mine = rng.choice(self.prompts(item))
                rows += [self.ids(prompt) for prompt in mine]
                owners += [place] * len(mine)
            boolean = self.loss_name == "boolean"
            shares = [float(item.share > _GOOD) if boolean else item.share for item in part]
            portions.append((rows, owners, shares))
        return portions

    def loss(self, module: Any, batch: tuple[list[list[int]], list[int], list[float]]) -> Any:
        """The loss of that name on the first token of the answers."""
        import torch

        rows, owners, shares = batch
        model = on(self.model, module)
        ids, mask = padded(model, rows)
        start = torch.full((len(rows), 1), int(model.config.decoder_start_token_id), device=ids.device)
        logits = module(input_ids=ids, attention_mask=mask, decoder_input_ids=start, use_cache=False).logits[:, 0]
        wanted = torch.tensor(shares, device=ids.device)
        owner = torch.tensor(owners, device=ids.device)
        if self.loss_name == "regression":
            return mean_share_loss(logits, owner, wanted, self.yes, self.no)
        return answer_loss(logits, wanted[owner], self.yes, self.no)

    def predict(self, module: Any, items: Sequence[RatedSummary]) -> FloatArray:
        """The metric's numbers, computed as in scoring; the best over references."""
        module.eval()
        answers = Answers(on(self.model, module), self.limit)
        asked = [self.prompts(item) for item in items]
        answers.ask(prompt for lists in asked for prompts in lists for prompt in prompts)
        return np.array([max(answers.mean(prompts).number for prompts in lists) for lists in asked])

    def prompts(self, item: RatedSummary) -> list[list[str]]:
        """The prompts about a summary, for each text that it is compared with."""
        beside = {"document": (item.source,), "reference": item.references}.get(self.question.beside, ("",))
        return [self.question.prompts(readable(item.summary), readable(text)) for text in beside]

    def ids(self, prompt: str) -> list[int]:
        """The token ids of a prompt as the metric reads them: cut to the limit, the end token kept."""
        row: list[int] = self.model.tokenizer(prompt, verbose=False)["input_ids"]
        return [*row[: self.limit - 1], row[-1]] if len(row) > self.limit else row

    def untrained(self, items: Sequence[RatedSummary]) -> FloatArray:
        """The untrained metric."""
        return self.predict(self.model.module, items)

    def facts(self) -> dict[str, Any]:
        """The metric's name and the parameters that go with these weights."""
        parameters = {} if self.limit == _UNIEVAL_LIMIT else {"max-length": str(self.limit)}
        return {"metric": self.settings.metric, "parameters": parameters}

    def save(self, module: Any, folder: Path) -> None:
        """A checkpoint folder."""
        save_checkpoint(self.model, module, folder)

    def spec(self, folder: Path) -> str:
        """As in ``unieval-consistency:model=folder:PATH``."""
        return checkpoint_spec(folder, self.facts())
