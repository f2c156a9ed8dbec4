/** What goes out and what comes in: exports at any moment, filled sheets back, unblinding. */
import { element, replace, toast } from "./dom.js";
import { ApiError, upload } from "./api.js";
import { act, field, form, select } from "./lead-parts.js";
import { t } from "./messages.js";

const FORMATS = ["corpus", "xlsx", "csv", "jsonl", "parquet", "sheets"];

export function exportsPage(data, draw) {
  return [
    element("h2", {}, t("lead.exports")),
    element("p", {}, data.study.blinded ? t("exports.blinded") : t("exports.unblinded")),
    element(
      "ul",
      { class: "downloads" },
      ...FORMATS.map((format) =>
        element(
          "li",
          {},
          element("a", { class: "button", href: `/api/lead/export/${format}`, download: true }, t(`exports.${format}`)),
        ),
      ),
    ),
    element("h2", {}, t("backup.title")),
    element(
      "div",
      { class: "panel" },
      element("p", {}, t("backup.text")),
      data.study.copies
        ? element("p", { class: "soft" }, t("backup.made", { count: data.study.copies }))
        : null,
      element("a", { class: "button", href: "/api/lead/backup", download: true }, t("exports.backup")),
    ),
    element("h2", {}, t("import.title")),
    element("div", { class: "panel" }, element("p", {}, t("import.text")), ...importForm(data, draw)),
    data.study.blinded ? element("h2", {}, t("unblind.title")) : null,
    data.study.blinded
      ? element("div", { class: "panel" }, element("p", {}, t("unblind.text")), unblindForm(draw))
      : null,
  ];
}

function importForm(data, draw) {
  const kind = select(
    [
      ["sheets", t("import.sheets")],
      ["label-studio", t("import.label-studio")],
      ["tray", t("import.tray")],
    ],
    "sheets",
  );
  const person = select(
    data.annotators.map(({ name }) => [name, name]),
    data.annotators[0]?.name,
  );
  const file = element("input", { type: "file", required: true });
  const result = element("div", { role: "status" });
  return [
    form(
      [field(t("import.kind"), kind), field(t("people.name"), person), field(t("import.file"), file)],
      t("import.go"),
      async () => {
        try {
          // What an annotator's page saved says itself whose it is.
          const whose = kind.value === "tray" ? "" : `?annotator=${encodeURIComponent(person.value)}`;
          const reply = await upload(`/api/lead/import/${kind.value}${whose}`, file.files[0]);
          await draw();
          const counts = { accepted: reply.accepted, refused: reply.refused.length, late: reply.late };
          toast(t(reply.late ? "import.done.late" : "import.done", counts));
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          replace(
            result,
            element("p", { class: "bad" }, error.message),
            element(
              "ul",
              {},
              ...(error.reply?.problems ?? []).map(({ where, message }) => element("li", {}, `${where}: ${message}`)),
            ),
          );
        }
      },
    ),
    result,
  ];
}

function unblindForm(draw) {
  const reason = element("input", { type: "text", required: true, maxlength: 500 });
  return form([field(t("unblind.reason"), reason)], t("unblind.go"), async () => {
    if (await act("/api/lead/unblind", { reason: reason.value })) await draw();
  });
}
