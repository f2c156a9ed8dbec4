// What the page can do beyond being read: sort and filter tables, show the text behind a point, save data and figures.
(() => {
  "use strict";
  const block = document.getElementById("data");
  const data = block ? JSON.parse(block.textContent) : { figures: {}, texts: { columns: [], rows: [] } };
  const make = (name, attributes = {}, text = "") => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  };

  // Saving
  const save = (name, content, type) => {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const link = make("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  const isNumber = (text) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);
  const cell = (value) => {
    let text = value === null || value === undefined ? "" : String(value).replace(/\s+/g, " ").trim();
    if (isNumber(text.replace("−", "-"))) text = text.replace("−", "-");
    else if (/^[=+\-@]/.test(text)) text = "'" + text; // a spreadsheet would take it for a formula
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  const csv = (rows) => "\ufeff" + rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
  const figureRows = (figure) => {
    if (!figure.texts) return [figure.columns, ...figure.rows];
    const head = [...data.texts.columns, ...figure.columns.slice(1)];
    return [head, ...figure.rows.map((row) => [...(data.texts.rows[row[0]] || []), ...row.slice(1)])];
  };
  const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
    "font-size", "font-family", "font-weight", "text-anchor"];
  const drawn = (svg) => {
    // The colours are in the style sheet of the page, which a saved figure does not have: they are written into it.
    const copy = svg.cloneNode(true);
    const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((element, i) => {
      const style = getComputedStyle(element);
      for (const name of PAINT) to[i].style.setProperty(name, style.getPropertyValue(name));
      to[i].removeAttribute("class");
    });
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.background = getComputedStyle(document.body).backgroundColor;
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const savePng = (name, svg) => {
    const { text, width, height } = drawn(svg);
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: width * 3, height: height * 3 });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => blob && save(name + ".png", blob));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  };
  const tools = (label, actions) => {
    const bar = make("div", { class: "tools" });
    for (const [name, act] of actions) {
      const button = make("button", { type: "button", "aria-label": `Save ${label} as ${name}` }, name);
      button.addEventListener("click", act);
      bar.append(button);
    }
    return bar;
  };
  for (const figure of document.querySelectorAll("figure[data-figure]")) {
    const name = figure.dataset.figure, svg = figure.querySelector("svg"), known = data.figures[name];
    const actions = [["SVG", () => save(name + ".svg", drawn(svg).text, "image/svg+xml")], ["PNG", () => savePng(name, svg)]];
    if (known) actions.unshift(["CSV", () => save(name + ".csv", csv(figureRows(known)), "text/csv")]);
    figure.append(tools(name, actions));
  }

  // Tables
  const said = (row, column) => (row.cells[column] ? row.cells[column].textContent.trim() : "");
  const leading = (text) => {
    const found = text.replaceAll("−", "-").match(/^[▲▽·\s]*([-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?)/i);
    return found ? Number(found[1].replaceAll(",", "")) : NaN;
  };
  const order = (a, b) => {
    const x = leading(a), y = leading(b);
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
    return a.localeCompare(b);
  };
  const isGroup = (row) => row.querySelector("th.group") !== null;
  const sortBy = (table, column, direction) => {
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !isGroup(row));
      const filled = rows.filter((row) => !["", "–"].includes(said(row, column)));
      const empty = rows.filter((row) => ["", "–"].includes(said(row, column)));
      filled.sort((a, b) => direction * order(said(a, column), said(b, column)));
      body.append(...filled, ...empty);
    }
  };
  document.querySelectorAll("table").forEach((table, number) => {
    const head = table.tHead && table.tHead.rows[0];
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !isGroup(row));
    if (!head || rows.length < 2) return;
    [...head.cells].forEach((th, column) => {
      if (!th.textContent.trim()) return;
      const button = make("button", { type: "button", class: "sort" });
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const first = rows.some((row) => !Number.isNaN(leading(said(row, column)))) ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const now = th.getAttribute("aria-sort") === first ? other : first;
        for (const cell of head.cells) cell.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", now);
        sortBy(table, column, now === "ascending" ? 1 : -1);
      });
    });
    const label = table.dataset.name || (table.caption && table.caption.textContent.trim()) || `table ${number + 1}`;
    const bar = tools(label, [["CSV", () => {
      const texts = (row) => [...row.cells].map((one) => one.dataset.value ?? one.textContent);
      save(`${label.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60)}.csv`, csv([texts(head), ...rows.filter((row) => !row.hidden).map(texts)]), "text/csv");
    }]]);
    if (rows.length > 5) {
      const filter = make("input", { type: "search", placeholder: "filter rows", "aria-label": `Filter the rows of ${label}` });
      filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      });
      bar.prepend(filter);
    }
    (table.closest(".scroll") || table).before(bar);
  });

  // The text behind a point
  const hint = make("div", { class: "hint", role: "status" });
  hint.hidden = true;
  document.body.append(hint);
  const place = (x, y) => {
    hint.style.left = Math.max(4, Math.min(x + 14, innerWidth - hint.offsetWidth - 8)) + "px";
    const below = y + 16 + hint.offsetHeight < innerHeight;
    hint.style.top = (below ? y + 16 : Math.max(4, y - hint.offsetHeight - 12)) + "px";
  };
  for (const figure of document.querySelectorAll("figure[data-figure]")) {
    const known = data.figures[figure.dataset.figure], svg = figure.querySelector("svg");
    if (!known || !known.texts) continue;
    const path = svg.querySelector(".points");
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "ring");
    ring.setAttribute("r", "4");
    ring.style.display = "none";
    svg.append(ring);
    const points = [...path.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)h0/g)].map((found) => [Number(found[1]), Number(found[2])]);
    const show = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      let best = -1, nearest = 100;
      points.forEach(([x, y], i) => {
        const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
        if (distance < nearest) { nearest = distance; best = i; }
      });
      hint.hidden = best < 0;
      ring.style.display = best < 0 ? "none" : "";
      if (best < 0) return;
      const [item, rating, value] = known.rows[best], text = data.texts.rows[item];
      ring.setAttribute("cx", points[best][0]);
      ring.setAttribute("cy", points[best][1]);
      hint.replaceChildren(
        make("b", {}, text.slice(0, -1).join(" / ")),
        make("span", {}, ` ${known.columns[1]} ${rating}, ${known.columns[2]} ${value}`),
        make("p", {}, text[text.length - 1]));
      place(event.clientX, event.clientY);
    };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", () => { hint.hidden = true; ring.style.display = "none"; });
  }

  // On paper everything is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
})();
