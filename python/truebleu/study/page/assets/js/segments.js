// The list of segments: some cards or lines at a time, in the section or in a panel that stays at the bottom of the window.

const NARROW = "(max-width: 600px)";
const WIDE = "(min-width: 1100px)"; // the contents are beside the page, and not a line above it

const list = { box: null, cards: new Map(), home: null, from: null };

function startList(data) {
  const section = document.getElementById("segments");
  section.tabIndex = -1;
  list.box = document.getElementById("cards");
  list.box.classList.add("live");
  document.getElementById("error-marks")?.remove(); // the controls say what marks mean
  // What follows the section stays where it is while the section is the panel.
  list.home = el("div", { id: "tb-home" });
  section.before(list.home);
  const back = el("button", { type: "button", onclick: () => change({ panel: false }, true) }, "show them here");
  list.home.append(el("p", { class: "note away" }, "The segments are in the panel below. ", back), section);
  list.box.after(el("div", { class: "pager", "data-pager": "end" }));
  list.box.addEventListener("click", (event) => event.target.closest("a, button, input, textarea") === null && openRow(event));
}

function sizeOfPage(state) {
  return state.size ?? (state.view === "table" ? 25 : matchMedia(NARROW).matches ? 5 : 10);
}

function pagesOf(state) {
  return Math.max(1, Math.ceil(live.order.length / sizeOfPage(state)));
}

// The page that has the chosen segment, or the page that was asked for if there is one.
function pageOf(state) {
  const at = state.segment === null ? -1 : live.order.indexOf(state.segment);
  return at >= 0 ? Math.floor(at / sizeOfPage(state)) : Math.min(state.page, pagesOf(state) - 1);
}

function showSegments(data, state) {
  const [size, page] = [sizeOfPage(state), pageOf(state)];
  const shown = live.order.slice(page * size, (page + 1) * size);
  const had = list.box.contains(document.activeElement) ? Number(document.activeElement.closest("[data-segment]")?.dataset.segment) : null;
  if (state.view === "table") {
    list.cards.clear();
    list.box.replaceChildren(denseTable(data, state, shown));
  } else {
    list.cards = new Map(shown.map((segment) => [segment, makeCard(data, state, segment)]));
    list.box.replaceChildren(...list.cards.values());
  }
  if (!shown.length) list.box.append(el("p", { class: "none" }, "No segment is left: remove a filter above."));
  live.page = page;
  if (had !== null) (elementOf(had) ?? document.getElementById("segments")).focus({ preventScroll: true });
  showPagers(state, shown.length);
}

function showPagers(state, count) {
  const [size, page, pages, n] = [sizeOfPage(state), live.page, pagesOf(state), live.order.length];
  const go = (to) => turnTo(to, true);
  const turn = (words, title, to) => el("button", { type: "button", title, "aria-label": title, disabled: to < 0 || to >= pages, onclick: () => go(to) }, words);
  const told = n === 0 ? "no segments" : `${shownCount(page * size + 1)}–${shownCount(page * size + count)} of ${shownCount(n)}`;
  for (const pager of document.querySelectorAll("[data-pager]")) {
    const had = pager.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const number = el("input", { type: "number", min: 1, max: pages, value: page + 1, "aria-label": "Page of segments", onchange: () => go(number.valueAsNumber - 1) });
    pager.replaceChildren(turn("‹", "previous page of segments", page - 1), el("span", {}, told), turn("›", "next page of segments", page + 1), el("span", {}, "page ", number, ` of ${shownCount(pages)}`));
    pager.hidden = pages === 1 && pager.dataset.pager === "end";
    if (had) [...pager.querySelectorAll("[aria-label]:not(:disabled)")].find((one) => one.getAttribute("aria-label") === had)?.focus({ preventScroll: true });
  }
}

function turnTo(page, fromTop = false) {
  change({ page: Math.min(Math.max(Math.trunc(page) || 0, 0), pagesOf(live.state) - 1), segment: null }, true);
  if (!fromTop) return;
  if (live.state.panel) document.getElementById("segments").scrollTop = 0;
  else if (list.box.getBoundingClientRect().top < 0) document.getElementById("tb-head").scrollIntoView();
}

// The section becomes the panel, or goes back to its place. Nothing else moves.
function showPanel(state) {
  const [section, root] = [document.getElementById("segments"), document.documentElement];
  if (section.classList.contains("docked") === state.panel) return;
  list.home.style.minHeight = state.panel ? `${section.offsetHeight}px` : "";
  section.classList.toggle("docked", state.panel);
  root.toggleAttribute("data-docked", state.panel);
  document.getElementById("tb-close").hidden = !state.panel;
  document.getElementById("tb-more").open = !state.panel && !matchMedia(NARROW).matches;
  section.scrollTop = 0;
  // A reader who uses keys goes on where the panel was opened.
  if (!state.panel && section.contains(document.activeElement) && list.from?.isConnected) list.from.focus({ preventScroll: true });
}

// What was clicked stays in sight above the panel.
function keepAbovePanel(clicked) {
  if (!clicked?.isConnected || clicked.closest("#segments")) return;
  const room = document.getElementById("segments").getBoundingClientRect().top;
  const { top, bottom } = clicked.getBoundingClientRect();
  if (bottom > room - 8) window.scrollBy({ top: Math.min(bottom - room + 24, top - barHeight() - 8), behavior: "instant" });
}

// Brings a segment under the bar at the top, and gives it the focus.
function goTo(segment) {
  if (!live.order.includes(segment)) return false;
  if (pageOf(live.state) !== live.page || !elementOf(segment)) showSegments(live.data, live.state);
  const element = elementOf(segment);
  const padding = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
  element.style.scrollMarginTop = `${(live.state.panel ? document.getElementById("tb-head").offsetHeight : barHeight() - padding) + 8}px`;
  element.scrollIntoView({ block: "start", behavior: "instant" });
  element.focus({ preventScroll: true });
  return true;
}

function elementOf(segment) {
  return list.cards.get(segment) ?? list.box.querySelector(`tr[data-segment="${segment}"]`);
}

function barHeight() {
  const bar = document.getElementById("subset");
  const strip = matchMedia(WIDE).matches ? 0 : document.querySelector("nav").offsetHeight;
  return strip + (bar && !bar.hidden ? bar.getBoundingClientRect().height : 0);
}
