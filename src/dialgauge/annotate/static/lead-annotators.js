/** People: their links, pausing, replacing, adding. A link is shown once, to be copied. */
import { element, toast } from "./dom.js";
import { annotatorTable } from "./lead-dashboard.js";
import { act, field, form, linkPanel, rowButton, select, table } from "./lead-parts.js";
import { t } from "./messages.js";

let fresh = null;

export function annotatorsPage(data, draw) {
  return [
    element("h2", {}, t("lead.annotators")),
    fresh ? linkPanel(fresh) : null,
    annotatorTable(data.annotators),
    element("h2", {}, t("people.manage")),
    table(
      t("people.manage.caption"),
      [
        { title: t("people.name"), cell: ({ name }) => name },
        { title: t("people.entered"), cell: ({ entered }) => (entered ? t("yes") : t("no")) },
        { title: t("people.acts"), cell: (person) => acts(person, draw) },
      ],
      data.annotators,
    ),
    element("h2", {}, t("people.add")),
    element("div", { class: "panel" }, addForm(draw)),
  ];
}

async function perform(name, path, body, draw) {
  const reply = await act(path, body);
  if (!reply) return;
  fresh = reply.link ? { name, link: new URL(reply.link, location.href).href } : null;
  await draw();
  if (!reply.link) toast(t("people.done"));
}

function acts({ id, name, state, training }, draw) {
  if (!["active", "paused"].includes(state)) return leftOver({ id, name, state }, draw);
  const button = (label, path, body) => rowButton(label, name, () => perform(name, path, body, draw));
  const address = `/api/lead/annotators/${id}`;
  const failed = training.items > 0 && training.complete === training.items && training.passed === false;
  return element(
    "div",
    { class: "actions-cell" },
    button(t("people.newlink"), `${address}/link`, {}),
    state === "active"
      ? button(t("people.pause"), address, { action: "pause" })
      : button(t("people.resume"), address, { action: "resume" }),
    failed ? button(t("people.admit"), address, { action: "admit" }) : null,
    button(t("people.revoke"), address, { action: "revoke" }),
    replaceControl(address, name, draw),
    button(t("people.drop"), address, { action: "drop", keep: true }),
    button(t("people.drop.out"), address, { action: "drop", keep: false }),
    eraseButton({ id, name }, draw),
  );
}

function leftOver({ id, name, state }, draw) {
  return element("div", { class: "actions-cell" }, t(`people.state.${state}`), eraseButton({ id, name }, draw));
}

/** Deletes for good what somebody gave; asks before. */
function eraseButton({ id, name }, draw) {
  const erase = () =>
    confirm(t("people.erase.sure", { name })) &&
    perform(name, `/api/lead/annotators/${id}`, { action: "erase" }, draw);
  const attributes = { type: "button", class: "small danger", "aria-label": `${t("people.erase")}: ${name}` };
  return element("button", { ...attributes, on: { click: erase } }, t("people.erase"));
}

function replaceControl(address, name, draw) {
  const successor = element("input", {
    type: "text",
    required: true,
    maxlength: 80,
    "aria-label": t("people.successor.of", { name }),
    placeholder: t("people.successor"),
  });
  return element(
    "form",
    {
      class: "linkbox",
      on: {
        submit: (event) => {
          event.preventDefault();
          perform(successor.value, address, { action: "replace", successor: successor.value }, draw);
        },
      },
    },
    successor,
    element(
      "button",
      { type: "submit", class: "small", "aria-label": `${t("people.replace")}: ${name}` },
      t("people.replace"),
    ),
  );
}

function addForm(draw) {
  const name = element("input", { type: "text", required: true, maxlength: 80, autocomplete: "off" });
  const role = select(
    [
      ["annotator", t("people.annotator")],
      ["adjudicator", t("people.adjudicator")],
    ],
    "annotator",
  );
  return form([field(t("people.name"), name), field(t("people.role"), role)], t("people.add.go"), () =>
    perform(name.value, "/api/lead/annotators", { name: name.value, role: role.value }, draw),
  );
}
