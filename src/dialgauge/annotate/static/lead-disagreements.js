/** Where annotators differ most, with the texts, so that the lead can see why. */
import { element, prose, toast } from "./dom.js";
import { act, field, figure, form, select } from "./lead-parts.js";
import { t } from "./messages.js";

export function disagreementsPage(data, draw) {
  return [
    element("h2", {}, t("lead.disagreements")),
    element("p", { class: "soft" }, t("disputes.text")),
    ...disputeList(data.disagreements),
    element("h2", {}, t("adjudicate.title")),
    element("div", { class: "panel" }, element("p", {}, t("adjudicate.text")), adjudicationForm(data.annotators, draw)),
  ];
}

export function disputeList(disputes) {
  if (!disputes.length) return [element("p", { class: "soft" }, t("disputes.none"))];
  return disputes.map((dispute) => {
    const sentence = dispute.sentence === null ? "" : ` ${t("sentence.of", { number: dispute.sentence + 1 })}`;
    return element(
      "article",
      { class: "panel" },
      element(
        "h3",
        {},
        `${dispute.dimension}${sentence} · ${t("disputes.spread", { spread: figure(dispute.spread, 1) })}`,
      ),
      element("p", { class: "soft" }, `${dispute.dialogue_id} · ${dispute.system}`),
      prose("p", dispute.text),
      element(
        "ul",
        { class: "bubbles" },
        ...dispute.ratings.map(({ annotator, value, label }) =>
          element("li", {}, `${annotator}: `, element("strong", {}, label ?? String(value))),
        ),
      ),
      element(
        "details",
        {},
        element("summary", {}, t("dialogue")),
        ...dispute.dialogue.split("\n").map((line) => prose("p", line)),
      ),
    );
  });
}

function adjudicationForm(annotators, draw) {
  const people = annotators.filter(({ state }) => state !== "replaced").map(({ name }) => name);
  const who = select(
    people.map((name) => [name, name]),
    annotators.find(({ role }) => role === "adjudicator")?.name,
  );
  const difference = element("input", { type: "number", min: 0.01, step: "any", value: 2, required: true });
  return form(
    [field(t("adjudicate.who"), who), field(t("adjudicate.difference"), difference, t("adjudicate.hint"))],
    t("adjudicate.go"),
    async () => {
      const reply = await act("/api/lead/adjudicate", {
        adjudicator: who.value,
        minimum_difference: difference.valueAsNumber,
      });
      if (!reply) return;
      await draw();
      toast(t("adjudicate.done", { items: reply.items }));
    },
  );
}
