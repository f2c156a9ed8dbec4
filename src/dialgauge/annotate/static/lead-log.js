/** What was done, by whom, and when: the audit log. */
import { ask } from "./api.js";
import { element } from "./dom.js";
import { table, time } from "./lead-parts.js";
import { t } from "./messages.js";

export async function logPage() {
  const { entries, check } = await ask("/api/lead/audit?limit=200");
  return [
    element("h2", {}, t("lead.log")),
    check.problem === null
      ? element("p", {}, t("log.sound", { entries: check.entries, erased: check.erased }))
      : element("p", { class: "warning", role: "alert" }, t("log.broken", { problem: check.problem })),
    element("p", { class: "soft" }, t("log.head"), " ", element("code", {}, check.head)),
    table(
      t("log.caption"),
      [
        { title: t("log.at"), cell: ({ at }) => time(at) },
        { title: t("log.actor"), cell: ({ actor }) => actor },
        { title: t("log.action"), cell: ({ action }) => action },
        { title: t("log.detail"), cell: ({ detail, erased }) => (erased ? t("log.erased") : describe(detail)) },
      ],
      entries,
    ),
  ];
}

function describe(detail) {
  if (detail === null || typeof detail !== "object") return String(detail ?? "");
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" · ");
}
