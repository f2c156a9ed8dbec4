/**
 * Marking errors in a text: with the pointer by selecting words, with a finger by tapping the first and the last word,
 * with the keyboard word by word (arrows move, Shift extends); then a digit or a button for the kind of error, another for
 * its severity where the study asks for it, and one more for the summary that has it where several are compared and the
 * words are in the dialogue. Offsets are counted in code points, as Python does.
 */
import { announce, element, replace } from "./dom.js";
import { t } from "./messages.js";

export class SpanMarker {
  /** `spans` is changed in place; `onChange` is told after each change; `summaries` says how many are compared. */
  constructor({ types, severities = [], summaries = 1, spans, disabled, onChange }) {
    this.types = types;
    this.severities = severities;
    this.summaries = summaries;
    this.chosen = {};
    this.spans = spans;
    this.disabled = disabled;
    this.onChange = onChange;
    this.texts = [];
    this.selection = null;
    this.kinds = element("div", { class: "kinds", role: "group", "aria-label": t("spans.kinds") });
    this.hint = element("p", { class: "definition" });
    this.list = element("ol", { class: "marks", tabindex: "0", "aria-label": t("spans.list") });
    this.node = element(
      "section",
      { class: "question spans", "aria-label": t("spans.title") },
      element("span", { class: "title" }, t("spans.title")),
      this.hint,
      this.kinds,
      this.list,
    );
    document.addEventListener("selectionchange", this.#read);
    this.#refresh();
  }

  /** Takes the marker off the page: its listener must not outlive the item. */
  close() {
    document.removeEventListener("selectionchange", this.#read);
  }

  /** A text to mark in; `place` is {in: "summary", turn: null}, in comparisons with `summary`, or {in: "dialogue", turn: n}. */
  markable(text, place, label) {
    const node = element("div", {
      class: "markable said prose",
      dir: "auto",
      tabindex: this.disabled ? null : "0",
      role: "textbox",
      "aria-readonly": "true",
      "aria-multiline": "true",
      "aria-label": label,
      on: {
        keydown: (event) => this.#steer(event, entry),
        blur: () => this.#moveCursor(entry, null),
        click: (event) => event.pointerType === "touch" && this.#tap(event, entry),
      },
    });
    const entry = { text, place, node, points: [...text], cursor: null, anchor: null };
    this.texts.push(entry);
    this.#draw(entry);
    return node;
  }

  /** Takes the answer of this number to what is asked now; false when nothing is asked or there is no such answer. */
  choose(index) {
    const option = this.selection && !this.disabled ? this.#question().options[index] : null;
    if (!option) return false;
    Object.assign(this.chosen, option.means);
    if (this.#question()) this.#refresh();
    else this.#mark();
    return true;
  }

  /** What is asked now about the selected words: their kind of error, its severity, whose it is; null when all is said. */
  #question() {
    const { place } = this.selection?.entry ?? { place: {} };
    const given = { ...place, ...this.chosen };
    if (!given.type)
      return {
        hint: "spans.choose",
        options: this.types.map(({ name, ...shown }) => ({ ...shown, means: { type: name } })),
      };
    if (this.severities.length && !given.severity)
      return {
        hint: "spans.severity",
        options: this.severities.map((severity) => ({ title: severity, means: { severity } })),
      };
    if (this.summaries > 1 && !given.summary)
      return {
        hint: "spans.whose",
        options: Array.from({ length: this.summaries }, (_, index) => ({
          title: t("summary.number", { number: index + 1 }),
          means: { summary: index + 1 },
        })),
      };
    return null;
  }

  #mark() {
    const { entry, start, end } = this.selection;
    const { title } = this.types.find(({ name }) => name === this.chosen.type);
    this.spans.push({ ...entry.place, start, end, note: "", ...this.chosen });
    this.spans.sort(
      (a, b) =>
        a.in.localeCompare(b.in) * -1 ||
        (a.summary ?? 0) - (b.summary ?? 0) ||
        (a.turn ?? 0) - (b.turn ?? 0) ||
        a.start - b.start,
    );
    this.selection = null;
    this.chosen = {};
    getSelection().removeAllRanges();
    entry.anchor = entry.cursor = null;
    this.#draw(entry);
    this.#refresh();
    announce(t("spans.marked", { type: title, text: entry.points.slice(start, end).join("") }));
    this.onChange();
  }

  #remove(span) {
    this.spans.splice(this.spans.indexOf(span), 1);
    for (const entry of this.texts) this.#draw(entry);
    this.#refresh();
    this.list.focus();
    this.onChange();
  }

  /** Draws the words of a text, those in a span inside a mark. Overlapping spans nest by word. */
  #draw(entry) {
    const own = this.spans.filter((span) => isIn(span, entry));
    entry.words = [];
    let offset = 0;
    const nodes = words(entry.text).flatMap((piece) => {
      const start = offset;
      offset += [...piece].length;
      const pieces = cut(piece, start, own);
      return pieces.map(({ text, from, to }) => {
        const word = element("span", { class: "word", "data-start": from, "data-end": to }, text);
        if (/\S/u.test(text)) entry.words.push({ node: word, start: from, end: to });
        const over = own.filter((span) => span.start < to && span.end > from);
        return over.reduce((inner, span) => {
          const kind = this.types.findIndex((type) => type.name === span.type);
          return element("mark", { class: `kind-${kind % 8}`, title: this.types[kind]?.title }, inner);
        }, word);
      });
    });
    replace(entry.node, ...nodes);
  }

  #refresh() {
    const text = this.selection
      ? shorten(this.selection.entry.points.slice(this.selection.start, this.selection.end).join(""))
      : "";
    const { hint, options } = this.#question();
    this.hint.textContent = this.selection ? t(hint, { text }) : t("spans.hint");
    this.node?.classList.toggle("choosing", Boolean(this.selection));
    replace(this.kinds, ...options.map((option, index) => this.#option(option, index)));
    replace(this.list, ...this.spans.map((span) => this.#row(span)));
    this.list.hidden = this.spans.length === 0;
  }

  #option({ title, description, means }, index) {
    return element(
      "button",
      {
        type: "button",
        class: means.type ? `kind-${index % 8}` : "further",
        title: description || null,
        disabled: !this.selection || this.disabled,
        // The selection of the text stays while the button is pressed.
        on: { mousedown: (event) => event.preventDefault(), click: () => this.choose(index) },
      },
      element("kbd", {}, String(index + 1)),
      ` ${title}`,
    );
  }

  #row(span) {
    const kind = this.types.findIndex((type) => type.name === span.type);
    const entry = this.texts.find((one) => isIn(span, one));
    const text = entry ? shorten(entry.points.slice(span.start, span.end).join("")) : "";
    const places = [
      span.summary ? t("summary.number", { number: span.summary }) : null,
      span.in === "dialogue" ? t("spans.in.turn", { turn: span.turn + 1 }) : null,
    ].filter(Boolean);
    const where = places.join(" · ") || t("spans.in.summary");
    return element(
      "li",
      {},
      element("span", { class: `type kind-${kind % 8}` }, this.types[kind]?.title ?? span.type),
      span.severity ? element("span", { class: "soft" }, span.severity) : null,
      element("q", { dir: "auto" }, text),
      element("span", { class: "soft" }, where),
      this.disabled
        ? null
        : element(
            "button",
            {
              type: "button",
              class: "plain small",
              "aria-label": t("spans.remove", { text }),
              on: { click: () => this.#remove(span) },
            },
            "×",
          ),
    );
  }

  /** The pointer's selection, widened to whole words. */
  #read = () => {
    const selected = getSelection();
    if (this.disabled || selected.isCollapsed || selected.rangeCount === 0) {
      if (this.selection?.byPointer) this.#choose(null);
      return;
    }
    const range = selected.getRangeAt(0);
    const entry = this.texts.find(({ node }) => node.contains(range.commonAncestorContainer));
    if (!entry) return;
    const touched = entry.words.filter(({ node }) => range.intersectsNode(node) && !touchesOnlyEdge(range, node));
    if (touched.length) this.#choose({ entry, start: touched[0].start, end: touched.at(-1).end, byPointer: true });
  };

  /** A finger: the first tap chooses a word, a further one extends to it. */
  #tap(event, entry) {
    const place = entry.words.findIndex(({ node }) => node === event.target.closest(".word"));
    if (place < 0 || this.disabled || !getSelection().isCollapsed) return;
    const extends_ = this.selection?.entry === entry && entry.anchor !== null;
    this.#moveCursor(entry, place, extends_ ? entry.anchor : place);
  }

  #choose(selection) {
    this.selection = selection;
    this.chosen = {};
    this.#refresh();
  }

  #steer(event, entry) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      this.#moveCursor(entry, null);
      this.#choose(null);
    }
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || this.disabled) return;
    event.preventDefault();
    const forward = getComputedStyle(entry.node).direction === "rtl" && event.key.match(/Left|Right/) ? -step : step;
    const last = entry.words.length - 1;
    const next = entry.cursor === null ? 0 : Math.min(last, Math.max(0, entry.cursor + forward));
    this.#moveCursor(entry, next, event.shiftKey ? (entry.anchor ?? entry.cursor ?? next) : next);
  }

  #moveCursor(entry, cursor, anchor = cursor) {
    Object.assign(entry, { cursor, anchor });
    const [from, to] = [Math.min(cursor, anchor), Math.max(cursor, anchor)];
    entry.words.forEach(({ node }, index) => {
      node.classList.toggle("cursor", index === cursor);
      node.classList.toggle("chosen", cursor !== null && index >= from && index <= to);
    });
    if (cursor === null) return;
    const [start, end] = [entry.words[from].start, entry.words[to].end];
    announce(entry.points.slice(start, end).join(""));
    this.#choose({ entry, start, end, byPointer: false });
  }
}

/** Whether a span lies in this text. One in the dialogue may name the summary that it is about. */
function isIn(span, { place }) {
  if (span.in !== place.in || span.turn !== place.turn) return false;
  return span.in === "dialogue" || span.summary === place.summary;
}

/** The words of a text with what is between them; scripts without spaces have words too. */
function words(text) {
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].map(({ segment }) => segment);
}

/** Cuts a piece of text where spans begin or end inside it. */
function cut(piece, start, spans) {
  const points = [...piece];
  const end = start + points.length;
  const cuts = new Set([start, end]);
  for (const span of spans) for (const edge of [span.start, span.end]) if (edge > start && edge < end) cuts.add(edge);
  const edges = [...cuts].sort((a, b) => a - b);
  return edges
    .slice(1)
    .map((to, index) => ({ from: edges[index], to, text: points.slice(edges[index] - start, to - start).join("") }));
}

function touchesOnlyEdge(range, node) {
  const whole = document.createRange();
  whole.selectNodeContents(node.firstChild);
  return (
    range.compareBoundaryPoints(Range.START_TO_END, whole) <= 0 ||
    range.compareBoundaryPoints(Range.END_TO_START, whole) >= 0
  );
}

function shorten(text) {
  const points = [...text];
  return points.length > 80 ? `${points.slice(0, 77).join("")}…` : text;
}
