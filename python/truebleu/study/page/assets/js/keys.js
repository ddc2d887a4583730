// Keys. Each does what a control does too; one switch turns single keys off, and none acts while a field has the focus.

const SECTIONS = new Map([
  ["l", "leaderboard"], ["p", "pairs"], ["a", "ab"], ["b", "groups"], ["n", "ngrams"],
  ["d", "distributions"], ["s", "segments"], ["c", "checks"], ["m", "methods"], ["o", "since"],
]);
const KEYS = [
  ["/", "search"], ["j, k", "next and previous segment"], ["o", "address of this segment"], ["s", "swap A and B"], ["m", "next metric"],
  ["d", "next marks"], ["v", "cards, side by side, or a table"], ["x", "mark this segment"], ["[, ]", "previous and next page of segments"],
  ["g, then l o p a b n d s c m", "go to a section"], ["Esc", "close the panel and clear all filters"], ["?", "this list"],
];

// What a reader who sees such a page for the first time may ask.
const MEANINGS = [
  ["corpus score", "one score of all segments together; it is not the mean of the scores of segments"],
  ["±", "half the 95 % interval of a score by itself; it says nothing about a difference"],
  ["difference", "A − B, or a system less another; where lower scores are better, a negative one is a gain"],
  ["95 % interval", "of a difference: of both systems on the same resamples, which is narrower than two intervals suggest"],
  ["star", "a difference that the test calls significant after its correction"],
  ["adjusted p", "the p-value after the correction for all pairs, or for all groups of a table"],
  ["rank", "a range such as 1–3: the ranks that the tests leave open"],
  ["cluster", "systems between two thick lines: each of them beats every system further down"],
  ["panel", "the segments that a click selects, at the bottom of the window; the browser's Back returns to what was there before"],
  ["subset", "the segments that all filters let through; scores are exact, and there is no test, since they were chosen after looking"],
  ["m, M, C", "minor, major and critical errors that people or programs marked in a text; n is any other severity"],
  ["few", "a group of fewer than 30 segments, whose interval is not to be trusted"],
  ["reversal", "the winner of the whole set loses a group for sure, or loses every group"],
  ["z", "of an n-gram: segments with more of it in A less those with more in B, over the root of their sum; a guide, not a test"],
  ["dots with lines", "a difference and its interval: a diamond is a significant gain, a square a significant loss, a ring neither"],
  ["matrix", "the system at the left less the system above; the stronger the colour, the smaller the p-value"],
  ["A less B, sorted", "one step a segment: where the curve meets zero, the gains of A end"],
  ["share of the segments", "how many segments have at most a score; a line further to the right is a better system, if higher is better"],
  ["points", "one a segment; click it, or go to it with arrow keys and press Enter, and its text is shown"],
];

let waitsForSection = false;

function startKeys() {
  const close = el("button", { type: "button", onclick: () => help.close() }, "close");
  const rows = (listed, head) => el("dl", { class: "list" }, ...listed.flatMap(([one, words]) => [el("dt", {}, head(one)), el("dd", {}, words)]));
  const help = el("dialog", { id: "tb-help", "aria-labelledby": "tb-help-title" },
    el("h2", { id: "tb-help-title" }, "Help"),
    close, // before all else: it gets the focus, and the reader begins at the top
    el("h3", {}, "Keys"), rows(KEYS, (key) => el("kbd", {}, key)),
    el("h3", {}, "What words and figures mean"), rows(MEANINGS, (word) => word),
  );
  document.body.append(help);
  document.addEventListener("keydown", onKey);
}

function showHelp() {
  document.getElementById("tb-help").showModal();
}

function onKey(event) {
  const inField = event.target?.closest?.("input, textarea, select, dialog");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (inField) event.target.blur();
    else if (live.state.filters.length || live.state.panel) change({ filters: [], whole: false, panel: false });
    return;
  }
  if (inField || !live.state.keys || event.ctrlKey || event.metaKey || event.altKey) return;
  if (waitsForSection) {
    waitsForSection = false;
    goToSection(SECTIONS.get(event.key));
    event.preventDefault();
    return;
  }
  const act = ACTIONS.get(event.key);
  if (!act) return;
  event.preventDefault();
  act();
}

const ACTIONS = new Map([
  ["/", () => goToSearch()],
  ["j", () => step(1)],
  ["k", () => step(-1)],
  ["o", () => live.state.segment !== null && change({ segment: live.state.segment }, true)],
  ["s", () => swap()],
  ["m", () => change({ metric: (live.state.metric + 1) % live.data.metrics.length }, true)],
  ["d", () => change({ marks: nextOf([...marksIn(live.data).keys()], live.state.marks) })],
  ["v", () => change({ view: nextOf([...VIEWS.keys()], live.state.view) })],
  ["x", () => document.querySelector(".card.current .mark")?.click()],
  ["[", () => turnTo(live.page - 1, true)],
  ["]", () => turnTo(live.page + 1, true)],
  ["g", () => (waitsForSection = true)],
  ["?", () => showHelp()],
]);

function nextOf(known, current) {
  return known[(known.indexOf(current) + 1) % known.length];
}

function goToSection(id) {
  const section = id && document.getElementById(id);
  if (!section) return;
  section.tabIndex = -1;
  section.scrollIntoView();
  section.focus({ preventScroll: true });
}

// The search and what it finds are in the panel, unless they can be seen already.
function goToSearch() {
  const field = document.getElementById("tb-search");
  if (!field) return;
  const { top, bottom } = field.getBoundingClientRect();
  if (!live.state.panel && (top < barHeight() || bottom > window.innerHeight / 2)) {
    list.from = document.activeElement;
    change({ panel: true }, true);
  }
  field.focus({ preventScroll: true });
}

// To the next card, or to the first one of the page.
function step(by) {
  const at = live.order.indexOf(live.state.segment);
  const from = at >= 0 ? at + by : live.page * sizeOfPage(live.state);
  const segment = live.order[Math.min(Math.max(from, 0), live.order.length - 1)];
  if (segment !== undefined) change({ segment });
}
