/** How each annotator works: pace, answers that are always the same, answers like somebody else's. */
import { ask } from "./api.js";
import { element } from "./dom.js";
import { figure, table } from "./lead-parts.js";
import { t } from "./messages.js";

export async function qualityPage() {
  const { annotators, copied } = await ask("/api/lead/quality");
  return [
    element("h2", {}, t("lead.quality")),
    element("p", { class: "soft" }, t("quality.text")),
    annotators.length ? habits(annotators) : element("p", { class: "soft" }, t("quality.none")),
    element("h2", {}, t("quality.copied")),
    copied.length ? pairs(copied) : element("p", { class: "soft" }, t("quality.copied.none")),
  ];
}

function seconds(ms) {
  return ms === null ? null : t("time.seconds", { seconds: Math.round(ms / 1000) });
}

function noted(text, flag) {
  return flag ? element("strong", { class: "bad" }, `⚠ ${text}`) : text;
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function habits(rows) {
  return table(
    t("quality.caption"),
    [
      { title: t("people.name"), cell: ({ annotator }) => annotator },
      { title: t("dash.complete"), number: true, cell: ({ items }) => String(items) },
      { title: t("dash.median"), number: true, cell: (row) => noted(seconds(row.median_ms) ?? "–", row.too_fast) },
      { title: t("quality.fastest"), number: true, cell: ({ fastest_ms: ms }) => seconds(ms) },
      { title: t("quality.same"), number: true, cell: (row) => noted(percent(row.same_share), row.same_answers) },
      { title: t("quality.run"), number: true, cell: ({ longest_run: run }) => String(run) },
    ],
    rows,
  );
}

function pairs(rows) {
  return table(
    t("quality.copied.caption"),
    [
      { title: t("people.name"), cell: ({ annotators }) => annotators.join(" · ") },
      { title: t("quality.items"), number: true, cell: ({ items }) => String(items) },
      { title: t("quality.equal"), number: true, cell: ({ equal }) => figure(equal) },
      { title: t("quality.usual"), number: true, cell: ({ usual }) => figure(usual) },
    ],
    rows,
  );
}
