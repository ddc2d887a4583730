// What follows the state: the bar of the subset, the ranking, A against B, and the controls of the list.

function isSubset(state) {
  return state.filters.length > 0 && !state.whole;
}

function showBar(data, state, chosen) {
  const bar = document.getElementById("subset");
  bar.hidden = state.filters.length === 0;
  document.documentElement.dataset.subset = isSubset(state) ? "on" : "off";
  const chips = state.filters.map((filter, at) =>
    el("button", { type: "button", class: "chip", title: "remove this filter", onclick: () => removeFilter(at) }, plainName(filterWords(filter)), " ×"),
  );
  const pick = (whole, words) =>
    el("button", { type: "button", "aria-pressed": String(state.whole === whole), onclick: () => change({ whole }) }, words);
  const copy = el("button", { type: "button" }, "copy as --only");
  copy.addEventListener("click", () => copyText(`--only ${writeNumbers(data, chosen)}`, copy));
  const csv = el("button", { type: "button" }, "copy scores as CSV");
  csv.addEventListener("click", () => copyText(subsetCsv(data, chosen), csv));
  bar.replaceChildren(
    el("strong", { id: "tb-count" }, `${shownCount(chosen.length)} of ${shownCount(data.n)} segments`),
    ...chips,
    el("button", { type: "button", id: "tb-clear", onclick: () => change({ filters: [], whole: false }) }, "clear"),
    el("span", { role: "group", "aria-label": "Scores of" }, pick(false, "subset"), pick(true, "whole set")),
    copy,
    csv,
  );
}

// The systems as the page ranks them: by the metric, and equal ones by the first metric.
function rankingOf(data, metric) {
  const by = (one) => (x, y) => (one.scores[y] - one.scores[x]) * (one.higher_is_better ? 1 : -1);
  return data.systems.map((name, at) => at).sort(by(data.metrics[0])).sort(by(metric));
}

function setHeading(id, subset) {
  const heading = document.querySelector(`#${id} h2`);
  heading?.querySelector(".badge")?.remove();
  if (subset) heading?.append(el("span", { class: "badge" }, " subset"));
}

function showRanking(data, state, scores) {
  const subset = isSubset(state);
  setHeading("leaderboard", subset);
  const order = rankingOf(data, data.metrics[0]);
  document.querySelectorAll("#leaderboard tbody tr").forEach((row, at) => {
    const cells = row.querySelectorAll("td[data-value]:not(.half)");
    data.metrics.forEach((metric, which) => {
      const value = subset ? scores[which][order[at]] : metric.scores[order[at]];
      cells[which].textContent = shownNumber(value, decimalsOf(state, metric));
    });
    row.classList.toggle("is-a", order[at] === state.a);
    row.classList.toggle("is-b", order[at] === state.b);
  });
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
  setHeading("ab", subset);
  section.querySelectorAll("select").forEach((select) => (select.value = String(state[select.dataset.field])));
  const segments = subset ? chosen : Array.from({ length: data.n }, (nothing, segment) => segment);
  section.querySelectorAll("tbody tr").forEach((row, at) => {
    const metric = data.metrics[at];
    const values = subset ? scores[at] : metric.scores;
    const texts = pairTexts(data, state, metric, values, segments, subset);
    row.querySelectorAll("td").forEach((cell, which) => (cell.textContent = texts[which]));
  });
  const isFirst = data.meta.pair?.[0] === data.systems[state.a] && data.meta.pair?.[1] === data.systems[state.b];
  const figure = section.querySelector("figure");
  if (figure) figure.hidden = subset || !isFirst;
  for (const id of ["groups", "ngrams", "distributions"]) showStaleness(data, id, subset || !isFirst);
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
    shownNumber(p, 4),
    ...signs.map(shownCount),
  ];
}

// Sections that were made in advance say so when the reader looks at something else.
function showStaleness(data, id, stale) {
  const section = document.getElementById(id);
  section?.querySelector(".stale")?.remove();
  if (!section || !stale || !data.meta.pair) return;
  const [a, b] = data.meta.pair;
  section.querySelector("h2").after(el("p", { class: "stale note" }, "This section shows the whole set, with ", el("bdi", {}, plainName(a)), " as A and ", el("bdi", {}, plainName(b)), " as B."));
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
  section.querySelector(".controls + p")?.remove();
  const order = rankingOf(data, data.metrics[0]);
  document.querySelectorAll("#leaderboard tbody tr").forEach((row, at) => {
    [...row.children].forEach((cell, which) => cell.classList.toggle("whole-only", which === 0 || which > 1 + wholeColumns(data, row)));
    row.addEventListener("click", (event) => change({ [event.shiftKey ? "b" : "a"]: order[at] }, true));
  });
  document.querySelectorAll("#pairs .matrix").forEach((table, at) => buildMatrix(data, table, at));
}

function wholeColumns(data, row) {
  return data.metrics.length * (row.querySelector(".half") ? 2 : 1);
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

// Groups and n-grams become buttons that show their segments.
function buildLinks(data) {
  for (const heading of document.querySelectorAll("#groups th[scope=row]")) {
    const text = heading.textContent;
    const label = data.labels.find(({ name }) => labelCode(data, name, text) && tableSet(heading) === name);
    if (label) becomeButton(heading, ["label", label.name, text]);
  }
  if (data.texts) document.querySelectorAll("#ngrams th.gram").forEach((one) => becomeButton(one, ["gram", one.textContent]));
}

// The name of the set of labels whose table this is: sets are in the order of their headings.
function tableSet(cell) {
  const before = [...document.querySelectorAll("#groups h3")].filter(
    (one) => one.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return live.data.labels[before.length - 1]?.name;
}

function becomeButton(heading, filter) {
  const button = el("button", { type: "button", title: "show these segments", onclick: () => addFilter(filter) });
  button.append(...heading.childNodes);
  heading.append(button);
}

function buildControls(data) {
  const message = el("p", { id: "tb-message", role: "alert" });
  const rows = [el("div", {}, ...groupControls(data)), el("div", {}, ...listControls(data))];
  if (data.texts) rows.unshift(el("div", {}, ...searchControls()));
  const form = el("form", { class: "controls", id: "tb-controls", onsubmit: (event) => event.preventDefault() }, ...rows, message);
  document.getElementById("cards").before(form, el("p", { id: "tb-said", class: "note", role: "status" }));
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
  const ask = (words, filter) => el("button", { type: "button", onclick: () => addFilter(filter) }, words);
  if (data.systems.length > 1) made.push(ask("A is better", ["better"]), ask("A is worse", ["worse"]));
  if (data.texts && data.systems.length > 1) made.push(ask("A and B differ", ["differ"]));
  return [...made, valueControl()];
}

// A field for ranges and numbers: what is typed becomes a filter with Enter.
function valueControl() {
  const kind = el("select", { id: "tb-kind", "aria-label": "Kind of filter" });
  for (const [value, words] of [["only", "segments (12-40,77)"], ["diff", "A − B (1..20)"], ["score:a", "score of A (..50)"], ["score:b", "score of B (..50)"], ["gram", "n-gram (tokens)"]]) {
    kind.append(el("option", { value }, words));
  }
  const field = el("input", { type: "text", id: "tb-value", "aria-label": "Value of the filter", size: 10 });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || field.value === "") return;
    if (addFilter([...kind.value.split(":"), field.value])) field.value = "";
  });
  return el("span", {}, kind, field);
}

function listControls(data) {
  const decimals = [["", "as printed"], ...[0, 1, 2, 3, 4].map((n) => [n, String(n)])];
  const made = [choiceOf("sort", SORTS, (sort) => change({ sort }), "Sort by")];
  if (data.texts) made.push(choiceOf("marks", MARKS, (marks) => change({ marks }), "Marks"));
  made.push(choiceOf("decimals", decimals, (value) => change({ decimals: value === "" ? null : Number(value) }), "Decimals"));
  if (data.texts) made.push(switchOf("all", "all systems"), switchOf("invisible", "show invisibles"));
  return [...made, switchOf("keys", "single keys")];
}

function showControls(data, state) {
  const form = document.getElementById("tb-controls");
  form.querySelectorAll("select[data-field]").forEach((select) => {
    const { field, set } = select.dataset;
    if (field) select.value = state[field] === null ? "" : String(state[field]);
    else select.value = state.filters.find(([kind, name]) => kind === "label" && name === set)?.[2] ?? "";
  });
  form.querySelectorAll("input[data-field]").forEach((box) => (box.checked = state[box.dataset.field]));
  const field = document.getElementById("tb-search");
  const filter = state.filters.find(([kind]) => kind === "text");
  if (field && document.activeElement !== field) field.value = filter?.[1] ?? "";
}
