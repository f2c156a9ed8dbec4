/** What the lead's pages are made of: tables, intervals, forms that report what went wrong. */
import { ApiError, ask } from "./api.js";
import { announce, element, prose, toast } from "./dom.js";
import { t } from "./messages.js";

const SVG = "http://www.w3.org/2000/svg";
let fields = 0;

/** `columns` are {title, number?, class?, cell(row)}; the first column names the row. */
export function table(caption, columns, rows) {
  const cell = (column, row, index) => {
    const content = column.cell(row);
    const inside = content === null || content === undefined ? "–" : content;
    if (index === 0) return prose("th", inside, { scope: "row" });
    return element("td", { class: column.number ? "number" : (column.class ?? null) }, inside);
  };
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element(
      "table",
      {},
      element("caption", {}, element("span", {}, caption)),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ...columns.map((column) =>
            element("th", { scope: "col", class: column.number ? "number" : null }, column.title),
          ),
        ),
      ),
      element(
        "tbody",
        {},
        ...rows.map((row) => element("tr", {}, ...columns.map((column, index) => cell(column, row, index)))),
      ),
    ),
  );
}

export function figure(value, digits = 2) {
  return value === null || value === undefined ? "–" : value.toFixed(digits).replace("-", "−");
}

export function interval(low, high) {
  return low === null || high === null ? "" : `[${figure(low)}, ${figure(high)}]`;
}

/** A coefficient with its confidence interval on the line from −1 to 1; the numbers stand beside it. */
export function intervalPlot({ value, low, high }, threshold = null) {
  const x = (coefficient) => 90 + 84 * Math.max(-1, Math.min(1, coefficient));
  const line = (kind, x1, x2, y1, y2) => shape("line", { class: kind, x1, x2, y1, y2 });
  const parts = [line("grid", x(-1), x(1), 11, 11), line("zero", x(0), x(0), 3, 19)];
  if (threshold !== null) parts.push(line("threshold", x(threshold), x(threshold), 1, 21));
  if (value !== null && low !== null && high !== null) parts.push(line("interval", x(low), x(high), 11, 11));
  if (value !== null) parts.push(shape("circle", { class: "dot", cx: x(value), cy: 11, r: 4.5 }));
  const svg = shape("svg", { viewBox: "0 0 180 22", "aria-hidden": "true" });
  svg.append(...parts);
  return svg;
}

function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

export function time(seconds) {
  return seconds === null || seconds === undefined
    ? null
    : new Date(seconds * 1000).toLocaleString(document.documentElement.lang);
}

/** A labelled field; `control` is the input itself. */
export function field(label, control, hint) {
  control.id ||= `field-${(fields += 1)}`;
  return element(
    "div",
    {},
    element("label", { for: control.id }, label, hint ? element("span", { class: "hint" }, hint) : null),
    control,
  );
}

export function select(options, chosen) {
  return element(
    "select",
    {},
    ...options.map(([value, label]) => element("option", { value, selected: value === chosen }, label)),
  );
}

/** Does an act on the server; says what went wrong instead of failing. Gives the answer, or null. */
export async function act(path, body, method = "POST") {
  try {
    return await ask(path, method, body);
  } catch (error) {
    if (!(error instanceof ApiError)) toast(t("offline.act"));
    else if (error.status === 401) location.assign("/lead/login");
    else
      toast(
        [error.message, ...(error.reply?.problems ?? []).map(({ where, message }) => `${where}: ${message}`)].join(" "),
      );
    return null;
  }
}

export function form(fields, button, onSubmit) {
  return element(
    "form",
    {
      class: "fields",
      on: {
        submit: (event) => {
          event.preventDefault();
          onSubmit(event);
        },
      },
    },
    ...fields,
    element("div", {}, element("button", { type: "submit", class: "main" }, button)),
  );
}

/** A fresh link, shown once, to be copied. */
export function linkPanel({ name, link }, text = t("people.link.text")) {
  const input = element("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": t("people.link.of", { name }),
  });
  return element(
    "section",
    { class: "panel", role: "status" },
    element("h3", {}, t("people.link.of", { name })),
    element("p", { class: "soft" }, text),
    element(
      "div",
      { class: "linkbox" },
      input,
      element(
        "button",
        {
          type: "button",
          on: {
            click: async () => {
              input.select();
              await navigator.clipboard?.writeText(link).catch(() => {});
              announce(t("people.copied"));
            },
          },
        },
        t("people.copy"),
      ),
    ),
  );
}

/** A button of a row, about one person: what it does, and to whom for those who do not see the row. */
export function rowButton(label, name, click) {
  return element("button", { type: "button", class: "small", "aria-label": `${label}: ${name}`, on: { click } }, label);
}
