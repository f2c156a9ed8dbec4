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
    copy.setAttribute("xmlns", svg.namespaceURI);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.removeProperty("width");
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
  for (const figure of document.querySelectorAll("[data-figure]")) {
    const name = figure.dataset.figure, svg = figure.querySelector("svg"), known = data.figures[name];
    const actions = [["SVG", () => save(name + ".svg", drawn(svg).text, "image/svg+xml")], ["PNG", () => savePng(name, svg)]];
    if (known) actions.unshift(["CSV", () => save(name + ".csv", csv(figureRows(known)), "text/csv")]);
    const bar = tools(name, actions);
    if (figure.matches(".small, .card")) figure.prepend(bar); // beside the heading: there is no room below
    else figure.append(bar);
  }

  // What a cell of a table says: its numbers (value, low, high), and words. Where the page rounds, data-value does less.
  const NUMBER = "[-+]?\\d[\\d,]*\\.?\\d*(?:e[-+]?\\d+)?";
  const SAID = new RegExp(`^([▲▽·<]?)\\s*(${NUMBER})\\s*(?:\\[?(${NUMBER})(?:,| …) (${NUMBER})\\]?)?\\s*(.*)$`, "i");
  const MARKS = { "▲": "better", "▽": "worse", "·": "not significantly different" };
  const said = (row, column) => {
    // What is struck out is not said.
    const nodes = row.cells[column] ? [...row.cells[column].childNodes].filter((node) => node.nodeName !== "DEL") : [];
    return nodes.map((node) => node.textContent).join("").replace(/\s+/g, " ").trim();
  };
  const parts = (row, column) => {
    const one = row.cells[column], text = said(row, column);
    if (text === "" || text === "–") return { numbers: [], words: text && one.title };
    const found = one.matches("td.number, td.cell, td.verdict") && text.replaceAll("−", "-").match(SAID);
    if (!found) return { numbers: [], words: text };
    const [mark, value, low, high, words] = found.slice(1);
    const shown = [value, low, high].filter(Boolean).map((number) => number.replaceAll(",", ""));
    return { numbers: one.dataset.value ? one.dataset.value.split(" ") : shown, words: MARKS[mark] || words };
  };
  const isGroup = (row) => row.querySelector("th.group") !== null;
  const headOf = (table) => table.tHead && table.tHead.rows[table.tHead.rows.length - 1]; // above it, what columns share
  const columnsOf = (name, column, rows, note) => {
    const names = name.split(" / "), texts = rows.map((row) => said(row, column).split(" / "));
    if (names.length > 1 && texts.every((text) => text.length === names.length))
      return names.map((one, i) => [one, ...texts.map((text) => text[i])]);
    const cells = rows.map((row) => parts(row, column));
    const numeric = rows.some((row) => row.cells[column] && row.cells[column].matches("td.number, td.cell"));
    const most = Math.max(numeric ? 1 : 0, ...cells.map((one) => one.numbers.length));
    const made = [name, name + " low", name + " high"].slice(0, most)
      .map((one, i) => [one, ...cells.map((cell) => cell.numbers[i])]);
    if (!most || cells.some((one) => one.words))
      made.push([most ? `${name} ${note}` : name, ...cells.map((one) => one.words)]);
    return made;
  };
  const tableRows = (table) => {
    // As it is shown: sorted, filtered, with the heading of each group in a column of its own.
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !isGroup(row) && !row.hidden);
    const shared = table.tHead.rows.length < 2 ? [] :
      [...table.tHead.rows[0].cells].flatMap((one) => Array(one.colSpan).fill(one.textContent.trim()));
    const columns = [...headOf(table).cells].flatMap((th, column) => {
      const name = th.textContent.trim(), made = columnsOf(name, column, rows, table.dataset.words || "note");
      return shared[column] ? [...made, [`${name} group`, ...rows.map(() => shared[column])]] : made;
    });
    const groups = rows.map((row) => row.parentElement.querySelector("th.group"));
    if (groups.some(Boolean)) columns.unshift(["group", ...groups.map((one) => (one ? one.textContent : ""))]);
    return [...rows.keys(), rows.length].map((i) => columns.map((column) => column[i]));
  };
  const taken = new Map();
  const fileName = (label) => {
    const plain = label.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "table";
    const count = (taken.get(plain) || 0) + 1;
    taken.set(plain, count);
    return count > 1 ? `${plain}-${count}` : plain;
  };

  // Tables
  const order = (a, b) => {
    if (a.numbers.length && b.numbers.length) return a.numbers[0] - b.numbers[0];
    if (a.numbers.length || b.numbers.length) return a.numbers.length ? -1 : 1;
    return a.words.localeCompare(b.words, undefined, { numeric: true });
  };
  const sortBy = (table, column, direction) => {
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !isGroup(row));
      const filled = rows.filter((row) => !["", "–"].includes(said(row, column)));
      const empty = rows.filter((row) => ["", "–"].includes(said(row, column)));
      filled.sort((a, b) => direction * order(parts(a, column), parts(b, column)));
      body.append(...filled, ...empty);
    }
  };
  document.querySelectorAll("table:not(.answers)").forEach((table) => {
    const head = headOf(table);
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !isGroup(row));
    if (!head || rows.length < 2) return;
    [...head.cells].forEach((th, column) => {
      if (!th.textContent.trim()) return;
      const button = make("button", { type: "button", class: "sort" });
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener("click", () => {
        const first = rows.some((row) => parts(row, column).numbers.length) ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const now = th.getAttribute("aria-sort") === first ? other : first;
        for (const cell of head.cells) cell.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", now);
        sortBy(table, column, now === "ascending" ? 1 : -1);
      });
    });
    const around = table.closest(".scroll");
    const label = table.dataset.name || (around && around.getAttribute("aria-label")) || "table";
    const file = fileName(label) + ".csv";
    const bar = tools(label, [["CSV", () => save(file, csv(tableRows(table)), "text/csv")]]);
    if (rows.length > 5) {
      const filter = make("input", { type: "search", placeholder: "filter rows", "aria-label": `Filter the rows of ${label}` });
      filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
      });
      bar.prepend(filter);
    }
    (around || table).before(bar);
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
    const ring = document.createElementNS(svg.namespaceURI, "circle");
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
