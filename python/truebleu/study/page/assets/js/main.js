// The start, and the one way in which anything changes: a new state, written to the address, and drawn.

const live = { data: null, state: null, chosen: [], order: [], scores: null, about: null, address: null, metric: 0, page: 0 };

// `isEntry` makes a new entry of the history, so that "back" returns from it.
function change(changes, isEntry = false) {
  const others = ["filters", "sort", "view", "size"].some((key) => key in changes);
  live.state = { ...live.state, ...(others ? { page: 0 } : {}), ...changes };
  live.address = `#${writeState(live.data, live.state)}`;
  if (isEntry) keepPlace();
  history[isEntry ? "pushState" : "replaceState"](isEntry ? null : history.state, "", live.address);
  const isOnly = Object.keys(changes).every((key) => key === "segment");
  if (!isOnly) update();
  if (isOnly || (changes.segment ?? null) !== null) showSegment();
}

// An entry of the history knows where the window was, so that "back" and a reload return there.
function keepPlace() {
  history.replaceState({ y: window.scrollY }, "");
}

function returnTo(kept) {
  if (kept && Number.isFinite(kept.y)) window.scrollTo({ top: kept.y, behavior: "instant" });
}

// With `isWhole` all is drawn at once, so that every place is where it was.
function update(isWhole = false) {
  const { data, state } = live;
  const held = heldPlace(); // before anything is drawn, since asking later makes the browser lay out the page again
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
  const about = writeState(data, { ...state, sort: "number", marks: "none", segment: null, all: false, invisible: false, keys: true, page: 0, size: null, view: "cards", columns: null, more: [], panel: false });
  if (about !== live.about) {
    live.about = about;
    showSections(data, state, isWhole);
  }
  showControls(data, state);
  showPanel(state);
  showSegments(data, state);
  held();
  say(`${shownCount(live.chosen.length)} segments`, true);
}

// Remembers where the segment or the field is that the reader looks at, and gives a function that puts it there again.
function heldPlace() {
  const { segment, panel } = live.state;
  const find = () => (segment === null ? null : elementOf(segment)) ?? document.activeElement?.closest("#tb-head");
  const top = find()?.getBoundingClientRect().top;
  return () => {
    const now = find()?.getBoundingClientRect().top;
    if (panel || top === undefined || now === undefined || top < 0 || top > window.innerHeight) return;
    window.scrollBy({ top: now - top, behavior: "instant" });
  };
}

// Scores first; what takes longer follows when they are on the screen.
function showSections(data, state, isWhole) {
  live.scores = isSubset(state) ? data.metrics.map((metric) => scoresOf(data, metric, live.chosen)) : null;
  for (const id of ["leaderboard", "ab", "groups", "distributions"]) setHeading(id, isSubset(state) ? "subset" : "");
  setHeading("ngrams", facetOf(data, state, ["gram"]).isWhole ? "" : "subset");
  for (const id of ["pairs", "since"]) setHeading(id, isSubset(state) ? "whole set" : "");
  showNames(data, state);
  showRanking(data, state, live.scores);
  showMatrices(data, state);
  showPair(data, state, live.scores, live.chosen);
  showViews(state);
  showTested(data, state);
  document.documentElement.dataset.drawn = "later";
  const { about } = live;
  const parts = [() => showGroups(data, state), ...plotParts(data, state, live.chosen), () => showGrams(data, state), () => showBuckets(data, state)];
  if (isWhole) parts.splice(0).forEach((part) => part());
  afterPaint(() => showRest([...parts, () => {}], about));
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
  list.box.querySelector(".current")?.classList.remove("current");
  if (segment === null) {
    if (live.state.view === "table") showSegments(live.data, live.state);
    return;
  }
  if (!goTo(segment)) say("this segment is not among those shown");
  else elementOf(segment).classList.add("current");
}

function addFilter(filter) {
  const { data, state } = live;
  if (!isFilter(data, filter)) {
    document.getElementById("tb-message").textContent = `This filter cannot be read: ${filter.slice(1).join(" ")}`;
    return false;
  }
  const same = (one) => one.join("\0") === filter.join("\0");
  if (!state.filters.some(same)) change({ filters: [...state.filters, filter], segment: null }, true);
  return true;
}

function removeFilter(at) {
  change({ filters: live.state.filters.toSpliced(at, 1) });
}

function setSearch(query, place, folded) {
  const others = live.state.filters.filter(([kind]) => kind !== "text");
  const filter = folded ? ["text", query, place, "fold"] : place === "any" ? ["text", query] : ["text", query, place];
  // The first letter makes an entry of the history, and those that follow change it; a panel has made one already.
  const isFirst = query !== "" && others.length === live.state.filters.length && !live.state.panel;
  change({ filters: query === "" ? others : [...others, filter], segment: null }, isFirst);
  if (!live.state.panel && list.box.getBoundingClientRect().top > window.innerHeight / 2) document.getElementById("tb-head").scrollIntoView();
}

// A range takes the place of an earlier one of the same score.
function setRange(filter) {
  const same = (one) => one[0] === filter[0] && one.at(-1) === filter.at(-1) && (one[0] === "diff" || one[1] === filter[1]);
  const others = live.state.filters.filter((one) => !(filter[0] === "ratio" ? one[0] === "ratio" && one[1] === filter[1] : same(one)));
  change({ filters: [...others, filter], segment: null, panel: true }, true);
}

function setLabel(name, value, panel = live.state.panel) {
  const others = live.state.filters.filter(([kind, of]) => kind !== "label" || of !== name);
  change({ filters: value === "" ? others : [...others, ["label", name, value]], segment: null, panel }, true);
}

function swap() {
  change({ a: live.state.b, b: live.state.a }, true);
}

// The address has changed by "back", by a link or by hand.
function readAddress(isWhole = false) {
  if (location.hash === live.address) return;
  live.address = location.hash;
  const fragment = location.hash.slice(1);
  // A section has an address too; what the reader chose stays as it is.
  if (live.state && fragment && !fragment.includes("=")) return;
  const { state, unknown } = readState(live.data, fragment.includes("=") ? fragment : "");
  live.state = state;
  update(isWhole);
  showSegment();
  if (unknown.length) say(`not known, and left out of the address: ${unknown.join(", ")}`);
}

// A link to a section must not take the state out of the address.
function onLink(event) {
  const link = event.target.closest?.('a[href^="#"], .permalink');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (!link.matches(".permalink")) goToSection(link.getAttribute("href").slice(1));
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
  startNotes(live.data);
  buildLook(live.data);
  buildRanking(live.data);
  buildControls(live.data);
  buildPairControls(live.data);
  buildLinks(live.data);
  buildSince(live.data);
  buildBuckets(live.data);
  startGroups();
  startGrams();
  startPlots();
  buildCopies();
  startList(live.data);
  startKeys();
  document.querySelectorAll(".scroll, nav ol").forEach(frame);
  readAddress();
  startContents();
  history.scrollRestoration = "manual"; // the browser would do it before the page is drawn
  if (live.state.segment === null) returnTo(history.state);
  window.addEventListener("popstate", ({ state }) => {
    readAddress(true);
    returnTo(state);
  });
  window.addEventListener("pagehide", keepPlace);
  window.addEventListener("hashchange", () => readAddress());
  document.addEventListener("click", onLink);
  window.addEventListener("beforeprint", showAddress);
  root.dataset.state = "ready";
}

start();
