/** A crowd: the address to enrol at, who came and how they left, what they are paid. */
import { ask } from "./api.js";
import { element, toast } from "./dom.js";
import { act, figure, linkPanel, table } from "./lead-parts.js";
import { t } from "./messages.js";

export async function crowdPage(_, draw) {
  const { crowd } = await ask("/api/lead/crowd");
  if (!crowd) return [element("h2", {}, t("lead.crowd")), element("p", {}, t("crowd.none"))];
  const { address, outcomes, people, open_pages: open, median_minutes: minutes, pay_per_hour: pay, currency } = crowd;
  const link = address.startsWith("http") ? address : location.origin + address;
  return [
    element("h2", {}, t("lead.crowd")),
    linkPanel({ name: t("crowd.everybody"), link }, t("crowd.address.text")),
    element(
      "div",
      { class: "tiles" },
      tile(`${(outcomes.working ?? 0) + (outcomes.complete ?? 0)} / ${people}`, t("crowd.people")),
      tile(String(open), t("crowd.open")),
      tile(minutes === null ? "–" : t("time.minutes", { minutes: figure(minutes, 1) }), t("crowd.minutes")),
      pay === null ? null : tile(`${figure(pay)} ${currency}`, t("crowd.pay")),
    ),
    table(
      t("crowd.caption"),
      [
        { title: t("crowd.outcome"), cell: ([name]) => t(`crowd.${name}`) },
        { title: t("crowd.people"), number: true, cell: ([, count]) => String(count) },
      ],
      Object.entries(outcomes),
    ),
    element("h2", {}, t("crowd.payments")),
    element(
      "div",
      { class: "panel" },
      element("p", {}, t("crowd.payments.text")),
      element("a", { class: "button", href: "/api/lead/payments", download: true }, t("crowd.payments.go")),
    ),
    element("h2", {}, t("crowd.forget")),
    element("div", { class: "panel" }, element("p", {}, t("crowd.forget.text")), forgetButton(draw)),
  ];
}

function tile(value, label) {
  return element(
    "div",
    { class: "tile" },
    element("div", { class: "figure" }, value),
    element("p", { class: "soft" }, label),
  );
}

function forgetButton(draw) {
  const forget = async () => {
    if (!confirm(t("crowd.forget.text"))) return;
    const reply = await act("/api/lead/identities/delete", {});
    if (!reply) return;
    await draw();
    toast(t("crowd.forgotten", { count: reply.people }));
  };
  return element("button", { type: "button", class: "danger", on: { click: forget } }, t("crowd.forget"));
}
