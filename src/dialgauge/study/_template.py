"""The commented study file that ``dialgauge init`` writes."""

import json
import re
from importlib.resources import files
from pathlib import PurePath


def study_template(file_name: str, source: str, *, outside: bool = False) -> str:
    """A study file for this corpus, with every setting explained. The study is named after the file.

    ``outside`` says that the corpus lies outside of the folder of the file.
    """
    name = re.sub(r"[^\w.-]+", "-", PurePath(file_name).stem).strip("-") or "study"
    template = files("dialgauge.study").joinpath("template.toml").read_text("utf-8")
    quoted = json.dumps(source, ensure_ascii=False)  # a JSON string is a TOML basic string too
    text = template.format(file=file_name, name=name, source=quoted)
    return text.replace("# outside = false              #", "outside = true                 #") if outside else text
