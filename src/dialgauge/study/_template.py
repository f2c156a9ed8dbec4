"""The commented study file that ``dialgauge init`` writes."""

import json
import re
from importlib.resources import files
from pathlib import PurePath

#: The metrics of the template that need references, and those that take their place where a corpus has none.
_WITH_REFERENCES = """  "rouge-1", "rouge-2", "rouge-l",
  "bleu-4", "chrf", "ter", "meteor",
"""
_WITHOUT_REFERENCES = """  # The corpus has no references: these compare with the dialogue.
  "rouge-1-p@source", "rouge-2-p@source", "rouge-l@source", "chrf@source", "meteor@source",
"""


def study_template(file_name: str, source: str, *, outside: bool = False, references: bool = True) -> str:
    """A study file for this corpus, with every setting explained. The study is named after the file.

    ``outside`` says that the corpus lies outside of the folder of the file, ``references`` whether it has some.
    """
    name = re.sub(r"[^\w.-]+", "-", PurePath(file_name).stem).strip("-") or "study"
    template = files("dialgauge.study").joinpath("template.toml").read_text("utf-8")
    quoted = json.dumps(source, ensure_ascii=False)  # a JSON string is a TOML basic string too
    text = template.format(file=file_name, name=name, source=quoted)
    if not references:
        text = text.replace(_WITH_REFERENCES, _WITHOUT_REFERENCES)
    return text.replace("# outside = false              #", "outside = true                 #") if outside else text
