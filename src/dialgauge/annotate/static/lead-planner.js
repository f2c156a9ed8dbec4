/** How many dialogues and annotators the study needs, by simulation from the ratings there are. */
import { element, replace } from "./dom.js";
import { act, field, figure, form, select, table } from "./lead-parts.js";
import { t } from "./messages.js";

export function plannerPage(data) {
  const dimensions = [...new Set(data.agreement.map(({ dimension }) => dimension))].filter(Boolean);
  const result = element("div", { role: "status" });
  return [
    element("h2", {}, t("lead.planner")),
    element("p", {}, t("plan.text")),
    dimensions.length
      ? element("div", { class: "panel" }, plannerForm(dimensions, data.annotators.length, result))
      : element("p", { class: "soft" }, t("plan.none")),
    result,
  ];
}

function plannerForm(dimensions, people, result) {
  const dimension = select(
    dimensions.map((name) => [name, name]),
    dimensions[0],
  );
  const list = (value) =>
    element("input", { type: "text", required: true, value, pattern: "\\s*\\d+(\\s*[,，]\\s*\\d+)*\\s*" });
  const number = (attributes) => element("input", { type: "number", step: "any", ...attributes });
  const dialogues = list("25, 50, 100, 200");
  const perItem = list("2, 3, 5");
  const annotators = number({ min: 1, max: 200, step: 1, value: people });
  const width = number({ min: 0.01, max: 2, value: 0.2 });
  const effect = number({ min: 0.01, max: 100 });
  const power = number({ min: 0.01, max: 0.99, value: 0.8, required: true });
  const fields = [
    field(t("dash.dimension"), dimension),
    field(t("plan.dialogues"), dialogues, t("plan.list.hint")),
    field(t("plan.per.item"), perItem, t("plan.list.hint")),
    field(t("plan.people"), annotators),
    field(t("plan.width"), width),
    field(t("plan.effect"), effect, t("plan.effect.hint")),
    field(t("plan.power"), power),
  ];
  return form(fields, t("plan.go"), async () => {
    replace(result, element("p", { class: "soft" }, t("plan.working")));
    const reply = await act("/api/lead/plan", {
      dimension: dimension.value,
      dialogues: numbers(dialogues.value),
      annotators_per_item: numbers(perItem.value),
      annotators: given(annotators),
      width: given(width),
      effect: given(effect),
      power: power.valueAsNumber,
    });
    replace(result, ...(reply ? planNodes(reply, given(width) !== null || given(effect) !== null) : []));
  });
}

function numbers(text) {
  return text.split(/[,，]/u).map((part) => Number(part.trim()));
}

function given(input) {
  return input.value === "" ? null : input.valueAsNumber;
}

function planNodes({ rows, recommended }, asked) {
  const best = recommended
    ? t("plan.recommended", {
        dialogues: recommended.dialogues,
        annotators: recommended.annotators_per_item,
        items: Math.round(recommended.items_per_annotator),
      })
    : t("plan.not.enough");
  const chosen = (row) =>
    recommended &&
    row.dialogues === recommended.dialogues &&
    row.annotators_per_item === recommended.annotators_per_item;
  return [
    asked ? element("p", { class: recommended ? "good" : "bad" }, best) : null,
    table(
      t("plan.caption"),
      [
        { title: t("plan.dialogues"), cell: (row) => (chosen(row) ? `✓ ${row.dialogues}` : String(row.dialogues)) },
        { title: t("plan.per.item"), number: true, cell: (row) => String(row.annotators_per_item) },
        { title: t("plan.items.each"), number: true, cell: (row) => String(Math.round(row.items_per_annotator)) },
        { title: t("plan.ratings"), number: true, cell: (row) => String(row.ratings) },
        { title: t("plan.alpha"), number: true, cell: (row) => figure(row.alpha) },
        { title: t("plan.alpha.width"), number: true, cell: (row) => figure(row.alpha_width) },
        { title: t("plan.mean.width"), number: true, cell: (row) => figure(row.mean_width) },
        { title: t("plan.power.found"), number: true, cell: (row) => figure(row.power) },
      ],
      rows,
    ),
  ];
}
