// Keys. Each does what a control does too; one switch turns single keys off, and none acts while a field has the focus.

const SECTIONS = new Map([
  ["l", "leaderboard"], ["p", "pairs"], ["a", "ab"], ["b", "groups"], ["n", "ngrams"],
  ["d", "distributions"], ["s", "segments"], ["c", "checks"], ["m", "methods"],
]);
const KEYS = [
  ["/", "search"], ["j, k", "next and previous segment"], ["o", "address of this segment"], ["s", "swap A and B"], ["m", "next metric"],
  ["d", "next marks"], ["g, then l p a b n d s c m", "go to a section"], ["Esc", "clear all filters"], ["?", "this list"],
];

let waitsForSection = false;

function startKeys() {
  const rows = KEYS.map(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]).flat();
  const close = el("button", { type: "button", onclick: () => help.close() }, "close");
  const help = el("dialog", { id: "tb-help", "aria-labelledby": "tb-help-title" }, el("h2", { id: "tb-help-title" }, "Keys"), el("dl", { class: "list" }, ...rows), close);
  document.body.append(help);
  document.addEventListener("keydown", onKey);
}

function onKey(event) {
  const inField = event.target?.closest?.("input, textarea, select, dialog");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (inField) event.target.blur();
    else if (live.state.filters.length) change({ filters: [], whole: false });
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
  ["/", () => document.getElementById("tb-search")?.focus()],
  ["j", () => step(1)],
  ["k", () => step(-1)],
  ["o", () => live.state.segment !== null && change({ segment: live.state.segment }, true)],
  ["s", () => swap()],
  ["m", () => change({ metric: (live.state.metric + 1) % live.data.metrics.length }, true)],
  ["d", () => change({ marks: nextOf([...MARKS.keys()], live.state.marks) })],
  ["g", () => (waitsForSection = true)],
  ["?", () => document.getElementById("tb-help").showModal()],
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

// To the next card, or to the first one that can be seen.
function step(by) {
  const at = live.order.indexOf(live.state.segment);
  const first = firstVisible();
  const from = at >= 0 ? at + by : first ? live.order.indexOf(first.segment) : 0;
  const segment = live.order[Math.min(Math.max(from, 0), live.order.length - 1)];
  if (segment !== undefined) change({ segment });
}
