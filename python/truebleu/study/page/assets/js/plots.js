// The figures of single segments, for any pair, metric and subset. Each is told apart by `data-figure`. A point or a
// step opens what it stands for, by the pointer or by arrow keys and Enter; a range that is drawn becomes a filter.

const BARS_IN_ONE = 20;
const MOST_BARS = 2 * BARS_IN_ONE;

const FIGURES = new Map([
  ["difference", differenceFigure],
  ["shares", sharesFigure],
  ["pair", pairFigure],
  ["metrics", metricsFigure],
  ["length", lengthFigure],
  ["ratios", ratiosFigure],
]);

// What is drawn: the segments, the metric, the scores of a segment and the letters of the systems.
function viewOf(data, state, segments) {
  const metric = data.metrics[state.metric];
  const scores = segmentScores(data, metric);
  const of = (system) => (segment) => scores[segment * data.systems.length + system];
  const decimals = decimalsOf(state, metric);
  const sides = state.a === state.b ? [["a", state.a]] : [["a", state.a], ["b", state.b]];
  return { data, state, segments, metric, name: plainName(metric.name), of, decimals, sides };
}

// A range of an axis as a filter. So many decimals as the axis can show.
function rangeFilter(kind, low, high, span, ...rest) {
  const decimals = Math.min(Math.max(Math.ceil(2 - Math.log10(span || 1)), 0), 10);
  return [...kind, `${low.toFixed(decimals)}..${high.toFixed(decimals)}`, ...rest];
}

// A point that stands for a segment. There are thousands of them, and a reader asks for the words of a few.
class SegmentPoint {
  constructor(segment, x, y, tell) {
    Object.assign(this, { segment, x, y, tell });
  }

  get words() {
    return `Segment ${shownCount(numberOf(live.data, this.segment))}${this.tell(this)}`;
  }

  act() {
    change({ segment: this.segment, panel: true }, true);
  }
}

function differenceFigure({ data, state, segments, metric, name, decimals }) {
  const better = metric.higher_is_better;
  const sorted = segments
    .map((segment) => [segment, gainOf(data, metric, segment, state.a, state.b) * (better ? 1 : -1)])
    .sort((x, y) => y[1] - x[1] || x[0] - y[0]);
  const tell = ({ y }) => `: A − B = ${shownDifference(y, decimals)} ${name}`;
  const points = sorted.map(([segment, value], at) => new SegmentPoint(segment, (100 * (at + 0.5)) / sorted.length, value, tell));
  const [good, bad] = better ? ["area up", "area down"] : ["area down", "area up"];
  const part = (choose) => points.map(({ x, y }) => [x, choose(y, 0)]);
  const share = (sign) => fixed((100 * sorted.filter(([, value]) => value * sign * (better ? 1 : -1) > 0).length) / (sorted.length || 1), 0);
  return {
    told: `Segment scores under ${name}: A less B, sorted. A is better on ${share(1)} % of the segments, worse on ${share(-1)} %`,
    lines: [{ points: part(Math.max), kind: good }, { points: part(Math.min), kind: bad }],
    xName: "share of the segments, %", yName: `${name} of A less B`, zero: true, points,
    brush(low, high) {
      const inside = points.filter(({ x }) => low <= x && x <= high).map(({ y }) => y);
      if (!inside.length) return null;
      const [from, to] = [smallest(inside), largest(inside)];
      return rangeFilter(["diff"], from, to, to - from, metric.key);
    },
  };
}

function sharesFigure({ data, state, segments, metric, name, of, decimals, sides }) {
  const letters = new Map(sides.map(([letter, system]) => [system, letter]));
  const systems = [...shownSystems(data, state).filter((system) => !letters.has(system)), ...letters.keys()];
  const points = [];
  const lines = systems.map((system) => {
    const score = of(system);
    const sorted = Float64Array.from(segments, score).sort();
    const share = (at) => (100 * (at + 1)) / sorted.length;
    const place = (at) => [sorted[at], share(at)];
    const letter = letters.get(system);
    if (letter) {
      const tell = ({ x }) => `, ${letter.toUpperCase()}: ${shownNumber(x, decimals)} ${name}`;
      const order = segments.toSorted((x, y) => score(x) - score(y) || x - y);
      order.forEach((segment, at) => points.push(new SegmentPoint(segment, score(segment), share(at), tell)));
    }
    const some = Math.min(sorted.length, 200);
    const kept = new Set(Array.from({ length: some }, (nothing, at) => Math.trunc((at * (sorted.length - 1)) / Math.max(some - 1, 1))));
    return { points: [...kept].map(place), kind: letter ?? "other" };
  });
  return {
    told: `Share of the segments with at most a ${name} score, for each system`,
    lines, xName: `${name} of a segment`, yName: "share of the segments, %", points,
    brush: (low, high, span) => rangeFilter(["score", "a"], low, high, span, metric.key),
  };
}

function pairFigure({ state, segments, metric, name, of, decimals }) {
  const [ours, theirs] = [of(state.a), of(state.b)];
  const tell = ({ x, y }) => `: A ${shownNumber(x, decimals)}, B ${shownNumber(y, decimals)} ${name}`;
  const points = segments.map((segment) => new SegmentPoint(segment, ours(segment), theirs(segment), tell));
  const every = points.flatMap(({ x, y }) => [x, y]);
  const ends = every.length ? [smallest(every), largest(every)] : [0, 1];
  return {
    told: `${name} of each segment: A to the right, B upwards; above the line ${metric.higher_is_better ? "B" : "A"} is better`,
    lines: [{ points: ends.map((end) => [end, end]), kind: "other" }, { points: points.map(({ x, y }) => [x, y]), kind: "points" }],
    xName: `${name} of A`, yName: `${name} of B`, points,
    brush: (low, high, span) => rangeFilter(["score", "a"], low, high, span, metric.key),
  };
}

// The metric that the chosen one is held against: what the reader asked for, or the first other one.
function secondMetric(data, state) {
  if (state.second !== null && state.second !== state.metric) return state.second;
  return state.metric === 0 ? 1 : 0;
}

function metricsFigure({ data, state, segments, metric, name, of }) {
  const second = data.metrics[secondMetric(data, state)];
  const [ours, scores] = [of(state.a), segmentScores(data, second)];
  const other = plainName(second.name);
  const tell = ({ x, y }) => `, A: ${shownNumber(x, decimalsOf(state, metric))} ${name}, ${shownNumber(y, decimalsOf(state, second))} ${other}`;
  const points = segments.map((segment) => new SegmentPoint(segment, ours(segment), scores[segment * data.systems.length + state.a], tell));
  const [pearson, kendall] = agreement(points.map(({ x }) => x), points.map(({ y }) => y)).map((value) => shownNumber(value, 2));
  return {
    told: `${other} against ${name} for each segment of A: Pearson ${pearson}, Kendall (tau-b) ${kendall}`,
    lines: [{ points: points.map(({ x, y }) => [x, y]), kind: "points" }],
    xName: `${name} of A`, yName: `${other} of A`, points,
    brush: (low, high, span) => rangeFilter(["score", "a"], low, high, span, metric.key),
  };
}

// Pearson's r and Kendall's tau-b; null where all values of a list are equal.
function agreement(x, y) {
  const n = x.length;
  const order = x.map((value, at) => at).sort((i, j) => x[i] - x[j] || y[i] - y[j]);
  const [pairs, tiesX, tiesY] = [(n * (n - 1)) / 2, tiesOf(x), tiesOf(y)];
  if (n === 0 || pairs === tiesX || pairs === tiesY) return [null, null];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / n;
  const [meanX, meanY] = [mean(x), mean(y)];
  const products = (p, q, ofP, ofQ) => p.reduce((sum, value, at) => sum + (value - ofP) * (q[at] - ofQ), 0);
  const r = products(x, y, meanX, meanY) / Math.sqrt(products(x, x, meanX, meanX) * products(y, y, meanY, meanY));
  let [both, run] = [0, 0];
  order.forEach((i, at) => {
    const before = order[at - 1];
    run = at > 0 && x[i] === x[before] && y[i] === y[before] ? run + 1 : 0;
    both += run;
  });
  const swaps = inversions(order.map((i) => y[i]))[1];
  return [r, (pairs - tiesX - tiesY + both - 2 * swaps) / Math.sqrt((pairs - tiesX) * (pairs - tiesY))];
}

function tiesOf(values) {
  const counts = new Map();
  let ties = 0;
  for (const value of values) {
    const count = counts.get(value) ?? 0;
    ties += count;
    counts.set(value, count + 1);
  }
  return ties;
}

// The values in order, and how many pairs of them were not.
function inversions(values) {
  if (values.length < 2) return [values, 0];
  const half = values.length >> 1;
  const [left, before] = inversions(values.slice(0, half));
  const [right, after] = inversions(values.slice(half));
  const merged = [];
  let [i, j, found] = [0, 0, before + after];
  while (i < left.length || j < right.length) {
    if (j >= right.length || (i < left.length && left[i] <= right[j])) {
      merged.push(left[i]);
      i += 1;
    } else {
      found += left.length - i;
      merged.push(right[j]);
      j += 1;
    }
  }
  return [merged, found];
}

function lengthFigure({ data, segments, name, of, decimals, sides }) {
  const { values, codes } = data.labels.at(-1);
  const [points, lines, bands] = [[], [], []];
  for (const [letter, system] of sides) {
    const groups = values.map(() => []);
    for (const segment of segments) groups[codes[segment]].push(of(system)(segment));
    const ends = [];
    groups.forEach((group, code) => {
      if (!group.length) return;
      const [low, middle, high] = quartiles(group);
      const x = data.lengths.indexOf(values[code]);
      ends.push([x, low, middle, high]);
      const words = `${values[code]} tokens, ${group.length} segments, ${letter.toUpperCase()}: median ${shownNumber(middle, decimals)} ${name}, half of them from ${shownNumber(low, decimals)} to ${shownNumber(high, decimals)}`;
      points.push({ x, y: middle, words, act: () => setLabel("length", values[code], true) });
    });
    bands.push({ points: [...ends.map(([x, low]) => [x, low]), ...ends.toReversed().map(([x, , , high]) => [x, high])], kind: `band ${letter}` });
    lines.push({ points: ends.map(([x, , middle]) => [x, middle]), kind: letter });
  }
  return {
    told: `${name} of a segment by the length of its reference: the median, and the middle half of the segments`,
    lines: [...bands, ...lines], xName: "tokens of the reference", yName: `${name} of a segment`, xLabels: data.lengths, points,
  };
}

function quartiles(values) {
  const sorted = Float64Array.from(values).sort();
  return [0.25, 0.5, 0.75].map((share) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  });
}

function ratiosFigure({ data, segments, sides }) {
  const points = [];
  const lines = sides.map(([letter, system]) => {
    const known = segments.map((segment) => ratioOf(data, segment, system)).filter((ratio) => !Number.isNaN(ratio));
    const counts = Array.from({ length: MOST_BARS + 1 }, () => 0);
    for (const ratio of known) counts[Math.floor(Math.min(ratio * BARS_IN_ONE, MOST_BARS))] += 1;
    const line = [[0, 0]];
    counts.forEach((count, bar) => {
      const share = (100 * count) / Math.max(known.length, 1);
      const [from, to] = [bar / BARS_IN_ONE, (bar + 1) / BARS_IN_ONE];
      line.push([from, share], [to, share]);
      if (count === 0) return;
      const words = `${letter.toUpperCase()}: ${count} segments with a length ratio ${bar === MOST_BARS ? "of 2 or more" : `from ${from.toFixed(2)} to ${to.toFixed(2)}`}`;
      const range = bar === MOST_BARS ? "2.." : `${from.toFixed(2)}..${to.toFixed(2)}`;
      points.push({ x: (from + to) / 2, y: share, words, act: () => setRange(["ratio", letter, range]) });
    });
    return { points: line, kind: letter };
  });
  const unit = { sys_len: "tokens", hyp_char_1: "characters" }[lengthMetric(data).columns[0]] ?? "words";
  return {
    told: `Length of the outputs over that of their references, in ${unit}; the last step holds all above 2`,
    lines, xName: "length ratio", yName: "share of the segments, %", zero: true, points,
    brush: (low, high, span) => rangeFilter(["ratio", "a"], Math.max(low, 0), high, span),
  };
}

// The figures in the page.

function startPlots() {
  for (const figure of document.querySelectorAll("figure[data-figure]")) {
    const area = el("div", { class: "drawing", tabindex: 0, role: "group" });
    const shown = { at: -1, made: { points: [] }, places: null, start: null };
    figure.querySelector("svg").replaceWith(area);
    const save = el("button", { type: "button", class: "save", onclick: () => saveText(standAlone(area.firstChild), `${figure.dataset.figure}.svg`, "image/svg+xml") }, "save SVG");
    figure.append(el("div", { class: "tools" }, save, el("span", { class: "readout note" })));
    plots.set(figure.dataset.figure, { figure, area, shown });
    area.addEventListener("pointermove", (event) => onPointer(area, shown, event));
    area.addEventListener("pointerleave", () => showPoint(area, shown, -1));
    area.addEventListener("pointerdown", (event) => (shown.start = placeIn(area, event)));
    area.addEventListener("pointerup", (event) => onRelease(area, shown, event));
    area.addEventListener("keydown", (event) => onFigureKey(area, shown, event));
  }
  const section = document.getElementById("distributions");
  const metrics = live.data.metrics.map((metric, at) => [at, metric.name]);
  if (!section || metrics.length < 2) return;
  const first = choiceOf("metric", metrics, (value) => change({ metric: Number(value) }, true), "Metric");
  const second = choiceOf("second", [["", "another metric"], ...metrics], (value) => change({ second: value === "" ? null : Number(value) }), "held against");
  section.querySelector("h2").after(el("div", { class: "controls" }, first, second));
}

const plots = new Map();

// Each figure by itself, so that the page can do something else between them.
function plotParts(data, state, chosen) {
  return [...plots.keys()].map((kind) => () => showPlot(viewOf(data, state, isSubset(state) ? chosen : data.every), kind));
}

function showPlot(view, kind) {
  const { figure, area, shown } = plots.get(kind);
  const made = FIGURES.get(kind)(view);
  const { drawn, xScale, yScale } = drawChart(made);
  Object.assign(shown, { made, drawn, xScale, yScale, places: null, at: -1, byX: null });
  area.replaceChildren(drawn);
  area.setAttribute("aria-label", `${made.told}. Arrow keys go from point to point, Enter opens one.`);
  figure.querySelector("figcaption").textContent = `${made.told}.`;
}

// Where the points are in the figure, once somebody points at it.
function placesOf(shown) {
  const { made, xScale, yScale } = shown;
  shown.places ??= made.points.map(({ x, y }) => [xScale.at(x), yScale.at(y)]);
  return shown.places;
}

function placeIn(area, event) {
  const { left, top, width } = area.firstChild.getBoundingClientRect();
  return [((event.clientX - left) * CHART.width) / width, ((event.clientY - top) * CHART.width) / width];
}

function nearestPoint(shown, [x, y]) {
  let [best, least] = [-1, Infinity];
  placesOf(shown).forEach(([px, py], at) => {
    const away = (px - x) ** 2 + (py - y) ** 2;
    if (away < least) [best, least] = [at, away];
  });
  return best;
}

function showPoint(area, shown, at, aloud = false) {
  shown.at = at;
  const words = shown.made.points[at]?.words ?? "";
  area.closest("figure").querySelector(".readout").textContent = words;
  if (aloud) say(words);
  area.querySelector(".ring")?.remove();
  if (at >= 0) shown.drawn.append(svgEl("circle", { class: "ring", cx: placesOf(shown)[at][0], cy: placesOf(shown)[at][1], r: 6 }));
}

const LEAST_BRUSH = 6; // a shorter stroke is a click

function brushOf(shown, place) {
  if (!shown.start || !shown.made.brush || Math.abs(place[0] - shown.start[0]) < LEAST_BRUSH) return null;
  const { left, right, width } = CHART;
  return [shown.start[0], place[0]].map((x) => Math.min(Math.max(x, left), width - right)).sort((x, y) => x - y);
}

function onPointer(area, shown, event) {
  const place = placeIn(area, event);
  area.querySelector(".brush")?.remove();
  const brush = event.buttons ? brushOf(shown, place) : null;
  if (!brush) return showPoint(area, shown, nearestPoint(shown, place));
  const { top, bottom, height } = CHART;
  shown.drawn.append(svgEl("rect", { class: "brush", x: brush[0], width: brush[1] - brush[0], y: top, height: height - top - bottom }));
}

function onRelease(area, shown, event) {
  const place = placeIn(area, event);
  const brush = brushOf(shown, place);
  shown.start = null;
  area.querySelector(".brush")?.remove();
  if (!brush) return shown.made.points[nearestPoint(shown, place)]?.act();
  const { low, high, back } = shown.xScale;
  const filter = shown.made.brush(back(brush[0]), back(brush[1]), high - low);
  if (filter) setRange(filter);
}

// Left and right go to the next point in the order of the axis.
function onFigureKey(area, shown, event) {
  const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  const { points } = shown.made;
  if (event.key === "Enter" && shown.at >= 0) points[shown.at].act();
  if (!by || !points.length) return;
  event.preventDefault();
  shown.byX ??= points.map((point, at) => at).sort((i, j) => points[i].x - points[j].x || i - j);
  const place = shown.at < 0 ? (by > 0 ? 0 : points.length - 1) : shown.byX.indexOf(shown.at) + by;
  showPoint(area, shown, shown.byX[Math.min(Math.max(place, 0), points.length - 1)], true);
}
