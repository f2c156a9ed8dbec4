/**
 * Questions as slots: the things that the keyboard walks through. A slot has a `node`, a `title`, `focus()`,
 * `answered()` and `press(key)`, which takes one key and says whether the slot has its answer now.
 * Nothing is preselected: a slot without a value shows none.
 */
import { element, prose } from "./dom.js";
import { t } from "./messages.js";

const MOST_BUTTONS = 11;
const PAUSE_MS = 500;
let serial = 0;

/** Whether the points of a scale are names without an order. */
function isNamed(scale) {
  return scale.kind === "categorical" && scale.name !== "yes/no";
}

/** A value as people read it: the name of a class, yes or no, or the number. */
export function pointText(scale, value) {
  if (scale.name === "yes/no" && [0, 1].includes(value)) return t(value ? "yes" : "no");
  return (isNamed(scale) && scale.labels[scale.points.indexOf(value)]) || String(value);
}

/** The points of a scale as choices, each with the keys that choose it and the anchor under it. */
function scaleChoices(scale) {
  if (isNamed(scale)) {
    return scale.points.map((point, index) => ({
      value: point,
      face: scale.labels[index],
      keys: index < 10 ? [String((index + 1) % 10)] : [],
      anchor: "",
    }));
  }
  if (scale.name === "yes/no") {
    return [
      { value: 1, face: t("yes"), keys: ["y", "Y", "1"], anchor: "" },
      { value: 0, face: t("no"), keys: ["n", "N", "0"], anchor: "" },
    ];
  }
  const plain = scale.points.every((point) => Number.isInteger(point) && point >= 0 && point <= 10);
  return scale.points.map((point, index) => {
    const key = plain ? String(point === 10 ? 0 : point) : String(index + 1);
    return { value: point, face: String(point), keys: [key], anchor: scale.labels[index] ?? "" };
  });
}

/** The slot of a dimension on its scale: buttons for a few points, a slider for many. */
export function scaleSlot({ dimension, ...rest }) {
  const { scale } = dimension;
  const shared = { title: dimension.title, definition: dimension.question, ...rest };
  if (scale.step === null || scale.points.length > MOST_BUTTONS) return sliderSlot({ scale, ...shared });
  return choiceSlot({ choices: scaleChoices(scale), named: isNamed(scale), ...shared });
}

/** One answer out of a few, as large buttons with anchors: radio buttons to everybody who cannot see them. */
export function choiceSlot({ title, unseenTitle, definition, choices, named, value, rule, extra, disabled, onChange }) {
  const name = `question-${(serial += 1)}`;
  const radios = choices.map((choice) =>
    element("input", { type: "radio", name, value: String(choice.value), on: { change: () => choose(choice) } }),
  );
  const labels = choices.map((choice, index) =>
    element(
      "label",
      { class: "point" },
      radios[index],
      element("span", { class: "digit", dir: "auto" }, keyOf(choice), choice.face),
      choice.anchor ? prose("span", choice.anchor, { class: "anchor" }) : null,
    ),
  );
  const note = element("p", { class: "rule", hidden: true });
  const node = element(
    "fieldset",
    { class: `question${choices.length <= 3 ? " few" : ""}${named ? " named" : ""}`, disabled },
    element(
      "legend",
      { dir: "auto" },
      title,
      unseenTitle ? element("span", { class: "unseen" }, ` ${unseenTitle}`) : null,
    ),
    definition ? prose("p", definition, { class: "definition" }) : null,
    note,
    element("div", { class: "points", style: { "--count": choices.length } }, ...labels),
    ends(choices),
    extra ?? null,
  );

  function show(given) {
    choices.forEach((choice, index) => {
      radios[index].checked = choice.value === given;
      labels[index].classList.toggle("ruled", Boolean(rule) && choice.value === given);
    });
    note.hidden = !rule;
    if (rule) note.textContent = t("rule.applied", { note: rule.note });
  }
  function choose(choice) {
    rule = null;
    show(choice.value);
    node.classList.remove("missing");
    onChange(choice.value);
  }
  show(rule ? rule.value : value);
  return {
    node,
    title: unseenTitle ? `${title} ${unseenTitle}` : title,
    show,
    answered: () => radios.some((radio) => radio.checked),
    focus: () => (radios.find((radio) => radio.checked) ?? radios[0]).focus(),
    press(key) {
      const choice = choices.find(({ keys }) => keys.includes(key));
      if (choice) choose(choice);
      return Boolean(choice);
    },
  };
}

/** The key that chooses an answer whose face does not show it; a screen reader says the answer alone. */
function keyOf({ face, keys }) {
  return keys.length && !face.endsWith(keys[0]) ? element("kbd", { "aria-hidden": "true" }, keys[0]) : null;
}

/** The outer anchors in one line, for screens too narrow to hold an anchor under each point. */
function ends(choices) {
  const anchored = choices.filter((choice) => choice.anchor);
  if (anchored.length < 2) return null;
  return element(
    "div",
    { class: "ends", "aria-hidden": "true" },
    ...[anchored[0], anchored.at(-1)].map((choice) => prose("span", `${choice.face} ${choice.anchor}`)),
  );
}

/** Many points without a preselected place: the thumb appears with the first answer, typed or drawn. */
function sliderSlot({ title, definition, scale, value, extra, disabled, onChange }) {
  const id = `question-${(serial += 1)}`;
  const limits = {
    min: scale.minimum,
    max: scale.maximum,
    step: scale.step ?? (scale.maximum - scale.minimum <= 1 ? 0.01 : 1),
  };
  const range = element("input", { type: "range", ...limits, "aria-labelledby": `${id}-title` });
  const number = element("input", { type: "number", inputmode: "decimal", id, ...limits });
  const slide = element(
    "div",
    { class: "slide" },
    element("span", { class: "soft" }, String(scale.minimum)),
    range,
    element("span", { class: "soft" }, String(scale.maximum)),
    number,
  );
  const node = element(
    "fieldset",
    { class: "question", disabled },
    element("legend", {}, element("label", { for: id, id: `${id}-title`, dir: "auto" }, title)),
    definition ? prose("p", definition, { class: "definition" }) : null,
    slide,
    extra ?? null,
  );
  let current = null;

  function show(given) {
    current = given ?? null;
    slide.classList.toggle("unset", current === null);
    if (number.valueAsNumber !== current) number.value = current ?? "";
    range.value = current ?? (scale.minimum + scale.maximum) / 2;
    range.setAttribute("aria-valuetext", current === null ? t("slider.unset") : String(current));
  }
  function choose(given) {
    show(given);
    node.classList.remove("missing");
    onChange(given);
  }
  range.addEventListener("input", () => choose(range.valueAsNumber));
  // A click on the place of the invisible thumb is an answer, although it does not change the value of the input.
  range.addEventListener("pointerup", () => current === null && choose(range.valueAsNumber));
  number.addEventListener("input", () => {
    if (number.validity.valid && number.value !== "") choose(number.valueAsNumber);
    else if (current !== null) choose(null);
  });
  show(value);
  return { node, title, show, answered: () => current !== null, focus: () => number.focus(), press: () => false };
}

/**
 * Free text that is an answer. `onChange(text, typing)` is told at every key, which keeps it in this browser, and once
 * more when the typing pauses, which sends it.
 */
export function textSlot({ title, definition, value, limit, disabled, onChange }) {
  const id = `question-${(serial += 1)}`;
  const count = element("p", { class: "soft" });
  const area = element("textarea", { id, dir: "auto", rows: 8, disabled });
  const left = room(area, limit);
  const node = element(
    "div",
    { class: "question writing" },
    element("label", { for: id, class: "title" }, title),
    definition ? prose("p", definition, { class: "definition" }) : null,
    area,
    count,
    left.node,
  );
  const typed = typing(area, onChange);

  function tally() {
    const words = area.value.trim() ? area.value.trim().split(/\s+/u).length : 0;
    count.textContent = t("writing.count", { words, characters: [...area.value].length });
  }
  area.addEventListener("input", () => {
    tally();
    node.classList.remove("missing");
  });
  area.value = value ?? "";
  typed.start();
  left.show();
  tally();
  return {
    node,
    title,
    answered: () => area.value.trim() !== "",
    focus: () => area.focus(),
    press: () => false,
    flush: typed.flush,
  };
}

/** Watches somebody type: `onChange(text, typing)` at every key, and with typing false when it pauses or must end. */
export function typing(area, onChange) {
  let timer = 0;
  let told = area.value;

  function flush() {
    clearTimeout(timer);
    if (area.value === told) return;
    told = area.value;
    onChange(wellFormed(area.value), false);
  }
  area.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(flush, PAUSE_MS);
    if (area.value !== told) onChange(wellFormed(area.value), true);
  });
  area.addEventListener("change", flush);
  return {
    flush,
    start: () => {
      told = area.value;
    },
  };
}

/** Half of a character, which a broken paste can leave, is nothing that can be sent. */
function wellFormed(text) {
  return text.toWellFormed?.() ?? text;
}

/** How much room is left in a text, said from nine tenths on. A text that is too long stays in its field. */
export function room(area, limit) {
  const node = element("p", { class: "room", role: "status" });
  function show() {
    const length = [...area.value].length;
    node.classList.toggle("over", length > limit);
    if (length > limit) node.textContent = t("limit.over", { count: length - limit, limit });
    else node.textContent = length >= 0.9 * limit ? t("limit.left", { count: limit - length }) : "";
  }
  area.addEventListener("input", show);
  return { node, show };
}
