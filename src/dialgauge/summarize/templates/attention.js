(() => {
  const rows = JSON.parse(document.getElementById("data").textContent).rows;
  for (const hint of document.querySelectorAll(".script-only")) hint.hidden = false;
  for (const panel of document.querySelectorAll("[data-panel]")) {
    const own = rows[Number(panel.dataset.panel)];
    const heat = [...panel.querySelectorAll("[data-column]")];
    const whole = heat.map((span) => span.style.getPropertyValue("--strength"));
    const shown = panel.querySelector(".shown");
    const said = shown.textContent;
    let kept = null;
    const show = (word) => {
      const strengths = word ? own[Number(word.dataset.row)] : whole;
      heat.forEach((span, i) => span.style.setProperty("--strength", strengths[i]));
      shown.textContent = word ? `attention of “${word.textContent}”` : said;
    };
    const keep = (word) => {
      if (kept) kept.setAttribute("aria-pressed", "false");
      kept = kept === word ? null : word;
      if (kept) kept.setAttribute("aria-pressed", "true");
      show(kept);
    };
    for (const word of panel.querySelectorAll("[data-row]")) {
      word.tabIndex = 0;
      word.setAttribute("role", "button");
      word.setAttribute("aria-pressed", "false");
      word.addEventListener("mouseenter", () => show(word));
      word.addEventListener("mouseleave", () => show(kept));
      word.addEventListener("focus", () => show(word));
      word.addEventListener("blur", () => show(kept));
      word.addEventListener("click", () => keep(word));
      word.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); keep(word); }
        if (event.key === "Escape" && kept) keep(kept);
      });
    }
  }
})();
