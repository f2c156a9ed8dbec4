/** What annotators write beside their ratings, with what it is about. */
import { ask } from "./api.js";
import { element, prose } from "./dom.js";
import { act, time } from "./lead-parts.js";
import { t } from "./messages.js";

export async function commentsPage(_, draw) {
  const { comments, all } = await ask("/api/lead/comments");
  const unread = comments.filter(({ read }) => !read);
  const mark = async (rows) => {
    const read = Object.fromEntries(rows.map(({ assignment, rev }) => [assignment, rev]));
    if (await act("/api/lead/comments", { read })) await draw();
  };
  return [
    element("h2", {}, t("lead.comments")),
    element("p", { class: "soft" }, t("comments.text", { unread: unread.length, all })),
    unread.length > 1
      ? element("button", { type: "button", on: { click: () => mark(unread) } }, t("comments.all.read"))
      : null,
    ...comments.map((row) => article(row, mark)),
  ];
}

function article(row, mark) {
  const values = Object.entries(row.values).map(([name, value]) =>
    element("li", {}, `${name}: `, element("strong", {}, typeof value === "object" ? JSON.stringify(value) : String(value))),
  );
  return element(
    "article",
    { class: "panel" },
    element("h3", {}, `${row.annotator} · ${row.dialogue_id}`, row.read ? "" : ` · ${t("comments.new")}`),
    prose("p", row.comment),
    element("ul", { class: "bubbles" }, ...values),
    element("details", {}, element("summary", {}, t("summary")), ...row.texts.map((text) => prose("p", text))),
    element("p", { class: "soft" }, time(row.at)),
    row.read
      ? null
      : element("button", { type: "button", class: "small", on: { click: () => mark([row]) } }, t("comments.read")),
  );
}
