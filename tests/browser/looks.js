// What is wrong with how the page looks, as sentences: called with what to look for.
(() => {
  const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const named = (element) => {
    const claim = element.closest(".claim") && element.closest(".claim").querySelector(".body");
    const text = (element.textContent || "").trim().slice(0, 40);
    return `${element.localName}.${element.getAttribute("class") || ""} in ${claim ? claim.id : "the page"}: ${text}`;
  };
  const unseen = (element) => element.closest(".unseen, .skip, fieldset input, script, style, title");
  const all = () => [...document.querySelectorAll("body *")].filter((element) => !unseen(element) && visible(element));

  const overflow = () => {
    const width = document.documentElement.clientWidth;
    const wrong = [];
    if (document.documentElement.scrollWidth > width) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    for (const element of all()) {
      const box = element.getBoundingClientRect();
      if (box.width > 0 && (box.right > width + 1 || box.left < -1)) wrong.push(`beyond the edge, ${named(element)}`);
      const style = getComputedStyle(element);
      const clips = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1;
      if (clips && element.localName !== "input") wrong.push(`cut or scrolled, ${named(element)}`);
      const cell = ["td", "th"].includes(element.localName) && style.display === "table-cell";
      if (cell && element.scrollWidth > element.clientWidth + 1) wrong.push(`sticks out of its cell, ${named(element)}`);
    }
    return wrong;
  };

  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const opaque = (colour) => channels(colour).length === 3 || channels(colour)[3] > 0.99;
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgrounds = new Map();
  const background = (element) => {
    if (!element) return getComputedStyle(document.documentElement).colorScheme.startsWith("dark") ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
    if (!backgrounds.has(element)) {
      const own = getComputedStyle(element).backgroundColor;
      backgrounds.set(element, opaque(own) ? own : background(element.parentElement));
    }
    return backgrounds.get(element);
  };
  const contrast = () => {
    const least = new Map();
    for (const element of all()) {
      if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
      const style = getComputedStyle(element);
      const colour = element.ownerSVGElement ? style.fill : style.color;
      const key = `${colour} on ${background(element)}`;
      if (least.has(key)) continue;
      const [dark, light] = [luminance(colour), luminance(background(element))].sort((a, b) => a - b);
      least.set(key, [(light + 0.05) / (dark + 0.05), named(element)]);
    }
    return [...least].filter(([, [ratio]]) => ratio < 4.5).map(([key, [ratio, where]]) => `${key}: ${ratio.toFixed(2)}, ${where}`);
  };

  const names = () => {
    const wrong = [];
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((heading) => Number(heading.localName[1]));
    if (levels.filter((level) => level === 1).length !== 1) wrong.push("not one first heading");
    levels.forEach((level, i) => { if (i && level > levels[i - 1] + 1) wrong.push(`a heading of level ${level} after ${levels[i - 1]}`); });
    for (const landmark of ["header", "main", "footer"]) if (document.querySelectorAll(`body > ${landmark}`).length !== 1) wrong.push(`not one ${landmark}`);
    for (const picture of document.querySelectorAll("svg")) if (!picture.getAttribute("aria-label") && !picture.querySelector(":scope > title")?.textContent) wrong.push(`no words for ${named(picture)}`);
    for (const table of document.querySelectorAll("table")) if (!table.querySelector("th[scope]")) wrong.push(`no heading of ${named(table)}`);
    for (const part of document.querySelectorAll("section, nav")) {
      const by = part.getAttribute("aria-labelledby");
      if (by && !document.getElementById(by)) wrong.push(`${by} names nothing`);
    }
    for (const input of document.querySelectorAll("input")) if (!input.labels.length) wrong.push(`no label of ${input.id}`);
    for (const link of document.querySelectorAll("a")) if (!document.getElementById(decodeURIComponent(link.hash.slice(1)))) wrong.push(`${link.hash} leads nowhere`);
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    ids.forEach((id, i) => { if (ids.indexOf(id) !== i) wrong.push(`two are named ${id}`); });
    return wrong;
  };

  const smallest = () => {
    const sizes = all().filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((element) => Number.parseFloat(getComputedStyle(element).fontSize) * 0.75);
    return Math.round(Math.min(...sizes) * 100) / 100;
  };
  // Words that stand on two lines, in parts: a verdict, a heading, a number with its word.
  const broken = () => {
    const wrong = [];
    for (const element of all()) {
      if (element.closest("pre, code, svg, a, .id")) continue;
      for (const node of element.childNodes) {
        if (node.nodeType !== 3) continue;
        for (const word of node.data.matchAll(/(?<![^\s(])\p{L}{2,24}(?![^\s.,;:)])/gu)) {
          const range = document.createRange();
          range.setStart(node, word.index);
          range.setEnd(node, word.index + word[0].length);
          const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
          if (boxes.some((box) => box.top > boxes[0].bottom - 1)) wrong.push(`${word[0]} is broken, ${named(element)}`);
        }
      }
    }
    return wrong;
  };
  return { overflow, contrast, names, smallest, broken };
})()
