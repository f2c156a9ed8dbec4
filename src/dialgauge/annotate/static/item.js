/**
 * One item on the desk: what stands on the left (dialogue, reference), what is judged on the right, and the slots in
 * the order in which the keyboard walks through them. Which parts there are follows from the study's protocol alone.
 */
import { element, prose } from "./dom.js";
import { dialogueList } from "./dialogue.js";
import { t } from "./messages.js";
import { pairText, valueText } from "./panels.js";
import { choiceSlot, scaleSlot, textSlot } from "./questions.js";
import { SpanMarker } from "./spans.js";

/**
 * `change()` is called after each edit of `item.answer`, `type(field, text, typing)` with each text that is typed.
 * Gives {left, body, scales, slots, marker, layout, flush}.
 */
export function buildItem({ protocol, page, item, editable, change, type }) {
  const dimensions = protocol.dimensions.filter((dimension) => page.dimensions.includes(dimension.name));
  const parts = { dimensions, slots: [], marker: null, texts: [] };
  const context = { protocol, page, item, disabled: !editable, change, type, ...parts };
  if (protocol.spans && page.stage !== "review") {
    context.marker = new SpanMarker({
      types: protocol.spans.types,
      severities: protocol.spans.severities,
      summaries: item.summaries.length,
      spans: item.answer.spans,
      disabled: !editable,
      onChange: change,
    });
  }
  const left = leftColumn(context);
  const { body, scales } = page.stage === "review" ? review(context) : TASKS[protocol.task](context);
  if (context.marker) scales.push(context.marker.node);
  const bySentence = dimensions.some(({ on }) => on !== "summary");
  const comparing = ["compare", "best-worst"].includes(protocol.task) && page.stage !== "review";
  const writing = protocol.task === "write" || page.stage === "review";
  const layout = writing ? "writing" : bySentence ? "sentences" : comparing ? "comparing" : "rating";
  const flush = () => context.texts.forEach((slot) => slot.flush());
  return { left, body, scales, slots: context.slots, marker: context.marker, layout, flush };
}

const TASKS = { rate, compare, "best-worst": bestWorst, write };

function leftColumn({ page, item, protocol, dimensions, marker, slots, disabled, change }) {
  const parts = [];
  const judged = dimensions.filter(({ on }) => on === "reference-sentences");
  if (page.reference) {
    parts.push(element("h2", {}, t("reference")));
    if (judged.length)
      parts.push(sentenceList({ text: page.reference, dimensions: judged, item, slots, disabled, change }));
    else
      parts.push(
        element("div", { class: "summary given" }, prose("p", page.reference.text, { dir: page.reference.direction })),
      );
  }
  if (page.dialogue) {
    const markable = marker && protocol.spans.in.includes("dialogue");
    const said = markable
      ? (turn, index) =>
          marker.markable(
            turn.text,
            { in: "dialogue", turn: index },
            t("turn.label", { number: index + 1, speaker: turn.speaker }),
          )
      : undefined;
    parts.push(element("h2", {}, t("dialogue")), dialogueList(page.dialogue, said));
  }
  return parts;
}

function rate(context) {
  const { item, dimensions, slots, disabled, change } = context;
  const [summary] = item.summaries;
  const judged = dimensions.filter(({ on }) => on === "summary-sentences");
  const body = judged.length
    ? [sentenceList({ text: summary, dimensions: judged, item, slots, disabled, change })]
    : [summaryText(context, summary, {}, t("summary"))];
  const scales = dimensions
    .filter(({ on }) => on === "summary")
    .map((dimension) => {
      const byRule = item.defaults[dimension.name];
      const untouched = item.answer.values[dimension.name] == null || item.answer.by_default.includes(dimension.name);
      return add(
        slots,
        scaleSlot({
          dimension,
          value: item.answer.values[dimension.name],
          rule: byRule && untouched ? byRule : null,
          extra: othersNote(item, dimension),
          disabled,
          onChange(value) {
            item.answer.values[dimension.name] = value;
            item.answer.by_default = item.answer.by_default.filter((name) => name !== dimension.name);
            change();
          },
        }),
      );
    });
  return { body, scales };
}

/** A summary, to mark errors in where the study asks for that; `whose` names it among several. */
function summaryText({ protocol, marker }, { text, direction }, whose, label) {
  if (!marker || !protocol.spans.in.includes("summary")) return prose("p", text, { dir: direction });
  return marker.markable(text, { in: "summary", turn: null, ...whose }, label);
}

/** What the annotators gave whose disagreement is decided here. */
function othersNote(item, dimension, sentence = null) {
  if (!item.others.length) return null;
  const list = item.others.map(({ values }, index) => {
    const value = sentence === null ? values[dimension.name] : values[dimension.name]?.[sentence];
    return t("others.one", { letter: String.fromCharCode(65 + index), value: valueText(value, dimension.scale) });
  });
  return element("p", { class: "raters" }, t("others.title"), " ", list.join(" · "));
}

/** Sentences with the questions about each beside it. */
function sentenceList({ text, dimensions, item, slots, disabled, change }) {
  const entries = text.sentences.map((sentence, index) => {
    const questions = dimensions.map((dimension) => {
      const values = (item.answer.values[dimension.name] ??= text.sentences.map(() => null));
      return add(
        slots,
        scaleSlot({
          dimension: { ...dimension, question: "" },
          unseenTitle: t("sentence.of", { number: index + 1 }),
          value: values[index],
          extra: othersNote(item, dimension, index),
          disabled,
          onChange(value) {
            values[index] = value;
            change();
          },
        }),
      );
    });
    return element(
      "li",
      { class: "sentence" },
      prose("p", sentence, { class: "words", dir: text.direction }),
      ...questions,
    );
  });
  const explained = dimensions.filter(({ question }) => question);
  return element(
    "div",
    {},
    explained.length
      ? element(
          "div",
          { class: "explained soft" },
          ...explained.map(({ title, question }) => prose("p", `${title}: ${question}`)),
        )
      : null,
    element("ol", { class: "sentences" }, ...entries),
  );
}

function cards(context, faces) {
  const { item } = context;
  return element(
    "div",
    { class: "choices", style: { "--candidates": item.summaries.length } },
    ...item.summaries.map((summary, index) =>
      element(
        "article",
        { class: "choice", tabindex: "0", "aria-label": faces[index] },
        element("h3", {}, faces[index]),
        summaryText(context, summary, { summary: index + 1 }, faces[index]),
      ),
    ),
  );
}

function compare(context) {
  const { protocol, item, dimensions, slots, disabled, change } = context;
  const faces = ["1", "2"].map((number) => t("summary.number", { number }));
  const choices = protocol.answers.map((value, index) => ({
    value,
    face: pairText(value),
    keys: [String(index + 1), ...(value === "tie" ? ["0", "="] : [])],
    anchor: "",
  }));
  const scales = dimensions.map((dimension) =>
    add(
      slots,
      choiceSlot({
        title: dimension.title,
        definition: dimension.question,
        choices,
        named: choices.length > 3,
        value: item.answer.values[dimension.name],
        disabled,
        onChange(value) {
          item.answer.values[dimension.name] = value;
          change();
        },
      }),
    ),
  );
  return { body: [cards(context, faces)], scales };
}

function bestWorst(context) {
  const { item, dimensions, slots, disabled, change } = context;
  const faces = item.summaries.map((_, index) => t("summary.number", { number: index + 1 }));
  const choices = item.summaries.map((_, index) => ({
    value: index + 1,
    face: String(index + 1),
    keys: [String(index + 1)],
    anchor: "",
  }));
  const scales = dimensions.flatMap((dimension) => {
    const chosen = (item.answer.values[dimension.name] ??= { best: null, worst: null });
    const pair = {};
    for (const [end, other] of [
      ["best", "worst"],
      ["worst", "best"],
    ]) {
      pair[end] = choiceSlot({
        title: t(`${end}.of`, { dimension: dimension.title }),
        choices,
        value: chosen[end],
        disabled,
        onChange(value) {
          chosen[end] = value;
          if (chosen[other] === value) {
            chosen[other] = null;
            pair[other].show(null);
          }
          change();
        },
      });
      slots.push(pair[end]);
    }
    const asked = dimension.question ? [prose("p", dimension.question, { class: "definition" })] : [];
    return [element("div", { class: "pair" }, ...asked, pair.best.node, pair.worst.node)];
  });
  return { body: [cards(context, faces)], scales };
}

function write({ protocol, item, slots, texts, disabled, type }) {
  const slot = textSlot({
    title: t("writing.title"),
    definition: t("writing.hint"),
    value: item.draft?.text ?? item.answer.text,
    limit: protocol.limits.text,
    disabled,
    onChange: (text, typing) => type("text", text, typing),
  });
  const verdict = item.review
    ? element(
        "div",
        { class: "feedback" },
        element("h3", {}, item.review.accept ? t("review.accepted") : t("review.refused")),
        item.review.comment ? prose("p", item.review.comment) : null,
        item.review.text ? prose("blockquote", item.review.text) : null,
      )
    : null;
  texts.push(slot);
  return { body: verdict ? [verdict] : [], scales: [add(slots, slot)] };
}

function review({ protocol, item, slots, texts, disabled, change, type }) {
  const [written] = item.summaries;
  const accept = choiceSlot({
    title: t("review.question"),
    definition: t("review.hint"),
    choices: [
      { value: 1, face: t("yes"), keys: ["1", "y", "Y"], anchor: "" },
      { value: 0, face: t("no"), keys: ["0", "n", "N"], anchor: "" },
    ],
    value: item.answer.values.accept,
    disabled,
    onChange(value) {
      item.answer.values.accept = value;
      change();
    },
  });
  const better = textSlot({
    title: t("review.better"),
    value: item.draft?.text ?? item.answer.text,
    limit: protocol.limits.text,
    disabled,
    onChange: (text, typing) => type("text", text.trim() ? text : null, typing),
  });
  // The improved text is asked for, not required: the keyboard does not stop at it.
  slots.push(accept);
  texts.push(better);
  return { body: [prose("p", written.text, { dir: written.direction })], scales: [accept.node, better.node] };
}

function add(slots, slot) {
  slots.push(slot);
  return slot.node;
}
