/** What stands above an item when something has to be said about it: a conflict of two tabs, the feedback of training. */
import { element, prose } from "./dom.js";
import { t } from "./messages.js";
import { pointText } from "./questions.js";

const TIES = ["tie", "both-good", "both-bad"];

/** An answer to a pair on its button: a kind of tie, or the better one and, where that is asked, how much better. */
export function pairText(value) {
  if (TIES.includes(value)) return t(value);
  const [number, ...strength] = value.split(":");
  return [t("summary.number", { number }), ...strength].join(": ");
}

export function valueText(value, scale = null) {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map((one) => valueText(one, scale)).join(" ");
  if (typeof value === "object")
    return t("bestworst.value", { best: valueText(value.best), worst: valueText(value.worst) });
  if (TIES.includes(value)) return t(value);
  if (typeof value === "string") return value.replace(":", ": ");
  return scale && typeof value === "number" ? pointText(scale, value) : String(value);
}

/** Two versions of one answer beside each other, and a button under each. */
export function conflictPanel({ conflict, dimensions, onMine, onTheirs }) {
  const { mine, theirs } = conflict;
  const asked = Object.fromEntries(dimensions.map((dimension) => [dimension.name, dimension]));
  const names = [...new Set([...Object.keys(mine.values), ...Object.keys(theirs.values)])];
  const rows = names.map((name) => [
    asked[name]?.title ?? t("review.question"),
    valueText(mine.values[name], asked[name]?.scale),
    valueText(theirs.values[name], asked[name]?.scale),
  ]);
  if (mine.spans) rows.push([t("spans.title"), String(mine.spans.length), String(theirs.spans.length)]);
  if (mine.text !== undefined) rows.push([t("writing.title"), mine.text ?? "–", theirs.text ?? "–"]);
  rows.push([t("comment"), mine.comment || "–", theirs.comment || "–"]);
  return element(
    "section",
    { class: "conflict", role: "alert" },
    element("h3", {}, t("conflict.title")),
    element("p", {}, t("conflict.text")),
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td", {}),
          element("th", { scope: "col" }, t("conflict.mine")),
          element("th", { scope: "col" }, t("conflict.theirs")),
        ),
      ),
      element(
        "tbody",
        {},
        ...rows.map(([title, here, there]) =>
          element("tr", {}, prose("th", title, { scope: "row" }), prose("td", here), prose("td", there)),
        ),
      ),
    ),
    element(
      "div",
      { class: "row" },
      element("button", { type: "button", class: "main", on: { click: onMine } }, t("conflict.keep")),
      element("button", { type: "button", on: { click: onTheirs } }, t("conflict.take")),
    ),
  );
}

/**
 * Whether an answer is the expected one; of best and worst only what is known counts, of a pair the better one however
 * much better, and of ties the kind where it is known.
 */
function agrees(expected, given) {
  if (expected === "tie") return TIES.includes(given);
  if (typeof given === "string") return expected === given.split(":")[0];
  if (expected === null || typeof expected !== "object") return expected === given;
  return ["best", "worst"].every((end) => expected[end] === null || expected[end] === given?.[end]);
}

/** How a training item should have been answered. */
export function feedbackPanel({ feedback, answer, dimensions }) {
  const rows = dimensions
    .filter(({ name }) => name in feedback.expected)
    .map(({ name, title, scale }) => {
      const right = agrees(feedback.expected[name], answer.values[name]);
      return element(
        "tr",
        {},
        prose("th", title, { scope: "row" }),
        element("td", { class: "number" }, valueText(answer.values[name], scale)),
        element("td", { class: "number" }, valueText(feedback.expected[name], scale)),
        element(
          "td",
          { class: right ? "right" : "wrong" },
          right ? `✓ ${t("feedback.same")}` : `≠ ${t("feedback.differs")}`,
        ),
      );
    });
  return element(
    "section",
    { class: "feedback", role: "status" },
    element("h3", {}, feedback.passed ? t("feedback.passed") : t("feedback.failed")),
    feedback.text ? prose("p", feedback.text) : null,
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, t("feedback.question")),
          element("th", { scope: "col", class: "number" }, t("feedback.given")),
          element("th", { scope: "col", class: "number" }, t("feedback.expected")),
          element("th", { scope: "col" }, t("feedback.verdict")),
        ),
      ),
      element("tbody", {}, ...rows),
    ),
  );
}
