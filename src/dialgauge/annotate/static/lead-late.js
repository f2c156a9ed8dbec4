/** Changes that came when the answer was closed to them: what was sent beside what is stored, and the lead's decision. */
import { ask } from "./api.js";
import { element, prose } from "./dom.js";
import { act, rowButton, time } from "./lead-parts.js";
import { t } from "./messages.js";
import { valueText } from "./panels.js";

export async function latePage(_, draw) {
  const { open, changes } = await ask("/api/lead/late");
  const waiting = changes.filter(({ outcome }) => outcome === null);
  const settled = changes.filter(({ outcome }) => outcome !== null);
  return [
    element("h2", {}, t("lead.late")),
    element("p", { class: "soft" }, t("late.text")),
    element("p", {}, open ? t("late.open", { open }) : t("late.none")),
    waiting.length > 1
      ? element(
          "div",
          { class: "row" },
          element("button", { type: "button", on: { click: () => decideAll(waiting, "take", draw) } }, t("late.take.all")),
          element("button", { type: "button", on: { click: () => decideAll(waiting, "leave", draw) } }, t("late.leave.all")),
        )
      : null,
    ...waiting.map((change) => article(change, draw)),
    settled.length ? element("h2", {}, t("late.settled")) : null,
    ...settled.map((change) => article(change, draw)),
  ];
}

async function decide({ key }, decision) {
  return act(`/api/lead/late/${key}`, { decision });
}

/** In the order of arrival: of several changes of one answer the last one stands in the end. */
async function decideAll(changes, decision, draw) {
  for (const change of changes) if (!(await decide(change, decision))) break;
  await draw();
}

function article(change, draw) {
  const who = `${change.annotator} · ${change.dialogue_id}`;
  const button = (decision) =>
    rowButton(t(`late.${decision}`), who, async () => (await decide(change, decision)) && draw());
  return element(
    "article",
    { class: "panel" },
    element("h3", {}, who, change.outcome ? ` · ${t(`late.outcome.${change.outcome}`)}` : ""),
    element("p", {}, t(`late.reason.${change.reason}`), " ", element("span", { class: "soft" }, time(change.at))),
    comparison(change),
    change.texts.length
      ? element("details", {}, element("summary", {}, t("summary")), ...change.texts.map((text) => prose("p", text)))
      : null,
    change.outcome ? null : element("div", { class: "row" }, button("take"), button("leave")),
  );
}

/** What was sent beside what is stored, a row for each thing that was said. */
function comparison({ change, answer, outcome }) {
  const names = [...new Set([...Object.keys(change.values ?? {}), ...Object.keys(answer?.values ?? {})])];
  const rows = names.map((name) => [name, valueText(change.values?.[name]), valueText(answer?.values?.[name])]);
  const count = (one) => (one?.spans?.length ? String(one.spans.length) : "–");
  if (change.spans?.length || answer?.spans?.length) rows.push([t("spans.title"), count(change), count(answer)]);
  for (const [name, title] of [
    ["text", t("writing.title")],
    ["comment", t("comment")],
  ])
    if (change[name] || answer?.[name]) rows.push([title, change[name] || "–", answer?.[name] || "–"]);
  const head = [t("late.sent"), t(outcome ? "late.now" : "late.stored")];
  return element(
    "table",
    {},
    element(
      "thead",
      {},
      element("tr", {}, element("td", {}), ...head.map((title) => element("th", { scope: "col" }, title))),
    ),
    element(
      "tbody",
      {},
      ...rows.map(([title, sent, stored]) =>
        element("tr", {}, prose("th", title, { scope: "row" }), prose("td", sent), prose("td", stored)),
      ),
    ),
  );
}
