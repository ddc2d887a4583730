// The start, and the one way in which anything changes: a new state, written to the address, and drawn.

const live = { data: null, state: null, chosen: [], order: [], scores: null, about: null, address: null, metric: 0 };

// `isEntry` makes a new entry of the history, so that "back" returns from it.
function change(changes, isEntry = false) {
  live.state = { ...live.state, ...changes };
  live.address = `#${writeState(live.data, live.state)}`;
  history[isEntry ? "pushState" : "replaceState"](null, "", live.address);
  const onlySegment = Object.keys(changes).length === 1 && "segment" in changes;
  if (onlySegment) showSegment();
  else update();
}

function update() {
  const { data, state } = live;
  const seen = seenOfList(); // before anything is drawn, since asking later makes the browser lay out the page again
  const message = document.getElementById("tb-message");
  message.textContent = "";
  try {
    live.chosen = filterSegments(data, state);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    message.textContent = `This pattern cannot be read: ${error.message}`;
    return;
  }
  live.order = sortSegments(data, state, live.chosen);
  showLook(state);
  showBar(data, state, live.chosen);
  // How the list looks and is sorted changes nothing above it.
  const about = writeState(data, { ...state, sort: "number", marks: "none", segment: null, all: false, invisible: false, keys: true });
  if (about !== live.about) {
    live.about = about;
    showSections(data, state);
  }
  showControls(data, state);
  showSegments(live.order, seen);
  say(`${shownCount(live.chosen.length)} segments`);
}

// Scores first; what takes longer follows when they are on the screen.
function showSections(data, state) {
  live.scores = isSubset(state) ? data.metrics.map((metric) => scoresOf(data, metric, live.chosen)) : null;
  for (const id of ["leaderboard", "ab", "groups", "ngrams", "distributions"]) setHeading(id, isSubset(state) ? "subset" : "");
  setHeading("pairs", isSubset(state) ? "whole set" : "");
  showNames(data, state);
  showRanking(data, state, live.scores);
  showMatrices(data, state);
  showPair(data, state, live.scores, live.chosen);
  showViews(state);
  showTested(data, state);
  document.documentElement.dataset.drawn = "later";
  const { about } = live;
  const parts = [() => showGroups(data, state, live.chosen), ...plotParts(data, state, live.chosen), () => showGrams(data, state, live.chosen)];
  afterPaint(() => showRest(parts, about));
}

// One part at a time, so that a reader who goes on typing is heard; what is out of date by then is left out.
function showRest(parts, about) {
  if (live.about !== about) return;
  const [part, ...others] = parts;
  part();
  if (others.length) setTimeout(() => showRest(others, about));
  else document.documentElement.dataset.drawn = "all";
}

// The callback of the second frame runs when the first is on the screen.
function afterPaint(work) {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(work)));
}

// Of the tables that there are for each metric, that of a metric that was just chosen opens.
function showViews(state) {
  if (state.metric === live.metric) return;
  live.metric = state.metric;
  for (const view of document.querySelectorAll("details.view")) view.open = Number(view.dataset.metric) === state.metric;
}

function showSegment() {
  const { segment } = live.state;
  document.querySelector(".card.current")?.classList.remove("current");
  if (segment === null) return;
  if (!goTo(segment)) say("this segment is not among those shown");
  else list.cards.get(segment).classList.add("current");
}

function addFilter(filter) {
  const { data, state } = live;
  if (!isFilter(data, filter)) {
    document.getElementById("tb-message").textContent = `This filter cannot be read: ${filter.slice(1).join(" ")}`;
    return false;
  }
  const same = (one) => one.join("\0") === filter.join("\0");
  if (!state.filters.some(same)) change({ filters: [...state.filters, filter] });
  return true;
}

function removeFilter(at) {
  change({ filters: live.state.filters.toSpliced(at, 1) });
}

function setSearch(query, place, folded) {
  const others = live.state.filters.filter(([kind]) => kind !== "text");
  const filter = folded ? ["text", query, place, "fold"] : place === "any" ? ["text", query] : ["text", query, place];
  change({ filters: query === "" ? others : [...others, filter] });
}

// A range takes the place of an earlier one of the same score.
function setRange(filter) {
  const same = (one) => one[0] === filter[0] && one.at(-1) === filter.at(-1) && (one[0] === "diff" || one[1] === filter[1]);
  const others = live.state.filters.filter((one) => !(filter[0] === "ratio" ? one[0] === "ratio" && one[1] === filter[1] : same(one)));
  change({ filters: [...others, filter] });
}

function setLabel(name, value) {
  const others = live.state.filters.filter(([kind, of]) => kind !== "label" || of !== name);
  change({ filters: value === "" ? others : [...others, ["label", name, value]] });
}

function swap() {
  change({ a: live.state.b, b: live.state.a }, true);
}

// The address has changed by "back", by a link or by hand.
function readAddress() {
  if (location.hash === live.address) return;
  live.address = location.hash;
  const fragment = location.hash.slice(1);
  // A section has an address too; what the reader chose stays as it is.
  if (live.state && fragment && !fragment.includes("=")) return;
  const { state, unknown } = readState(live.data, fragment.includes("=") ? fragment : "");
  live.state = state;
  update();
  showSegment();
  if (unknown.length) say(`not known, and left out of the address: ${unknown.join(", ")}`);
}

// A link to a section must not take the state out of the address.
function onLink(event) {
  const link = event.target.closest?.('a[href^="#"]');
  const id = link?.getAttribute("href").slice(1);
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!id.includes("=")) goToSection(id);
  else change({ segment: Number(link.closest(".card").dataset.segment) }, true);
}

// A copy on paper says what was chosen; the folder of the file is nobody's business.
function showAddress() {
  const { state, data } = live;
  const chosen = writeState(data, state);
  document.getElementById("tb-address").textContent = chosen ? `What was chosen: #${chosen}` : "";
}

async function start() {
  const root = document.documentElement;
  try {
    live.data = await loadData();
  } catch (error) {
    root.dataset.state = "failed"; // what Python wrote is still there
    throw error;
  }
  buildLook(live.data);
  buildRanking(live.data);
  buildControls(live.data);
  buildPairControls(live.data);
  buildLinks(live.data);
  startGroups();
  startGrams();
  startPlots();
  buildCopies();
  startList(live.data);
  startKeys();
  readAddress();
  window.addEventListener("popstate", readAddress);
  window.addEventListener("hashchange", readAddress);
  document.addEventListener("click", onLink);
  window.addEventListener("beforeprint", showAddress);
  root.dataset.state = "ready";
}

start();
