/** The pilot's gate: the agreement reached against the agreement wanted, and the lead's decision. */
import { element, toast } from "./dom.js";
import { agreementTable } from "./lead-dashboard.js";
import { act, field, figure, interval } from "./lead-parts.js";
import { t } from "./messages.js";

const DECISIONS = ["continue", "repeat", "stop"];

export function gatePage(data, draw) {
  const { gate } = data;
  if (!gate) return [element("h2", {}, t("lead.gate")), element("p", {}, t("gate.none"))];
  const verdict = gate.reached === null ? t("gate.open") : gate.reached ? t("gate.reached") : t("gate.missed");
  return [
    element("h2", {}, t("lead.gate")),
    element(
      "div",
      { class: "tiles" },
      tile(figure(gate.value), [gate.measure, gate.dimension, interval(gate.low, gate.high)].filter(Boolean).join(" · ")),
      tile(figure(gate.threshold), t("gate.threshold")),
      tile(gate.complete ? t("yes") : t("no"), t("gate.complete")),
    ),
    element("p", { class: gate.reached ? "good" : gate.reached === false ? "bad" : "soft" }, verdict),
    gate.per_dimension.length ? agreementTable(gate.per_dimension) : null,
    gate.decision
      ? element(
          "p",
          { class: "panel" },
          t("gate.decided", { decision: t(`gate.${gate.decision}`) }),
          gate.reason ? ` ${gate.reason}` : "",
        )
      : null,
    data.stage.open === "pilot" ? decisionForm(gate, draw) : null,
  ];
}

function tile(value, label) {
  return element(
    "div",
    { class: "tile" },
    element("div", { class: "figure" }, value),
    element("p", { class: "soft" }, label),
  );
}

function decisionForm(gate, draw) {
  const reason = element("textarea", { rows: 2, maxlength: 2000 });
  const buttons = DECISIONS.map((decision) =>
    element(
      "button",
      {
        type: "button",
        class: decision === "continue" ? "main" : decision === "stop" ? "danger" : null,
        disabled: !gate.complete,
        on: {
          click: async () => {
            if (!(await act("/api/lead/gate", { decision, reason: reason.value }))) return;
            await draw();
            toast(t("gate.saved"));
          },
        },
      },
      t(`gate.${decision}`),
    ),
  );
  return element(
    "section",
    { class: "panel" },
    element("h3", {}, t("gate.decide")),
    element("p", {}, gate.complete ? t("gate.decide.text") : t("gate.wait")),
    field(t("gate.reason"), reason),
    element("div", { class: "row" }, ...buttons),
  );
}
