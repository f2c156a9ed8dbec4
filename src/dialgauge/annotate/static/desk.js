/** The desk: shows one item, walks through its slots by keyboard, and hands every edit to the outbox at once. */
import { announce, element, prose, replace, toast } from "./dom.js";
import { buildItem } from "./item.js";
import { t } from "./messages.js";
import { conflictPanel, feedbackPanel } from "./panels.js";
import { room, typing } from "./questions.js";

const OWN_KEYS = "button, a, summary, select, textarea";
const TYPING = "textarea, input[type=number], input[type=text], input[type=search]";

export class Desk {
  #root;
  #protocol;
  #outbox;
  #clock;
  #travel;
  #built = null;
  #active = 0;
  #comment = null;
  #folded = false;

  /** `travel` has next(), previous(), open(index): where the keys and the buttons lead. */
  constructor({ root, protocol, outbox, clock, travel }) {
    this.#root = root;
    this.#protocol = protocol;
    this.#outbox = outbox;
    this.#clock = clock;
    this.#travel = travel;
    document.addEventListener("keydown", (event) => this.#key(event));
    outbox.addEventListener(
      "conflict",
      ({ detail }) => detail.item === this.item?.id && this.show(this.page, this.index),
    );
  }

  get item() {
    return this.page?.items[this.index] ?? null;
  }

  /** Whether every question of the item on the desk has its answer. */
  get complete() {
    return this.#built.slots.every((slot) => slot.answered());
  }

  show(page, index, { atEnd = false } = {}) {
    this.leave();
    // The next summary of the same dialogue leaves the dialogue where it was.
    const place = this.page?.id === page.id ? this.#root.querySelector(".text")?.scrollTop : 0;
    this.page = page;
    this.index = index;
    const { item } = this;
    this.locked = !page.editable || (page.stage === "training" && Boolean(item.feedback));
    const editable = !this.locked && !this.#outbox.conflict(item.id);
    this.#built = buildItem({
      protocol: this.#protocol,
      page,
      item,
      editable,
      change: () => this.#changed(),
      type: (field, text, typing) => this.#typed(field, text, typing),
    });
    this.#render(item);
    this.#root.querySelector(".text")?.scrollTo({ top: place, behavior: "instant" });
    this.#root.querySelector(".strip [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    for (const [number, slot] of this.#built.slots.entries()) {
      slot.node.addEventListener("focusin", () => this.#mark(number));
    }
    const firstOpen = this.#built.slots.findIndex((slot) => !slot.answered());
    this.#go(atEnd ? this.#built.slots.length - 1 : Math.max(0, firstOpen));
    announce(t("item.place", { number: index + 1, items: page.items.length }));
  }

  /** Before the item leaves the desk. */
  leave() {
    if (!this.#built) return;
    this.flush();
    this.#built.marker?.close();
    this.#built = this.#comment = null;
  }

  /** Empties the desk for a message. */
  clear(...children) {
    this.leave();
    this.page = null;
    this.#root.className = "desk message";
    replace(this.#root, ...children);
  }

  /** Saves and goes on; where something is missing it says what, and goes there. */
  async finish() {
    this.flush();
    if (this.#outbox.conflict(this.item.id)) return toast(t("conflict.first"));
    if (this.locked) return this.#travel.next();
    if (this.item.draft) {
      toast(t("limit.first"));
      return this.#root.querySelector("textarea:has(~ .room.over)")?.focus();
    }
    const missing = this.#built.slots.filter((slot) => !slot.answered());
    for (const slot of this.#built.slots) slot.node.classList.toggle("missing", missing.includes(slot));
    if (missing.length) {
      const titles = missing
        .slice(0, 4)
        .map((slot) => slot.title)
        .join(", ");
      toast(t("missing", { titles: missing.length > 4 ? `${titles} …` : titles }));
      return this.#go(this.#built.slots.indexOf(missing[0]));
    }
    const pending = this.#outbox.pending(this.item.id);
    if (pending ? pending.waits : !this.item.answer.complete) this.save();
    this.item.finished = true;
    return this.#travel.next();
  }

  /** Puts the answer as it stands into the outbox. */
  save(waits = null) {
    const { item, page } = this;
    const { values, spans, text, comment } = item.answer;
    const edit = { values: this.#given(values, item), comment, active_ms: this.#clock.take() };
    if (this.#protocol.spans) edit.spans = spans;
    if (this.#protocol.task === "write") edit.text = text;
    edit.about = { page: page.number, item: this.index + 1 };
    this.#outbox.put(item.id, item.answer.rev, structuredClone(edit), { waits, draft: item.draft ?? null });
  }

  #given(values, item) {
    // A value that only the rule has set goes unsaid: the server fills it in and logs that it did.
    return Object.fromEntries(Object.entries(values).filter(([name]) => !item.answer.by_default.includes(name)));
  }

  #changed(typing = false) {
    // A completed training item is answered for good, so its last answer waits for Enter.
    if (this.page.stage === "training" && this.complete) this.save("enter");
    else this.save(typing ? "typing" : null);
  }

  /** A text as it is typed. What is too long stays in this browser, and everything else goes out without it. */
  #typed(field, text, typing) {
    const { item } = this;
    const { [field]: _, ...others } = item.draft ?? {};
    const fits = [...(text ?? "")].length <= this.#protocol.limits[field];
    if (fits) item.answer[field] = text;
    const draft = fits ? others : { ...others, [field]: text };
    item.draft = Object.keys(draft).length ? draft : null;
    this.#changed(typing);
  }

  /** What is still being typed becomes an edit. */
  flush() {
    this.#built?.flush();
    this.#comment?.flush();
  }

  #render(item) {
    const { left, body, scales, layout } = this.#built;
    const conflict = this.#outbox.conflict(item.id);
    const note = conflict
      ? conflictPanel({
          conflict,
          dimensions: this.#protocol.dimensions,
          onMine: () => this.#settle(true),
          onTheirs: () => this.#settle(false),
        })
      : item.feedback
        ? feedbackPanel({ feedback: item.feedback, answer: item.answer, dimensions: this.#protocol.dimensions })
        : null;
    const sheet = element(
      "section",
      { class: `sheet${note ? " notes" : ""}`, "aria-label": t("sheet") },
      this.#strip(),
      note,
      element(
        "section",
        { class: "summary", tabindex: "0", "aria-label": item.summaries.length > 1 ? t("summaries") : t("summary") },
        ...this.#bodies(body),
      ),
      // What stands in the note says more than questions that cannot be answered now.
      scales.length && !note
        ? element(
            "form",
            { class: "scales", "aria-label": t("questions"), on: { submit: (event) => event.preventDefault() } },
            ...scales,
          )
        : null,
      this.#protocol.comments ? this.#commentBox(item) : null,
    );
    if (body.length === 0) sheet.querySelector(".summary").remove();
    this.#root.className = `desk layout-${layout}${left.length ? "" : " bare"}`;
    this.#root.classList.toggle("folded", left.length > 0 && this.#folded);
    replace(
      this.#root,
      left.length ? element("section", { class: "text", tabindex: "0", "aria-label": t("texts") }, ...left) : null,
      left.length ? this.#foldButton() : null,
      sheet,
      this.#actions(),
    );
  }

  /** Hides the texts on the left, or shows them again: what is compared needs the room once the dialogue is read. */
  #foldButton() {
    const button = element("button", {
      type: "button",
      class: "fold small",
      "aria-expanded": String(!this.#folded),
      on: {
        click: () => {
          this.#folded = this.#root.classList.toggle("folded");
          button.setAttribute("aria-expanded", String(!this.#folded));
          button.textContent = t(this.#folded ? "texts.show" : "texts.hide");
        },
      },
    });
    button.textContent = t(this.#folded ? "texts.show" : "texts.hide");
    return button;
  }

  /** Side by side: the other summaries of the page stay readable around the one that is judged. */
  #bodies(body) {
    if (this.#protocol.arrange !== "side-by-side" || this.page.items.length < 2) return body;
    return this.page.items.map((item, index) =>
      element(
        "article",
        { class: `card${index === this.index ? " current" : ""}` },
        element("h3", {}, t("summary.number", { number: index + 1 })),
        ...(index === this.index
          ? body
          : item.summaries.map((summary) => prose("p", summary.text, { dir: summary.direction }))),
      ),
    );
  }

  #strip() {
    const { page } = this;
    const where = t(page.passes > 1 ? "where.pass" : "where", {
      number: page.number,
      pages: page.pages,
      pass: page.pass,
      passes: page.passes,
    });
    const buttons = page.items.map((item, index) => {
      const trouble = Boolean(this.#outbox.conflict(item.id)) || this.#outbox.isRefused(item.id);
      const done = item.answer.complete || item.finished;
      const state = trouble ? t("item.conflict") : item.late ? t("item.late") : done ? t("item.done") : t("item.open");
      return element(
        "button",
        {
          type: "button",
          class: trouble || item.late ? "trouble" : done ? "done" : null,
          "aria-current": index === this.index ? "step" : null,
          "aria-label": t("item.label", { number: index + 1, state }),
          on: { click: () => this.#travel.open(index) },
        },
        done && index !== this.index ? "✓" : String(index + 1),
      );
    });
    return element(
      "nav",
      { class: "strip", "aria-label": t("items") },
      element("span", { class: "where" }, `${t(`stage.${page.stage}`)} · ${where}`),
      ...(page.items.length > 1 ? buttons : []),
    );
  }

  #commentBox(item) {
    const area = element("textarea", { id: "comment", rows: 1, dir: "auto", disabled: this.locked });
    area.value = item.draft?.comment ?? item.answer.comment ?? "";
    const left = room(area, this.#protocol.limits.comment);
    left.show();
    this.#comment = typing(area, (text, stillTyping) => this.#typed("comment", text, stillTyping));
    return element(
      "div",
      { class: "comment" },
      element("label", { for: "comment" }, t("comment")),
      area,
      left.node,
    );
  }

  #actions() {
    const finish = element(
      "button",
      { type: "button", class: "main", id: "finish", on: { click: ({ detail }) => detail > 1 || this.finish() } },
      this.locked ? t("go.on") : t("save.next"),
      " ",
      element("kbd", {}, "Enter"),
    );
    return element(
      "div",
      { class: "actions", role: "group", "aria-label": t("actions") },
      element("button", { type: "button", on: { click: () => this.#travel.previous() } }, t("previous")),
      element("button", { type: "button", on: { click: () => this.#travel.skip() } }, t("next")),
      element("span", { class: "keys" }, t("keys")),
      finish,
    );
  }

  #settle(keepMine) {
    const { item } = this;
    // A comment may have been written since the conflict was shown: it belongs to the answer here.
    this.flush();
    const { mine, theirs } = this.#outbox.conflict(item.id);
    const chosen = keepMine ? mine : theirs;
    Object.assign(item.answer, {
      values: chosen.values,
      comment: chosen.comment ?? "",
      spans: chosen.spans ?? [],
      text: chosen.text ?? null,
    });
    const unsaid = theirs.by_default.filter((name) => !keepMine || !(name in mine.values));
    Object.assign(item.answer, { rev: theirs.rev, by_default: unsaid, complete: keepMine ? false : theirs.complete });
    this.#comment = null;
    this.#outbox.settle(item.id, keepMine ? { ...mine, active_ms: this.#clock.take() } : null);
    this.show(this.page, this.index);
    announce(t("conflict.settled"));
  }

  #key(event) {
    if (!this.#built || (event.ctrlKey && event.key !== "Enter") || event.metaKey || event.altKey || event.isComposing)
      return;
    if (document.querySelector("dialog[open]")) return;
    const typing = event.target.matches(TYPING);
    if (event.key === "Enter") {
      // Words that are selected and not yet marked would be lost.
      const marking = event.target.matches("[role=textbox]") && this.#built.marker?.selection;
      if ((event.target.matches(OWN_KEYS) || marking) && !event.ctrlKey) return;
      event.preventDefault();
      this.#enter(event);
    } else if (event.key === "Backspace" && !typing) {
      event.preventDefault();
      this.#back();
    } else if (event.key.length === 1 && !typing && !this.locked) {
      if (this.#built.marker?.selection && this.#built.marker.choose(Number(event.key) - 1))
        return event.preventDefault();
      if (this.#outbox.conflict(this.item.id)) return;
      const slot = this.#built.slots[this.#active];
      if (slot?.press(event.key)) {
        event.preventDefault();
        this.#go(this.#active + 1);
      }
    }
  }

  #enter(event) {
    // In a number field Enter goes to the next question, and from the last one on.
    const more = event.target.matches("input[type=number]") && this.#active < this.#built.slots.length - 1;
    if (more && this.#built.slots[this.#active].answered()) this.#go(this.#active + 1);
    else this.finish();
  }

  #back() {
    const onButton = document.activeElement?.id === "finish";
    if (onButton && this.#built.slots.length) this.#go(this.#built.slots.length - 1);
    else if (this.#active > 0) this.#go(this.#active - 1);
    else this.#travel.previous({ atEnd: true });
  }

  /** Moves to a slot; behind the last one stands the button that saves. */
  #go(number) {
    const slot = this.#built.slots[number];
    if (slot && !this.locked && !this.#outbox.conflict(this.item.id)) slot.focus();
    else document.getElementById("finish").focus();
    this.#mark(slot ? number : null);
    // By keyboard only: a question that moved under a finger would lose the tap.
    slot?.node.scrollIntoView({ block: "nearest" });
  }

  #mark(number) {
    if (number !== null) this.#active = number;
    this.#built.slots.forEach((slot, index) => slot.node.classList.toggle("active", index === number));
  }
}
