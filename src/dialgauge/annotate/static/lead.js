/** The lead's pages: one address each, one module each; all read the same dashboard unless they need more. */
import { ApiError, ask } from "./api.js";
import { element, replace } from "./dom.js";
import { annotatorsPage } from "./lead-annotators.js";
import { commentsPage } from "./lead-comments.js";
import { crowdPage } from "./lead-crowd.js";
import { dashboardPage } from "./lead-dashboard.js";
import { disagreementsPage } from "./lead-disagreements.js";
import { exportsPage } from "./lead-exports.js";
import { gatePage } from "./lead-gate.js";
import { latePage } from "./lead-late.js";
import { leadsPage } from "./lead-leads.js";
import { logPage } from "./lead-log.js";
import { plannerPage } from "./lead-planner.js";
import { qualityPage } from "./lead-quality.js";
import { t } from "./messages.js";
import { setUpLanguage } from "./tools.js";

const PAGES = {
  dashboard: dashboardPage,
  annotators: annotatorsPage,
  crowd: crowdPage,
  gate: gatePage,
  quality: qualityPage,
  comments: commentsPage,
  late: latePage,
  disagreements: disagreementsPage,
  planner: plannerPage,
  exports: exportsPage,
  leads: leadsPage,
  log: logPage,
};
const main = document.getElementById("main");
const name = location.pathname.replace(/^\/lead\/?/, "") || "dashboard";

/** How often the page asks whether something has changed. */
const EVERY_MS = 10_000;
const FIELDS = "input, select, textarea";
let drawn = null;
let begun = 0;
let ended = 0;

/**
 * Reads everything again and draws the page anew: after each act of the lead, so that what is shown is what is stored.
 * What was read is not drawn where a later act has begun to read, or where it is not `welcome` any more.
 */
async function draw(welcome = () => true) {
  const turn = (begun += 1);
  try {
    const { state } = await ask("/api/lead/state");
    const data = await ask("/api/lead/dashboard");
    document.getElementById("blinded").textContent = data.study.blinded ? t("lead.blinded") : t("lead.unblinded");
    document.querySelector('nav a[data-page="gate"]').hidden = data.gate === null;
    document.querySelector('nav a[data-page="crowd"]').hidden = !data.study.crowd;
    for (const page of ["comments", "late"]) showCount(page, data[page]);
    const nodes = await PAGES[name](data, () => draw());
    if (turn !== begun || !welcome()) return;
    const open = [...main.querySelectorAll("details")].map((node) => node.open);
    replace(main, ...nodes);
    [...main.querySelectorAll("details")].forEach((node, index) => (node.open = open[index] ?? false));
    drawn = state;
  } finally {
    ended += 1;
  }
}

/** How much waits on a page, beside its name. */
function showCount(page, count) {
  const link = document.querySelector(`nav a[data-page="${page}"]`);
  replace(link, t(`lead.${page}`), " ", count ? element("span", { class: "count" }, String(count)) : "");
}

/** Draws the page anew when something has changed, but never under somebody's hands, nor while it is drawn. */
async function follow() {
  const free = () => begun === ended && !inUse();
  if (document.visibilityState !== "visible" || drawn === null || !free()) return;
  const { state } = await ask("/api/lead/state");
  if (state !== drawn && free()) await draw(() => !inUse());
}

function inUse() {
  if (main.contains(document.activeElement) && document.activeElement !== main) return true;
  return [...main.querySelectorAll(FIELDS)].some(edited);
}

/** Whether somebody has begun to fill in a field. */
function edited(field) {
  if (field.matches("select")) return [...field.options].some((one) => one.selected !== one.defaultSelected);
  return field.type === "file" ? field.files.length > 0 : field.value !== field.defaultValue;
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
  if (link.dataset.page !== name) continue;
  link.setAttribute("aria-current", "page");
  link.scrollIntoView({ block: "nearest", inline: "center" });
}
if (name in PAGES) {
  draw().catch(failed);
  // A server that cannot be reached for a moment is asked again; what is shown stays.
  setInterval(() => follow().catch((error) => error instanceof ApiError && failed(error)), EVERY_MS);
} else location.replace("/lead");
