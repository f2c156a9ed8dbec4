"""Names of language models that judge like annotators."""

import re

#: A family of models with a version, a size or a kind, or a word for all of them: "gpt-4o", "llama 3 70b", "LLM judge".
#: A bare first name (Claude, Gemini) may be a person's.
_MODEL = re.compile(
    r"""(?:(?:judge|rater|evaluator|annotator|auto|automatic)\ )?(?:(?:openai|anthropic|google|meta|azure)\ )?
    (?: chat\ ?gpt.* | gpt(?:\ ?\d.*|\ (?:judge|eval|rater|annotator).*)?
      | (?:claude|gemini|llama|qwen|gemma|phi|mistral|mixtral|palm|command\ r|grok|deepseek|vicuna|alpaca|prometheus)
        \ ?(?:v?\d.*|(?:opus|sonnet|haiku|instant|pro|flash|ultra|nano|large|small|medium|chat|instruct|judge|v\d).*)
      | auto(?:matic)?\ ?(?:judge|rater|eval).* | g\ ?eval | llms?(?:\ .*)?
      | (?:ai|model|auto(?:matic)?)\ (?:judge|rater|evaluator|annotator)(?:\ .*)?
    )""",
    re.VERBOSE,
)


def is_named_like_model(name: str) -> bool:
    """Whether an annotator of this name is a language model and no person."""
    return bool(_MODEL.fullmatch(re.sub(r"[\s_:/.-]+", " ", name).strip().lower()))
