// What follows the state: the bar of the subset, A against B, and the controls of the list.

// Cells of tables, as Python writes them.

function numberCell(value, decimals) {
  return el("td", { class: "num", "data-value": value }, shownNumber(value, decimals));
}

function halfCell(value, decimals) {
  return el("td", { class: "num half", "data-value": value }, value === null ? "" : `±\u00a0${shownNumber(value, decimals)}`);
}

function differenceCell(value, decimals, star = false) {
  return el("td", { class: "num", "data-value": value }, `${shownDifference(value, decimals)}${star ? "*" : ""}`);
}

function intervalCell(interval, decimals, shown = shownDifference) {
  const text = interval?.map((end) => shown(end, decimals)).join(" to ") ?? "–";
  return el("td", { class: "num tested", "data-value": interval ? interval.join(" ") : null }, text);
}

function chanceCell(p) {
  return el("td", { class: "num tested", "data-value": p }, shownP(p));
}

// A frame fades at the edges behind which there is more.
const frames = new ResizeObserver((seen) => seen.forEach(({ target }) => showMore(target.closest(".scroll, .side, nav ol"))));

function frame(box) {
  box.addEventListener("scroll", () => showMore(box), { passive: true });
  for (const one of [box, ...box.children]) frames.observe(one);
  return box;
}

function showMore(box) {
  if (!box) return;
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = box;
  const found = [["left", scrollLeft > 1], ["right", scrollLeft + clientWidth < scrollWidth - 1], ["down", scrollTop + clientHeight < scrollHeight - 1]];
  box.dataset.more = found.filter(([, isMore]) => isMore).map(([where]) => where).join(" ");
}

function scrollBox(label, ...children) {
  return el("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": label }, ...children);
}

function isFirstPair(data, { a, b }) {
  return data.meta.pair?.[0] === data.systems[a] && data.meta.pair?.[1] === data.systems[b];
}

function isSubset(state) {
  return state.filters.length > 0 && !state.whole;
}

function showBar(data, state, chosen) {
  const bar = document.getElementById("subset");
  bar.hidden = state.filters.length === 0;
  document.documentElement.dataset.subset = isSubset(state) ? "on" : "off";
  const chips = state.filters.map((filter, at) =>
    el("button", { type: "button", class: "chip", title: "remove this filter", onclick: () => removeFilter(at) }, plainName(filterWords(data, filter)), " ×"),
  );
  const pick = (whole, words) =>
    el("button", { type: "button", "aria-pressed": String(state.whole === whole), onclick: () => change({ whole }) }, words);
  const copy = el("button", { type: "button" }, "copy as --only");
  copy.addEventListener("click", () => copyText(`--only ${writeNumbers(data, chosen)}`, copy));
  const csv = el("button", { type: "button" }, "copy scores as CSV");
  csv.addEventListener("click", () => copyText(subsetCsv(data, chosen), csv));
  const isPanel = live.state.panel;
  const show = el("button", { type: "button", id: "tb-show", "aria-expanded": String(isPanel), onclick: () => change({ panel: !isPanel }, true) }, isPanel ? "hide segments" : "show segments");
  bar.replaceChildren(
    el("strong", { id: "tb-count" }, `${shownCount(chosen.length)} of ${shownCount(data.n)} segments`),
    ...chips,
    show,
    el("button", { type: "button", id: "tb-clear", onclick: () => change({ filters: [], whole: false, panel: false }, true) }, "clear"),
    el("span", { role: "group", "aria-label": "Scores of" }, pick(false, "subset"), pick(true, "whole set")),
    el("span", { class: "copies" }, copy, " ", csv),
  );
}

function setHeading(id, words) {
  const heading = document.querySelector(`#${id} h2`);
  heading?.querySelector(".badge")?.remove();
  if (words) heading?.append(el("span", { class: "badge" }, ` ${words}`));
}

// What the test says of A less B; the comparison may have it the other way round.
function testedPair(data, key, a, b) {
  const report = data.comparison?.metrics.find((metric) => metric.key === key);
  const [ours, theirs] = [data.systems[a], data.systems[b]];
  for (const pair of report?.pairs ?? []) {
    if (pair.system === ours && pair.baseline === theirs) return pair;
    if (pair.system === theirs && pair.baseline === ours) {
      const interval = pair.interval && [-pair.interval[1], -pair.interval[0]];
      return { ...pair, delta: -pair.delta, interval };
    }
  }
  return null;
}

function showPair(data, state, scores, chosen) {
  const section = document.getElementById("ab");
  if (!section) return;
  const subset = isSubset(state);
  const segments = subset ? chosen : data.every;
  section.querySelectorAll("tbody tr").forEach((row, at) => {
    const metric = data.metrics[at];
    const values = subset ? scores[at] : metric.scores;
    const texts = pairTexts(data, state, metric, values, segments, subset);
    row.querySelectorAll("td").forEach((cell, which) => (cell.textContent = texts[which]));
  });
  const sides = data.metrics.map((metric, at) => {
    const values = subset ? scores[at] : metric.scores;
    return Math.sign(values[state.a] - values[state.b]) * (metric.higher_is_better ? 1 : -1);
  });
  const disagree = sides.includes(1) && sides.includes(-1);
  const agree = sides.length > 1 && sides[0] !== 0 && sides.every((side) => side === sides[0]);
  const told = disagree ? [" ", el("strong", {}, "Metrics disagree:"), " A is better by some and worse by others."] : [];
  document.getElementById("tb-disagree").replaceChildren(...(agree ? [" All metrics agree which of the two is better."] : told));
}

// Names of A, of B and of the metric, wherever a sentence has them.
function showNames(data, state) {
  const names = { a: data.systems[state.a], b: data.systems[state.b], metric: data.metrics[state.metric].name };
  for (const place of document.querySelectorAll("[data-who]")) place.replaceChildren(el("bdi", {}, plainName(names[place.dataset.who])));
}

function pairTexts(data, state, metric, values, segments, subset) {
  const decimals = decimalsOf(state, metric);
  const tested = subset ? null : testedPair(data, metric.key, state.a, state.b);
  const [a, b] = [values[state.a], values[state.b]];
  const delta = tested ? tested.delta : a === null || b === null ? null : a - b;
  const signs = [0, 0, 0];
  for (const segment of segments) {
    const gain = gainOf(data, metric, segment, state.a, state.b);
    signs[gain > 0 ? 0 : gain < 0 ? 1 : 2] += 1;
  }
  const interval = tested?.interval?.map((end) => shownDifference(end, decimals)).join(" to ") ?? "–";
  const p = tested ? (tested.adjusted_p_value ?? tested.p_value) : null;
  return [
    shownNumber(a, decimals),
    shownNumber(b, decimals),
    `${shownDifference(delta, decimals)}${tested?.significant ? "*" : ""}`,
    interval,
    shownP(p),
    ...signs.map(shownCount),
  ];
}

// Controls, which exist only where the script runs.

function choiceOf(field, options, onchange, name) {
  const select = el("select", { "data-field": field, onchange: () => onchange(select.value) });
  for (const [value, words] of options) select.append(el("option", { value }, plainName(words)));
  return el("label", {}, `${plainName(name)} `, select);
}

function switchOf(field, name) {
  const box = el("input", { type: "checkbox", "data-field": field, onchange: () => change({ [field]: box.checked }) });
  return el("label", {}, box, ` ${name}`);
}

function buildPairControls(data) {
  const section = document.getElementById("ab");
  if (!section) return;
  const systems = data.systems.map((name, at) => [at, name]);
  const metrics = data.metrics.map((metric, at) => [at, metric.name]);
  section.querySelector("h2").after(
    el("div", { class: "controls" },
      choiceOf("a", systems, (value) => change({ a: Number(value) }, true), "A"),
      choiceOf("b", systems, (value) => change({ b: Number(value) }, true), "B"),
      el("button", { type: "button", id: "tb-swap", onclick: swap }, "swap"),
      choiceOf("metric", metrics, (value) => change({ metric: Number(value) }, true), "metric of segments"),
    ),
  );
  document.querySelectorAll("#pairs .matrix").forEach((table, at) => buildMatrix(data, table, at));
  document.querySelectorAll("#pairs .listed table").forEach(buildPairList);
}

// Each head of a list of pairs sorts it, and turns it round the second time.
function buildPairList(table) {
  table.querySelectorAll("tbody tr").forEach((row, at) => (row.dataset.at = at));
  table.querySelectorAll("thead th").forEach((head, column) => {
    const button = el("button", { type: "button", title: "sort by this column", onclick: () => sortPairs(table, column) });
    button.append(...head.childNodes);
    head.append(button);
  });
}

function sortPairs(table, column) {
  const heads = [...table.querySelectorAll("thead th")];
  const way = heads[column].getAttribute("aria-sort") === "ascending" ? -1 : 1;
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  heads[column].setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
  const number = (row) => Number.parseFloat(row.children[column].dataset.value ?? "NaN");
  const words = (row) => row.children[column].textContent;
  const compare = (x, y) => number(x) - number(y) || (words(x) < words(y) ? -1 : Number(words(x) > words(y)));
  const rows = [...table.querySelectorAll("tbody tr")].sort((x, y) => way * compare(x, y) || x.dataset.at - y.dataset.at);
  table.querySelector("tbody").append(...rows);
}

function buildMatrix(data, table, metric) {
  const order = rankingOf(data, data.metrics[metric]);
  table.querySelectorAll("tbody tr").forEach((row, a) =>
    row.querySelectorAll("td").forEach((cell, b) => {
      if (a === b) return;
      const choose = () => change({ a: order[a], b: order[b], metric }, true);
      cell.tabIndex = 0;
      cell.addEventListener("click", choose);
      cell.addEventListener("keydown", (event) => event.key === "Enter" && choose());
    }),
  );
}

// N-grams and checks become buttons that show their segments.
function buildLinks(data) {
  if (data.texts) {
    for (const one of document.querySelectorAll("#ngrams th.gram")) {
      const kind = one.closest(".grams").id.startsWith("ngrams-only") ? "own" : "match";
      becomeButton(one, ["gram", one.textContent, kind]);
    }
  }
  for (const one of document.querySelectorAll("#checks th[data-check]")) {
    const [code, side, ...systems] = one.dataset.check.split(" ");
    becomeButton(one, ["check", code, side, ...(side === "hypotheses" ? systems.map((at) => data.checked[at]) : [])]);
  }
}

// What concerns the whole page.
function buildLook(data) {
  const theme = choiceOf("theme", THEMES, (value) => change({ theme: value }), "Colours");
  const help = el("button", { type: "button", title: "keys, and what words and figures mean (?)", onclick: showHelp }, "help");
  const controls = el("div", { class: "controls", id: "tb-look" }, theme, help);
  const wide = matchMedia(WIDE);
  const place = () => document.querySelector(wide.matches ? "nav" : "footer").append(controls);
  wide.addEventListener("change", place);
  place();
}

// The contents mark the section that the reader is in.
function startContents() {
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.getAttribute("href").slice(1), link]));
  let waiting = false;
  const show = () => {
    waiting = false;
    const line = barHeight() + window.innerHeight / 4;
    const isPast = (id) => document.getElementById(id).getBoundingClientRect().top <= line;
    const known = [...links.keys()].filter((id) => !document.getElementById(id).matches(".docked"));
    const isEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
    const current = isEnd && window.scrollY > 0 ? known.at(-1) : known.findLast(isPast);
    for (const [id, link] of links) {
      if (id === current && !link.hasAttribute("aria-current")) keepInStrip(link);
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const later = () => {
    if (!waiting) requestAnimationFrame(show);
    waiting = true;
  };
  window.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", later);
  show();
}

// On a phone the contents are one line, which scrolls to the current section.
function keepInStrip(link) {
  const strip = link.closest("ol");
  const [{ left, width }, of] = [link.getBoundingClientRect(), strip.getBoundingClientRect()];
  if (strip.scrollWidth > strip.clientWidth) strip.scrollLeft += left - of.left - (of.width - width) / 2;
}

function showLook(state) {
  const root = document.documentElement;
  root.dataset.first ??= root.dataset.theme;
  root.dataset.theme = state.theme ?? root.dataset.first;
}

// `more` is what else such a click changes.
function becomeButton(heading, filter, label = null, more = {}) {
  const button = el("button", { type: "button", class: "shows", title: "show these segments", "aria-label": label, onclick: () => showFrom(button, filter, more) });
  button.append(...heading.childNodes);
  button.filter = filter;
  button.setAttribute("aria-pressed", String(isOn(live.state, filter)));
  heading.append(button);
}

function isOn(state, filter) {
  return state?.filters.some((one) => one.join("\0") === filter.join("\0")) ?? false;
}

// The rows whose segments are shown look pressed.
function showPressed(state) {
  for (const button of document.querySelectorAll("button.shows")) button.setAttribute("aria-pressed", String(isOn(state, button.filter)));
}

// A click on a row of a table: the segments that the row counts come into the panel, and the row stays where it is.
// The same click again takes them away.
function showFrom(clicked, filter, more = {}) {
  const { state } = live;
  const others = state.whole ? [] : state.filters.filter((one) => !isSameFacet(one, filter));
  const wasOn = isOn(state, filter);
  inSight(clicked, () => change({ filters: wasOn ? others : [...others, filter], segment: null, page: 0, panel: !wasOn, ...(wasOn ? {} : more) }, true));
}

function inSight(clicked, act) {
  const { top } = clicked.getBoundingClientRect();
  list.from = clicked;
  act();
  if (!clicked.isConnected) return;
  window.scrollBy({ top: clicked.getBoundingClientRect().top - top, behavior: "instant" });
  if (live.state.panel) keepAbovePanel(clicked);
}

function buildControls(data) {
  const message = el("p", { id: "tb-message", role: "alert" });
  const title = document.querySelector("#segments h2");
  const close = el("button", { type: "button", id: "tb-close", hidden: true, "aria-label": "close the panel", onclick: () => change({ panel: false }, true) }, "close ×");
  const head = el("div", { id: "tb-head" });
  title.before(head);
  head.append(el("div", { class: "titled" }, title, close));
  if (data.texts) head.append(el("div", { class: "controls", role: "search" }, ...searchControls()));
  head.append(el("div", { class: "paged" }, el("div", { class: "pager", "data-pager": "start" }), el("p", { id: "tb-said", class: "note", role: "status" })), message);
  const rows = [el("div", {}, ...groupControls(data)), el("div", {}, ...listControls(data)), ...systemControls(data), columnControl(data), el("div", {}, buildNotes())];
  const form = el("form", { class: "controls", id: "tb-controls", onsubmit: (event) => event.preventDefault() }, ...rows);
  const more = el("details", { id: "tb-more", open: !matchMedia(NARROW).matches }, el("summary", {}, "Filter, sort and arrange"), form, el("p", { id: "tb-marks", class: "note" }));
  document.getElementById("cards").before(more);
}

function boxesOf(id, words, options, onchange) {
  const boxes = options.map(([value, name]) => {
    const box = el("input", { type: "checkbox", "data-value": value, onchange: () => onchange(value, box.checked) });
    return el("label", {}, box, " ", el("bdi", {}, plainName(name)));
  });
  return el("fieldset", { id, class: "boxes" }, el("legend", {}, words), ...boxes);
}

// Systems that are shown beside A and B.
function systemControls(data) {
  if (!data.texts || data.systems.length < 3) return [];
  const choose = (at, isChosen) => change({ more: [...live.state.more.filter((one) => one !== at), ...(isChosen ? [at] : [])].sort((x, y) => x - y) });
  return [boxesOf("tb-with", "Beside A and B", data.systems.map((name, at) => [at, name]), choose)];
}

function columnControl(data) {
  const choose = (column, isChosen) => {
    const others = shownColumns(data, live.state).filter((one) => one !== column);
    change({ columns: isChosen ? [...others, column] : others });
  };
  return boxesOf("tb-columns", "Columns of the table", [...columnsOf(data)], choose);
}

function searchControls() {
  const field = el("input", { type: "search", id: "tb-search", placeholder: "text or /pattern/", "aria-label": "Search in the texts" });
  const place = el("select", { id: "tb-place", "aria-label": "Where to search" });
  for (const [value, words] of PLACES) place.append(el("option", { value }, words));
  const fold = el("input", { type: "checkbox", id: "tb-fold" });
  const search = () => setSearch(field.value, place.value, fold.checked);
  field.addEventListener("input", search);
  place.addEventListener("change", search);
  fold.addEventListener("change", search);
  return [el("label", {}, "Search ", field), place, el("label", {}, fold, " ignore case and accents")];
}

function groupControls(data) {
  const made = [];
  for (const { name, values } of data.labels.filter((label) => label.values.length > 1)) {
    const options = [["", "all"], ...values.map((value) => [String(value), String(value)])];
    const label = choiceOf("", options, (value) => setLabel(name, value), name);
    label.querySelector("select").dataset.set = name;
    made.push(label);
  }
  if (data.checks.length) made.push(checkControl(data));
  const ask = (words, filter) => el("button", { type: "button", onclick: () => addFilter(filter) }, words);
  if (data.systems.length > 1) made.push(ask("A is better", ["better"]), ask("A is worse", ["worse"]));
  if (data.texts && data.systems.length > 1) made.push(ask("A and B differ", ["differ"]));
  if (data.spans) made.push(ask("has errors", ["errors", "other"]), ask("has major errors", ["errors", "major"]));
  return [...made, valueControl()];
}

// Each check that found segments, by itself and for each system.
function checkControl(data) {
  const found = new Map();
  for (const { code, side, system, name } of data.checks) {
    found.set(JSON.stringify(["check", code]), `${code} ${name}`);
    if (side === "hypotheses") found.set(JSON.stringify(["check", code, side, system]), `${code} ${name}, ${system}`);
    else found.set(JSON.stringify(["check", code, side]), `${code} ${name}, ${side}`);
  }
  const show = (value) => {
    if (value !== "") addFilter(JSON.parse(value));
    select.value = "";
  };
  const choice = choiceOf("", [["", "choose one"], ...[...found].sort((x, y) => (x[1] < y[1] ? -1 : 1))], show, "check");
  const select = choice.querySelector("select");
  select.id = "tb-check";
  return choice;
}

// A field for ranges and numbers: what is typed becomes a filter with Enter.
function valueControl() {
  const kind = el("select", { id: "tb-kind", "aria-label": "Kind of filter" });
  for (const [value, words] of [["only", "segments (12-40,77)"], ["diff", "A − B (1..20)"], ["score:a", "score of A (..50)"], ["score:b", "score of B (..50)"], ["ratio:a", "length ratio of A (..0.5)"], ["ratio:b", "length ratio of B (2..)"], ["gram", "n-gram (tokens)"]]) {
    kind.append(el("option", { value }, words));
  }
  const field = el("input", { type: "text", id: "tb-value", "aria-label": "Value of the filter", placeholder: "then Enter", size: 10 });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || field.value === "") return;
    if (addFilter([...kind.value.split(":"), field.value])) field.value = "";
  });
  return el("span", {}, "Filter on ", kind, " ", field);
}

function listControls(data) {
  const decimals = [["", "as printed"], ...[0, 1, 2, 3, 4].map((n) => [n, String(n)])];
  const made = [choiceOf("sort", sortsOf(data), (sort) => change({ sort }), "Sort by"), choiceOf("view", VIEWS, (view) => change({ view }), "Shown as")];
  made.push(choiceOf("size", [["", "as usual"], ...SIZES.map((n) => [n, String(n)])], (value) => change({ size: value === "" ? null : Number(value) }), "On a page"));
  if (data.texts) made.push(choiceOf("marks", marksIn(data), (marks) => change({ marks }), "Marks"));
  made.push(choiceOf("decimals", decimals, (value) => change({ decimals: value === "" ? null : Number(value) }), "Decimals"));
  if (data.texts) made.push(switchOf("all", "all systems"), switchOf("invisible", "show invisibles"));
  return [...made, switchOf("keys", "single-key shortcuts")];
}

// What the marks in the texts mean, each word marked as it says.
function markWords({ marks, a, b }) {
  const marked = (kind, words) => el("span", { class: kind }, words);
  const missed = [" ", marked("missed", "Struck through"), ": a token of a reference that no output shown here has."];
  if (marks === "none") return [];
  if (marks === "errors") return errorMarks();
  if (marks === "reference" || a === b) {
    return ["Underlined: tokens that a reference has too, in an n-gram of ", marked("match1", "one"), ", ", marked("match2", "two"), ", ", marked("match3", "three"), " or ", marked("match4", "four"), " tokens.", ...missed];
  }
  return [marked("own-gain", "Blue"), ": one system alone has it, and a reference too. ", marked("own-error", "Orange"), ": one system alone has it, and no reference. ", marked("shared-error", "Dotted"), ": both have it, and no reference.", ...missed];
}

function showControls(data, state) {
  const root = document.documentElement;
  document.querySelectorAll("select[data-field]").forEach((select) => {
    const { field, set } = select.dataset;
    if (field === "theme") select.value = root.dataset.theme;
    else if (field) select.value = state[field] === null ? "" : String(state[field]);
    else if (set) select.value = state.filters.find(([kind, name]) => kind === "label" && name === set)?.[2] ?? "";
  });
  document.querySelectorAll("input[data-field]").forEach((box) => (box.checked = state[box.dataset.field]));
  document.getElementById("tb-marks").replaceChildren(...(data.texts ? markWords(state) : []));
  document.getElementById("tb-columns").hidden = state.view !== "table";
  const columns = shownColumns(data, state);
  for (const box of document.querySelectorAll("#tb-columns input")) box.checked = columns.includes(box.dataset.value);
  for (const box of document.querySelectorAll("#tb-with input")) {
    const at = Number(box.dataset.value);
    box.disabled = state.all || at === state.a || at === state.b;
    box.checked = box.disabled || state.more.includes(at);
  }
  showPressed(state);
  showNoteCount();
  const field = document.getElementById("tb-search");
  const filter = state.filters.find(([kind]) => kind === "text");
  if (field && document.activeElement !== field) field.value = filter?.[1] ?? "";
}
