"""Checks an installed wheel: the compiled kernels load and give the values of the Python versions on a few texts."""

from dialgauge import score_pairs
from dialgauge.metrics import kernel_name, use_kernels

SUMMARIES = ["Ann's order, no. 4471, is late.", "She wants a refund of $20 by Friday!", "Der Kunde möchte kündigen."]
TARGETS = ["Order 4471 of Ann is late; she's upset.", "Ann asks for her $20 back.", "Der Kunde kündigt seinen Vertrag."]
METRICS = ["rouge-1", "rouge-lsum", "bleu", "chrf", "ter", "meteor"]


def main() -> None:
    if kernel_name() != "c":
        raise SystemExit("the wheel holds no compiled kernels")
    compiled = score_pairs(SUMMARIES, TARGETS, METRICS)
    with use_kernels("python"):
        plain = score_pairs(SUMMARIES, TARGETS, METRICS)
    if not compiled.equals(plain):
        raise SystemExit(f"the kernels disagree:\n{compiled}\n{plain}")
    print("kernels: c, equal to the Python versions")


if __name__ == "__main__":
    main()
