"""Shell completion for the names of metrics and perturbations, read from the table of names without any import."""

from dialgauge.registry import completer

complete_metric = completer("metric", all="all metrics")
complete_perturbation = completer("perturbation", all="all perturbations")
complete_summarizer = completer("summarizer")
complete_tagger = completer("tagger")
complete_learner = completer("learner")
complete_split = completer("split")
complete_language = completer("language")
complete_paper = completer("paper")
