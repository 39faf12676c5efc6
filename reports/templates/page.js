(() => {
  "use strict";
  const claims = [...document.querySelectorAll("details.claim")];
  const parts = [...document.querySelectorAll(".chapter, .group")];
  const filter = document.querySelector("#filter");
  if (filter && claims.length > 1) {
    const make = (tag, text, given = {}) => Object.assign(document.createElement(tag), { textContent: text }, given);
    const search = make("input", "", { type: "search", id: "search" });
    const shown = make("output", "");
    const texts = new Map(claims.map((claim) => [claim, `${claim.id} ${claim.firstElementChild.textContent}`.toLowerCase()]));
    const count = () => {
      const left = claims.filter((claim) => claim.checkVisibility()).length;
      shown.textContent = `${left} of ${claims.length} claims shown`;
    };
    const narrow = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const claim of claims) claim.hidden = !words.every((word) => texts.get(claim).includes(word));
      for (const part of parts) part.hidden = !part.querySelector("details.claim:not([hidden])");
      count();
    };
    const open = (all) => {
      for (const claim of claims) if (claim.checkVisibility()) claim.open = all;
    };
    const everything = () => {
      for (const choice of filter.querySelectorAll('input[value=""]')) choice.checked = true;
      search.value = "";
      narrow();
    };
    const row = make("p", "", { className: "tools" });
    const name = make("label", "Search ");
    name.append(search);
    const buttons = [["Open those shown", () => open(true)], ["Close", () => open(false)], ["Show all", everything]];
    row.append(name, ...buttons.map(([text, onclick]) => make("button", text, { type: "button", onclick })), shown);
    shown.setAttribute("aria-live", "polite");
    search.addEventListener("input", narrow);
    filter.addEventListener("change", count);
    filter.append(row);
    count();
  }
  const reveal = () => {
    const meant = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!meant) return;
    for (let at = meant; at; at = at.parentElement) {
      at.hidden = false;
      if (at.localName === "details") at.open = true;
    }
    meant.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
