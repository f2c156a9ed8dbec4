/** What was done, by whom, and when: the audit log. */
import { ask } from "./api.js";
import { element } from "./dom.js";
import { table, time } from "./lead-parts.js";
import { t } from "./messages.js";

export async function logPage() {
  const { entries } = await ask("/api/lead/audit?limit=200");
  return [
    element("h2", {}, t("lead.log")),
    table(
      t("log.caption"),
      [
        { title: t("log.at"), cell: ({ at }) => time(at) },
        { title: t("log.actor"), cell: ({ actor }) => actor },
        { title: t("log.action"), cell: ({ action }) => action },
        { title: t("log.detail"), cell: ({ detail }) => describe(detail) },
      ],
      entries,
    ),
  ];
}

function describe(detail) {
  if (detail === null || typeof detail !== "object") return String(detail ?? "");
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" · ");
}
