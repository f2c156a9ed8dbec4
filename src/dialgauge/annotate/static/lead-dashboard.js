/** How the study stands: progress and pace, agreement, who drifts or stands apart, checks failed. */
import { ask } from "./api.js";
import { element, prose, replace } from "./dom.js";
import { figure, interval, intervalPlot, table, time } from "./lead-parts.js";
import { disputeList } from "./lead-disagreements.js";
import { duration, t } from "./messages.js";

const SHOWN_DISPUTES = 3;

export function dashboardPage(data) {
  const failed = data.annotators.reduce((sum, { checks }) => sum + checks.failed, 0);
  const shown = data.annotators.reduce((sum, { checks }) => sum + checks.shown, 0);
  const working = data.annotators.filter(({ state }) => state === "active").length;
  return [
    element("h2", {}, t("lead.dashboard")),
    element(
      "div",
      { class: "tiles" },
      tile(
        `${data.progress.complete} / ${data.progress.items}`,
        t("dash.complete"),
        element("progress", {
          max: Math.max(1, data.progress.items),
          value: data.progress.complete,
          "aria-label": t("dash.complete"),
        }),
      ),
      tile(t(`dash.stage.${data.stage.open}`), t("dash.stage")),
      tile(`${working} / ${data.annotators.length}`, t("dash.working")),
      shown ? tile(`${failed} / ${shown}`, t("dash.checks")) : null,
      data.comments
        ? tile(String(data.comments), element("a", { href: "/lead/comments" }, t("dash.comments")))
        : null,
      data.late ? tile(String(data.late), element("a", { href: "/lead/late" }, t("dash.late"))) : null,
    ),
    gateNotice(data),
    element("h2", {}, t("lead.annotators")),
    annotatorTable(data.annotators),
    element("h2", {}, t("dash.agreement")),
    agreementTable(data.agreement),
    element("h2", {}, t("dash.watch")),
    watchSection(data),
    element("h2", {}, t("lead.disagreements")),
    ...disputeList(data.disagreements.slice(0, SHOWN_DISPUTES)),
    data.disagreements.length > SHOWN_DISPUTES
      ? element("p", {}, element("a", { href: "/lead/disagreements" }, t("dash.all.disagreements")))
      : null,
  ];
}

function tile(value, label, ...more) {
  return element(
    "div",
    { class: "tile" },
    element("div", { class: "figure" }, value),
    element("p", { class: "soft" }, label),
    ...more,
  );
}

function gateNotice({ gate, stage }) {
  if (stage.open !== "pilot" || !gate?.complete) return null;
  return element(
    "p",
    { class: "warning" },
    t("gate.undecided"),
    " ",
    element("a", { href: "/lead/gate" }, t("lead.gate")),
  );
}

export function annotatorTable(annotators) {
  return table(
    t("dash.annotators.caption"),
    [
      {
        title: t("people.name"),
        cell: ({ name, role }) => (role === "adjudicator" ? `${name} (${t("people.adjudicator")})` : name),
      },
      { title: t("people.state"), cell: ({ state }) => t(`people.state.${state}`) },
      {
        title: t("dash.progress"),
        cell: ({ name, items, complete }) =>
          element("progress", {
            max: Math.max(1, items),
            value: complete,
            "aria-label": t("dash.progress.of", { name }),
          }),
      },
      { title: t("dash.complete"), number: true, cell: ({ items, complete }) => `${complete} / ${items}` },
      {
        title: t("dash.median"),
        number: true,
        cell: ({ median_item_ms: ms }) => (ms === null ? null : t("time.seconds", { seconds: Math.round(ms / 1000) })),
      },
      { title: t("dash.active"), number: true, cell: ({ active_ms: ms }) => activeTime(ms) },
      {
        title: t("dash.checks"),
        number: true,
        cell: ({ checks }) => (checks.shown ? `${checks.failed} / ${checks.shown}` : null),
      },
      { title: t("dash.training"), cell: ({ training }) => trainingText(training) },
      { title: t("dash.seen"), class: "date", cell: ({ last_seen: seen }) => time(seen) },
    ],
    annotators,
  );
}

function activeTime(ms) {
  if (!ms) return null;
  return ms < 60_000 ? t("time.seconds", { seconds: Math.round(ms / 1000) }) : duration(ms / 1000);
}

function trainingText({ items, complete, passed }) {
  if (!items) return null;
  if (complete < items) return `${complete} / ${items}`;
  return passed ? t("training.passed") : element("span", { class: "bad" }, t("training.failed"));
}

/** Rows with a threshold of their own show it; the gate has one per dimension. */
export function agreementTable(rows) {
  if (!rows.length) return element("p", { class: "soft" }, t("dash.agreement.none"));
  const measure = { title: t("dash.measure"), cell: (row) => [row.measure, row.setting].filter(Boolean).join(" · ") };
  return table(
    t("dash.agreement.caption"),
    [
      { title: t("dash.dimension"), cell: ({ dimension }) => dimension },
      ...("measure" in rows[0] ? [measure] : []),
      { title: t("dash.value"), number: true, cell: ({ value }) => figure(value) },
      { title: t("dash.interval"), number: true, cell: ({ low, high }) => interval(low, high) || null },
      { title: "−1 … 1", cell: (row) => intervalPlot(row, row.threshold ?? null) },
      ...("threshold" in rows[0]
        ? [{ title: t("gate.threshold"), number: true, cell: ({ threshold }) => figure(threshold) }]
        : []),
      { title: t("dash.verdict"), cell: ({ verdict, note }) => verdict ?? note },
      { title: t("dash.units"), number: true, cell: ({ units }) => String(units) },
    ],
    rows,
  );
}

/** What is slow to compute comes later, and does not keep the page waiting. */
function watchSection({ checks }) {
  const place = element("div", { "aria-live": "off" }, element("p", { class: "soft" }, t("loading")));
  ask("/api/lead/quality")
    .then((quality) => replace(place, ...watch({ ...quality, checks })))
    .catch((error) => replace(place, element("p", { class: "bad" }, error.message)));
  return place;
}

function watch({ drift, outliers, checks, annotators, copied }) {
  const odd = annotators.filter((row) => row.too_fast || row.same_answers);
  const drifting = drift.filter(({ drifts }) => drifts);
  const apart = outliers.filter(({ outlier }) => outlier);
  const parts = [];
  if (drifting.length) {
    parts.push(
      table(
        t("dash.drift.caption"),
        [
          { title: t("people.name"), cell: ({ annotator }) => annotator },
          { title: t("dash.dimension"), cell: ({ dimension }) => dimension },
          { title: t("dash.change"), number: true, cell: ({ change }) => figure(change) },
          { title: t("dash.interval"), number: true, cell: ({ low, high }) => interval(low, high) || null },
          { title: "p", number: true, cell: ({ adjusted_p: p }) => figure(p, 3) },
        ],
        drifting,
      ),
    );
  }
  if (apart.length) {
    parts.push(
      table(
        t("dash.outliers.caption"),
        [
          { title: t("people.name"), cell: ({ annotator }) => annotator },
          { title: t("dash.dimension"), cell: ({ dimension }) => dimension },
          { title: "α", number: true, cell: ({ alpha }) => figure(alpha) },
          { title: t("dash.alpha.without"), number: true, cell: ({ alpha_without: alpha }) => figure(alpha) },
        ],
        apart,
      ),
    );
  }
  if (checks.length) {
    parts.push(
      table(
        t("dash.checks.caption"),
        [
          { title: t("people.name"), cell: ({ annotator }) => annotator },
          { title: t("dash.dimension"), cell: ({ dimension }) => dimension },
          { title: t("feedback.expected"), number: true, cell: ({ expected }) => String(expected) },
          { title: t("feedback.given"), number: true, cell: ({ given }) => String(given ?? "–") },
          { title: t("log.at"), class: "date", cell: ({ at }) => time(at) },
        ],
        checks,
      ),
    );
  }
  if (odd.length || copied.length) {
    const found = odd.length + copied.length;
    const link = element("a", { href: "/lead/quality" }, t("lead.quality"));
    parts.unshift(element("p", { class: "warning" }, t("dash.habits", { count: found }), " ", link));
  }
  return parts.length ? parts : [prose("p", t("dash.watch.none"), { class: "soft" })];
}
