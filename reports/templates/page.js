(() => {
  "use strict";
  const claims = [...document.querySelectorAll(".claim")];
  const chapters = [...document.querySelectorAll(".chapter:has(.claims)")];
  const filter = document.querySelector("#the-filter");
  const sorted = document.querySelector("#the-sorted");
  const home = new Map(claims.map((claim) => [claim, claim.parentElement]));
  const begun = new Map(chapters.map((chapter) => [chapter, chapter.open]));
  const make = (tag, given) => Object.assign(document.createElement(tag), given);

  // Narrowing: a claim is shown that holds all words and is all that is chosen; what has none is folded away.
  const texts = new Map(claims.map((claim) => [claim, `${claim.rows[0].textContent} ${claim.querySelector("summary").textContent}`.toLowerCase()]));
  const chosen = (name) => (filter.elements[name] ? filter.elements[name].value : "");
  const narrow = () => {
    const words = filter.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const [verdict, kind, shows] = ["verdict", "kind", "shows"].map(chosen);
    let left = 0;
    for (const claim of claims) {
      const said = claim.dataset;
      claim.hidden = !(words.every((word) => texts.get(claim).includes(word)) && (!verdict || said.verdict === verdict) &&
        (!kind || said.kind === kind) && (!shows || shows in said));
      left += !claim.hidden;
    }
    const all = left === claims.length;
    for (const chapter of chapters) {
      chapter.hidden = sorting !== null || !chapter.querySelector(".claim:not([hidden])");
      chapter.open = all ? begun.get(chapter) : !chapter.hidden;
    }
    filter.querySelector("output").textContent = `${left} of ${claims.length} claims shown`;
  };

  // Sorting: one table of all, by a column, up, down, and back into papers and modules.
  let sorting = null;
  const number = (text) => {
    const found = text.match(/∞|not bounded|(-?[\d,]*\.?\d+(?:e[-+]?\d+)?)(?:\/(\d+))?/);
    if (!found) return null;
    return found[1] === undefined ? Infinity : Number(found[1].replaceAll(",", "")) / Number(found[2] || 1);
  };
  const key = (claim, column) => {
    const cell = claim.rows[0].cells[column];
    const text = cell.textContent.trim() || (cell.querySelector("svg") ? cell.querySelector("svg").getAttribute("aria-label") : "");
    return [text, column > 1 ? number(text) : null];
  };
  // numbers first, what has none by its words
  const before = ([one, a], [other, b]) => (a === null) - (b === null) ||
    (a !== null && a !== b ? a - b : one.localeCompare(other, "en", { numeric: true }));
  const sort = (column, way) => {
    sorting = column === null ? null : { column, way };
    sorted.hidden = sorting === null;
    for (const claim of claims) home.get(claim).append(claim);
    if (sorting !== null) {
      const keys = new Map(claims.map((claim) => [claim, key(claim, column)]));
      const empty = (claim) => keys.get(claim)[0] === "";
      const order = [...claims].sort((a, b) => empty(a) - empty(b) || way * before(keys.get(a), keys.get(b)));
      sorted.querySelector("table").append(...order);
    }
    [...sorted.querySelectorAll("th[scope=col]")].forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    filter.elements.sort.value = column === null ? "" : String(column);
    narrow();
  };
  const next = (column) => {
    if (sorting === null || sorting.column !== column) sort(column, 1);
    else if (sorting.way === 1) sort(column, -1);
    else sort(null);
    if (sorting !== null) sorted.querySelectorAll("th button")[column].focus();
  };

  if (filter) {
    const table = make("table", { className: "claims" });
    table.append(claims[0].parentElement.tHead.cloneNode(true));
    sorted.append(table);
    for (const row of document.querySelectorAll(".claims > thead > tr")) {
      [...row.cells].forEach((head, i) => {
        head.replaceChildren(make("button", { type: "button", textContent: head.textContent, onclick: () => next(i) }));
      });
    }
    const choice = filter.elements.sort;
    [...table.tHead.rows[0].cells].forEach((head, i) => choice.append(make("option", { value: String(i), textContent: head.textContent })));
    choice.addEventListener("change", () => (choice.value === "" ? sort(null) : sort(Number(choice.value), 1)));
    filter.hidden = false;
    filter.addEventListener("input", (event) => event.target === choice || narrow());
    filter.addEventListener("submit", (event) => event.preventDefault());
    filter.addEventListener("reset", () => setTimeout(() => sort(null)));
    for (const tile of document.querySelectorAll("[data-shows]")) {
      tile.addEventListener("click", () => { filter.elements.shows.value = tile.dataset.shows; narrow(); });
    }
    narrow();
  }

  // A row opens wherever it is clicked, and what a link leads to is shown.
  addEventListener("click", (event) => {
    const row = event.target.closest(".claim > tr:first-child");
    if (!row || event.target.closest("a") || String(getSelection())) return;
    const details = row.parentElement.querySelector("details");
    details.open = !details.open;
  });

  // A curve says its value where it is pointed at.
  addEventListener("pointermove", (event) => {
    const picture = event.target.closest(".profile svg");
    if (!picture) return;
    const box = picture.getBoundingClientRect();
    const points = picture.querySelector("polyline").getAttribute("points").split(" ").map((point) => point.split(",").map(Number));
    const [epsilon, delta] = picture.dataset.most.split(" ").map(Number);
    const [width, height] = [picture.viewBox.baseVal.width - 60, picture.viewBox.baseVal.height - 24];
    const x = Math.min(Math.max((event.clientX - box.left) * (picture.viewBox.baseVal.width / box.width) - 48, 0), points[points.length - 1][0]);
    const after = Math.max(1, points.findIndex((point) => point[0] >= x));
    const [[a, b], [c, d]] = [points[after - 1], points[after]];
    const y = c > a ? b + ((d - b) * (x - a)) / (c - a) : d;
    const shown = (x * epsilon / width).toPrecision(3), worst = ((1 - y / height) * delta).toPrecision(3);
    picture.parentElement.querySelector("figcaption").textContent = `About δ(${Number(shown)}) = ${Number(worst)}, read off the curve.`;
  });

  const sticks = () => filter && getComputedStyle(filter).position === "sticky";
  const reveal = () => {
    const meant = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!meant) return;
    const claim = meant.closest(".claim");
    if (claim && claim.hidden && filter) { filter.reset(); setTimeout(reveal, 50); return; }
    for (let at = meant; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    // the browser scrolls there once more when the page is loaded: to the first line of the row, not below it
    const above = claim ? meant.getBoundingClientRect().top - claim.getBoundingClientRect().top : 0;
    if (claim) meant.style.scrollMarginTop = `${above + (sticks() ? filter.offsetHeight : 0) + 4}px`;
    meant.scrollIntoView();
  };

  // Not every browser prints what is folded.
  addEventListener("beforeprint", () => {
    const folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
    addEventListener("afterprint", () => folded.forEach((one) => { one.open = false; }), { once: true });
  });

  addEventListener("hashchange", reveal);
  reveal();
})();
