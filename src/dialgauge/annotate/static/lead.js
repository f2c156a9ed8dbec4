/** The lead's pages: one address each, one module each; all read the same dashboard unless they need more. */
import { ApiError, ask } from "./api.js";
import { element, replace } from "./dom.js";
import { annotatorsPage } from "./lead-annotators.js";
import { dashboardPage } from "./lead-dashboard.js";
import { disagreementsPage } from "./lead-disagreements.js";
import { exportsPage } from "./lead-exports.js";
import { gatePage } from "./lead-gate.js";
import { leadsPage } from "./lead-leads.js";
import { logPage } from "./lead-log.js";
import { plannerPage } from "./lead-planner.js";
import { t } from "./messages.js";
import { setUpLanguage } from "./tools.js";

const PAGES = {
  dashboard: dashboardPage,
  annotators: annotatorsPage,
  gate: gatePage,
  disagreements: disagreementsPage,
  planner: plannerPage,
  exports: exportsPage,
  leads: leadsPage,
  log: logPage,
};
const main = document.getElementById("main");
const name = location.pathname.replace(/^\/lead\/?/, "") || "dashboard";

/** Reads everything again and draws the page anew: after each act of the lead, so that what is shown is what is stored. */
async function draw() {
  const data = await ask("/api/lead/dashboard");
  document.getElementById("blinded").textContent = data.study.blinded ? t("lead.blinded") : t("lead.unblinded");
  replace(main, ...(await PAGES[name](data, draw)));
}

function failed(error) {
  if (error instanceof ApiError && error.status === 401) return location.assign("/lead/login");
  replace(
    main,
    element(
      "section",
      { class: "panel", role: "alert" },
      element("h2", {}, t("failed.title")),
      element("p", {}, error.message),
    ),
  );
  return undefined;
}

setUpLanguage();
for (const link of document.querySelectorAll("nav a[data-page]")) {
  if (link.dataset.page === name) link.setAttribute("aria-current", "page");
}
if (name in PAGES) draw().catch(failed);
else location.replace("/lead");
