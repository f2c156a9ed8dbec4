"""Chinese: its characters, or its words by jieba (extra ``zh``)."""

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module

from dialgauge.errors import MissingExtraError
from dialgauge.language._language import Language, register
from dialgauge.language._sentences import split_sentences

_STOP_WORDS = (
    "的 了 着 过 地 得 是 在 有 和 与 及 或 而 但 但是 也 都 就 还 又 很 不 没 没有 "
    "我 你 您 他 她 它 我们 你们 他们 她们 这 那 这个 那个 这些 那些 哪 什么 谁 怎么 "
    "一 一个 个 吗 呢 吧 啊 被 把 对 从 到 向 给 让 为 因为 所以 如果 会 能 可以 要 上 下 里 中"
)


def characters(text: str) -> list[str]:
    """Every character but white space, punctuation and single letters of Latin words too."""
    return [character for character in text if not character.isspace()]


def jieba_words(text: str) -> list[str]:
    """Every word that jieba finds, punctuation too; white space is none."""
    return [word for word in _cut()(text) if not word.isspace()]


@cache
def _cut() -> Callable[[str], Iterable[str]]:
    try:
        jieba = import_module("jieba")
    except ImportError as error:
        raise MissingExtraError("tok=word (words of Chinese text)", "zh") from error
    # Its notes on loading the dictionary are not for our users.
    jieba.setLogLevel("WARNING")
    cut: Callable[[str], Iterable[str]] = jieba.cut
    return cut


CHINESE = Language(
    code="zh",
    title="Chinese",
    words=characters,
    sentences=split_sentences,
    stop_words=frozenset(_STOP_WORDS.split()),
    spaced=False,
    segment=jieba_words,
)
register(CHINESE)
