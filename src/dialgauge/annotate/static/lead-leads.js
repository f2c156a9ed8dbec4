/** Who runs the study: roles, links, and one's own password. */
import { ask } from "./api.js";
import { element, toast } from "./dom.js";
import { act, field, form, linkPanel, rowButton, select, table } from "./lead-parts.js";
import { t } from "./messages.js";

const ROLES = ["viewer", "manager", "owner"];
let fresh = null;

export async function leadsPage(_, draw) {
  const { leads, you, role } = await ask("/api/lead/leads");
  const owner = role === "owner";
  return [
    element("h2", {}, t("lead.leads")),
    fresh ? linkPanel(fresh) : null,
    table(
      t("leads.caption"),
      [
        { title: t("people.name"), cell: ({ id, name }) => (id === you ? t("leads.you", { name }) : name) },
        { title: t("people.role"), cell: (lead) => (owner ? roleChoice(lead, draw) : t(`leads.${lead.role}`)) },
        { title: t("leads.password"), cell: ({ password }) => (password ? t("yes") : t("no")) },
        ...(owner ? [{ title: t("people.acts"), cell: (lead) => acts(lead, draw) }] : []),
      ],
      leads,
    ),
    element("p", { class: "soft" }, t("leads.roles")),
    owner ? element("h2", {}, t("leads.add")) : null,
    owner ? element("div", { class: "panel" }, addForm(draw)) : null,
    element("h2", {}, t("password.title")),
    element("div", { class: "panel" }, passwordForm(draw)),
  ];
}

async function perform(name, path, body, draw) {
  const reply = await act(path, body);
  fresh = reply?.link ? { name, link: new URL(reply.link, location.href).href } : null;
  await draw();
}

function roleOptions() {
  return ROLES.map((role) => [role, t(`leads.${role}`)]);
}

function roleChoice({ id, name, role }, draw) {
  const choice = select(roleOptions(), role);
  choice.setAttribute("aria-label", `${t("people.role")}: ${name}`);
  choice.addEventListener("change", () => perform(name, `/api/lead/leads/${id}`, { role: choice.value }, draw));
  return choice;
}

function acts({ id, name }, draw) {
  const button = (label, path, body) => rowButton(label, name, () => perform(name, path, body, draw));
  return element(
    "div",
    { class: "actions-cell" },
    button(t("people.newlink"), `/api/lead/leads/${id}/link`, {}),
    button(t("leads.remove"), `/api/lead/leads/${id}`, { role: null }),
  );
}

function addForm(draw) {
  const name = element("input", { type: "text", required: true, maxlength: 80, autocomplete: "off" });
  const role = select(roleOptions(), "manager");
  return form([field(t("people.name"), name), field(t("people.role"), role)], t("leads.add"), () =>
    perform(name.value, "/api/lead/leads", { name: name.value, role: role.value }, draw),
  );
}

function passwordForm(draw) {
  const password = element("input", { type: "password", required: true, minlength: 10, autocomplete: "new-password" });
  return form([field(t("password.new"), password)], t("password.go"), async () => {
    if (await act("/api/lead/password", { password: password.value })) {
      await draw();
      toast(t("password.done"));
    }
  });
}
