// The ranking: by any metric, of the systems that are shown, on the whole set or on a subset.

// The systems by their scores; equal ones by the first metric on the whole set. Without scores, as on the whole set.
function rankingOf(data, metric, scores = metric.scores) {
  const by = (values, better) => (x, y) => (values[y] - values[x]) * (better ? 1 : -1);
  const known = scores.every((score) => score !== null) ? scores : metric.scores;
  const [first] = data.metrics;
  return data.systems.map((name, at) => at).sort(by(first.scores, first.higher_is_better)).sort(by(known, metric.higher_is_better));
}

// What the test says of a system under a metric: interval, range of ranks, runs.
function reportOf(data, metric, system) {
  const report = data.comparison?.metrics.find(({ key }) => key === metric.key);
  return report?.systems.find(({ name }) => name === data.systems[system]) ?? null;
}

function clusterOf(data, metric, system) {
  const report = data.comparison?.metrics.find(({ key }) => key === metric.key);
  return report?.clusters?.findIndex((cluster) => cluster.includes(data.systems[system])) ?? -1;
}

function buildRanking(data) {
  const section = document.getElementById("leaderboard");
  const systems = data.systems.map((name, at) => [at, name]);
  const metrics = data.metrics.map((metric, at) => [at, metric.name]);
  const controls = [choiceOf("metric", metrics, (value) => change({ metric: Number(value) }, true), "Ranked by")];
  if (systems.length > 1) {
    controls.push(choiceOf("plot", PLOTS, (plot) => change({ plot }), "Plot of the"));
    const best = data.baseline === null ? "the best" : data.systems[data.baseline];
    controls.push(choiceOf("against", [["", best], ...systems.filter(([at]) => at !== data.baseline)], (value) => change({ against: value === "" ? null : Number(value) }), "Difference to"));
  }
  const boxes = systems.map(([at, name]) => {
    const box = el("input", { type: "checkbox", "data-system": at, onchange: () => hideSystem(at, !box.checked) });
    return el("label", {}, box, " ", el("bdi", {}, plainName(name)));
  });
  const all = el("button", { type: "button", id: "tb-show-all", onclick: () => change({ hidden: [] }) }, "show all");
  const shown = el("fieldset", { id: "tb-shown" }, el("legend", {}, "Systems that are shown"), ...boxes, all);
  // Who is best comes first, and then how to look at it.
  section.append(el("div", { class: "controls" }, ...controls, systems.length > 1 ? shown : null));
  section.querySelector("table").addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) change({ [event.shiftKey ? "b" : "a"]: Number(row.dataset.at) }, true);
  });
}

function hideSystem(system, isHidden) {
  const others = live.state.hidden.filter((one) => one !== system);
  change({ hidden: isHidden ? [...others, system].sort((x, y) => x - y) : others });
}

function showRanking(data, state, scores) {
  const subset = isSubset(state);
  const metric = data.metrics[state.metric];
  const values = (which) => (subset ? scores[which] : data.metrics[which].scores);
  const ranking = rankingOf(data, metric, values(state.metric));
  const against = state.against ?? data.baseline ?? ranking.find((system) => !state.hidden.includes(system)) ?? ranking[0];
  const view = { data, state, subset, metric, values, ranking, order: ranking.filter((system) => !state.hidden.includes(system)), against, tested: data.comparison !== null && !subset };
  view.pairs = new Map(view.order.map((system) => [system, plottedOf(view, system)]));
  const ends = [...view.pairs.values()].flatMap((one) => (one ? [one.value, ...(one.interval ?? []), ...one.runs] : []));
  view.scale = scaleAround(state.plot === "score" && ends.length ? ends : [0, ...ends], 8, ROW.width - 8);
  const table = document.querySelector("#leaderboard table");
  table.replaceChildren(el("thead", {}, rankingHead(view)), el("tbody", {}, ...view.order.map((system, at) => rankingRow(view, system, at))));
  document.getElementById("board-note").replaceChildren(...rankingNote(view));
  for (const box of document.querySelectorAll("#tb-shown input")) box.checked = !state.hidden.includes(Number(box.dataset.system));
}

// What the last columns show of a system: its score, or its difference to another; null for that other.
function plottedOf({ data, state, subset, metric, values, against }, system) {
  const [score, base] = [system, against].map((one) => values(state.metric)[one]);
  const report = subset ? null : reportOf(data, metric, system);
  const runs = subset ? [] : (metric.run_scores?.[system] ?? report?.run_scores ?? []);
  const several = runs.length > 1 ? runs : [];
  if (state.plot === "score") {
    const interval = report && report.half_width !== null ? [report.mean - report.half_width, report.mean + report.half_width] : null;
    return { value: score, interval, runs: several, kind: "none", significant: false };
  }
  if (system === against) return null;
  const tested = subset ? null : testedPair(data, metric.key, system, against);
  const value = tested ? tested.delta : score === null || base === null ? null : score - base;
  const kind = !tested?.winner ? "none" : tested.winner === data.systems[system] ? "gain" : "loss";
  return { value, interval: tested?.interval ?? null, runs: several.map((run) => run - base), kind, significant: tested?.significant };
}

function rankingHead({ data, state, subset, tested, scale }) {
  const head = (words, properties) => el("th", { scope: "col", class: "num", ...properties }, words);
  const metrics = data.metrics.map((metric, at) => {
    const rank = () => change({ metric: at }, true);
    const button = el("button", { type: "button", title: "rank by this metric", onclick: rank }, el("bdi", {}, plainName(metric.name)), metric.higher_is_better ? "" : " ↓");
    const sorted = at === state.metric ? (metric.higher_is_better ? "descending" : "ascending") : null;
    return head(button, { colspan: tested ? 2 : null, "aria-sort": sorted });
  });
  const cells = [...(subset ? [] : [head("Rank")]), el("th", { scope: "col" }, "System"), ...metrics];
  if (data.systems.length > 1) {
    if (state.plot === "difference") cells.push(head("Difference"));
    if (tested) cells.push(head("95 % interval"));
    if (!subset) cells.push(el("td", { class: "plot" }, rowAxis(scale)));
  }
  return el("tr", {}, ...cells);
}

function rankingRow(view, system, at) {
  const { data, state, subset, metric, values, ranking, order, tested } = view;
  const next = order[at + 1];
  const ends = !subset && next !== undefined && clusterOf(data, metric, system) !== clusterOf(data, metric, next);
  const classes = [ends ? "end" : "", system === state.a ? "is-a" : "", system === state.b && state.a !== state.b ? "is-b" : ""].filter(Boolean).join(" ");
  const place = ranking.indexOf(system) + 1;
  const [low, high] = reportOf(data, metric, system)?.rank_range ?? [place, place];
  const name = plainName(data.systems[system]);
  const rank = el("td", { class: "num" }, low === high ? `${low}` : `${low}–${high}`);
  const cells = [...(subset ? [] : [rank]), el("th", { scope: "row", title: name }, el("bdi", { class: name.length > 30 ? "long" : null }, name))];
  data.metrics.forEach((one, which) => {
    const decimals = decimalsOf(state, one);
    cells.push(numberCell(values(which)[system], decimals));
    if (tested) cells.push(halfCell(reportOf(data, one, system)?.half_width ?? null, decimals));
  });
  return el("tr", { class: classes || null, "data-system": name, "data-at": system }, ...cells, ...plottedCells(view, system));
}

function plottedCells({ data, state, subset, metric, tested, pairs, scale }, system) {
  const [one, decimals] = [pairs.get(system), decimalsOf(state, metric)];
  if (data.systems.length < 2) return [];
  if (!one && subset) return [el("td", { class: "num" }, "–")];
  if (!one) return [el("td", { class: "num base", colspan: tested ? 3 : 2 }, "the others are compared with this system")];
  const cells = state.plot === "difference" ? [differenceCell(one.value, decimals, one.significant)] : [];
  if (tested) cells.push(intervalCell(one.interval, decimals, state.plot === "score" ? shownNumber : shownDifference));
  return subset ? cells : [...cells, el("td", { class: "plot" }, rowDot(scale, one.value, one.interval, one.kind, one.runs))];
}

function rankingNote({ data, state, subset, metric, ranking, order, against, tested }) {
  const named = (name) => el("bdi", {}, plainName(name));
  const note = [`Scores of the ${subset ? "subset" : "whole set"}, ranked by `, named(metric.name), metric.higher_is_better ? "." : " (lower is better)."];
  if (data.systems.length > 1 && state.plot === "difference") note.push(subset ? " The last column shows the difference to " : " The last columns show the difference to ", named(data.systems[against]), tested ? "; a star marks a significant one." : ".");
  if (data.systems.length > 1 && state.plot === "score" && !subset) note.push(" The last column shows the score by itself.");
  if (!subset && clusterOf(data, metric, ranking.at(-1)) > 0) note.push(" A thick line ends a cluster: every system above it beats every system below.");
  if (subset) note.push(" A subset that was chosen after looking has no intervals, no ranks and no stars.");
  const hidden = data.systems.length - order.length;
  if (hidden) note.push(el("strong", {}, ` ${hidden} ${hidden === 1 ? "system is" : "systems are"} hidden.`));
  return note;
}

// Systems that are hidden leave the matrices and the lists of pairs too.
function showMatrices(data, state) {
  document.querySelectorAll("#pairs .view").forEach((view) => {
    const order = rankingOf(data, data.metrics[Number(view.dataset.metric)]);
    const isHidden = (at) => state.hidden.includes(order[at]);
    view.querySelectorAll(".matrix tr").forEach((row, at) => {
      row.hidden = at > 0 && isHidden(at - 1);
      [...row.children].slice(1).forEach((cell, which) => (cell.hidden = isHidden(which)));
    });
    const rows = [...view.querySelectorAll(".listed tbody tr")].sort((x, y) => x.dataset.at - y.dataset.at);
    order.forEach((one, at) => order.slice(at + 1).forEach((other, after) => (rows.shift().hidden = isHidden(at) || isHidden(at + 1 + after))));
  });
}
