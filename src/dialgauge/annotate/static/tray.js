/** The tray: edits that the server did not take, with the reason, and what can be done with each. It works offline too. */
import { announce, element, prose, replace } from "./dom.js";
import { t } from "./messages.js";
import { valueText } from "./panels.js";
import { openDialog } from "./tools.js";

const REASONS = ["closed", "invalid", "too-large"];

export class Tray {
  #outbox;
  #protocol;
  #list = document.getElementById("tray-list");

  constructor({ outbox, protocol }) {
    this.#outbox = outbox;
    this.#protocol = protocol;
    document.getElementById("open-tray").addEventListener("click", () => this.open());
    document.getElementById("tray-file").addEventListener("click", () => this.#download());
    outbox.addEventListener("changed", () => this.#draw());
    this.#draw();
  }

  open() {
    this.#draw();
    openDialog("tray");
  }

  #draw() {
    const { refused } = this.#outbox;
    document.getElementById("open-tray").hidden = refused.length === 0;
    if (!refused.length && document.getElementById("tray").open) document.getElementById("tray").close();
    // Only what has changed is drawn again: a button must not vanish under a finger.
    const drawn = refused.map(({ id, at, edit }) => `${id} ${at} ${edit.key}`).join();
    if (this.#list.dataset.drawn === drawn) return;
    this.#list.dataset.drawn = drawn;
    replace(this.#list, ...refused.map((one) => this.#row(one)));
  }

  #row({ id, edit, reason, error, message, problems = [], at }) {
    const known = REASONS.find((name) => name === error) ?? reason;
    const where = edit.about ? t("tray.place", edit.about) : t("tray.item");
    const details = problems.map(({ message: problem }) => problem);
    return element(
      "li",
      {},
      element("h3", {}, where, " ", element("time", { class: "soft" }, new Date(at).toLocaleTimeString())),
      element("p", { class: "reason" }, t(`tray.reason.${known}`)),
      details.length || message ? prose("p", [message, ...details].join(" "), { class: "soft" }) : null,
      prose("pre", this.#text(edit)),
      element(
        "div",
        { class: "row" },
        button(t("tray.again"), () => this.#outbox.retry(id), "main"),
        button(t("tray.copy"), () => this.#copy(edit)),
        button(t("tray.discard"), () => confirm(t("tray.discard.sure")) && this.#outbox.discard(id)),
      ),
    );
  }

  /** An edit in words: what somebody would write on paper to rate it again. */
  #text({ values, spans, text, comment }) {
    const asked = Object.fromEntries(this.#protocol.dimensions.map((dimension) => [dimension.name, dimension]));
    const lines = Object.entries(values ?? {}).map(
      ([name, value]) => `${asked[name]?.title ?? name}: ${valueText(value, asked[name]?.scale)}`,
    );
    for (const { type, start, end } of spans ?? []) lines.push(`${type}: ${start}–${end}`);
    if (text) lines.push(text);
    if (comment) lines.push(`${t("comment")}: ${comment}`);
    return lines.join("\n");
  }

  async #copy(edit) {
    try {
      await navigator.clipboard.writeText(this.#text(edit));
    } catch {
      // Not a secure origin, or not allowed: by the old way.
      const area = element("textarea", { class: "unseen" });
      area.value = this.#text(edit);
      document.getElementById("tray").append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    announce(t("tray.copied"));
  }

  #download() {
    const file = new Blob([JSON.stringify(this.#outbox.refused, null, 1)], { type: "application/json" });
    const link = element("a", { href: URL.createObjectURL(file), download: "dialgauge-edits.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function button(label, act, kind = null) {
  return element("button", { type: "button", class: kind, on: { click: act } }, label);
}
