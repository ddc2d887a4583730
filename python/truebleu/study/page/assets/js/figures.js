// Figures as SVG, drawn as Python draws them (report/page/svg.py). Classes of the style sheet give the colours.

const CHART = { width: 640, height: 320, left: 56, right: 12, top: 12, bottom: 44 };
const ROW = { width: 220, height: 22 };

function svgEl(tag, properties = {}, ...children) {
  const made = document.createElementNS(document.getElementById("chart").content.firstElementChild.namespaceURI, tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function makeScale(low, high, start, end) {
  const at = (value) => Math.round(100 * (start + ((value - low) / (high - low || 1)) * (end - start))) / 100;
  const back = (place) => low + ((place - start) / (end - start)) * (high - low);
  return { low, high, start, end, at, back };
}

// A scale that holds numbers, with a little room at both ends.
function scaleAround(values, start, end) {
  const known = values.filter((value) => Number.isFinite(value));
  const [low, high] = [smallest(known), largest(known)];
  const room = 0.05 * (high - low) || 1;
  return makeScale(low - room, high + room, start, end);
}

// Of many numbers; Math.min takes a few thousand only.
function smallest(values) {
  return values.reduce((least, value) => (value < least ? value : least), Infinity);
}

function largest(values) {
  return values.reduce((most, value) => (value > most ? value : most), -Infinity);
}

function ticksOf({ low, high }, most) {
  const unit = 10 ** Math.floor(Math.log10((high - low || 1) / most));
  const step = unit * [1, 2, 5, 10, 20].find((by) => (high - low) / (unit * by) <= most);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at <= Math.floor(high / step + 1e-9); at += 1) found.push(Number((at * step).toFixed(10)));
  return found;
}

function tickText(value) {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}

// The figures of a column: one axis, and in each row a dot with its interval.

function rowAxis(scale) {
  const marks = ticksOf(scale, 4).flatMap((tick) => {
    const x = scale.at(tick);
    return [svgEl("line", { class: "tick", x1: x, x2: x, y1: 16, y2: 22 }), svgEl("text", { x, y: 12 }, tickText(tick))];
  });
  return svgEl("svg", { ...sizeOf(ROW), class: "axis", "aria-hidden": "true" }, ...marks);
}

function rowDot(scale, value, interval, kind, runs = []) {
  const [x, middle] = [scale.at(value), ROW.height / 2];
  const marks = [];
  if (scale.low <= 0 && scale.high >= 0) marks.push(svgEl("line", { class: "zero", x1: scale.at(0), x2: scale.at(0), y1: 0, y2: ROW.height }));
  for (const run of runs) marks.push(svgEl("circle", { class: "run", cx: scale.at(run), cy: middle, r: 2.5 }));
  if (interval) marks.push(svgEl("line", { class: `span ${kind}`, x1: scale.at(interval[0]), x2: scale.at(interval[1]), y1: middle, y2: middle }));
  if (kind === "gain") marks.push(svgEl("path", { class: kind, d: `M${x} ${middle - 5}l5 5l-5 5l-5 -5z` }));
  else if (kind === "loss") marks.push(svgEl("path", { class: kind, d: `M${x} ${middle - 5}m-4 1h8v8h-8z` }));
  else marks.push(svgEl("circle", { class: "none", cx: x, cy: middle, r: 4 }));
  return svgEl("svg", { ...sizeOf(ROW), class: "dot", "aria-hidden": "true" }, ...marks);
}

function sizeOf({ width, height }) {
  return { viewBox: `0 0 ${width} ${height}`, width, height };
}

// Lines or points with both axes. A line is { points: [[x, y], …], kind }.
function drawChart({ told, lines, xName, yName, zero = false, xLabels = null }) {
  const every = lines.flatMap(({ points }) => points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)));
  const xs = [...(every.length ? every.map(([x]) => x) : [0, 1]), ...(xLabels ?? []).map((label, at) => at)];
  const ys = [...(every.length ? every.map(([, y]) => y) : [0, 1]), ...(zero ? [0] : [])];
  const { width, height, left, right, top, bottom } = CHART;
  const xScale = makeScale(smallest(xs), largest(xs), left, width - right);
  const yScale = makeScale(smallest(ys), largest(ys), height - bottom, top);
  const marks = [...drawAxes(xScale, yScale, xLabels), ...lines.map((line) => drawLine(line, xScale, yScale))];
  if (zero) marks.push(svgEl("line", { class: "zero", x1: left, x2: width - right, y1: yScale.at(0), y2: yScale.at(0) }));
  marks.push(svgEl("text", { class: "name", x: width / 2, y: height - 6 }, xName));
  marks.push(svgEl("text", { class: "name", transform: `translate(14 ${height / 2}) rotate(-90)` }, yName));
  const drawn = svgEl("svg", { ...sizeOf(CHART), class: "chart", role: "img", "aria-label": told }, ...marks);
  return { drawn, xScale, yScale };
}

function drawAxes(xScale, yScale, xLabels) {
  const { width, height, left, right, top, bottom } = CHART;
  const floor = height - bottom;
  const found = [];
  const ticks = xLabels ? xLabels.map((label, at) => [at, label]) : ticksOf(xScale, 6).map((tick) => [tick, tickText(tick)]);
  for (const [tick, label] of ticks) {
    const x = xScale.at(tick);
    found.push(svgEl("line", { class: "grid", x1: x, x2: x, y1: top, y2: floor }), svgEl("text", { x, y: floor + 16 }, label));
  }
  for (const tick of ticksOf(yScale, 5)) {
    const y = yScale.at(tick);
    found.push(svgEl("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }));
    found.push(svgEl("text", { class: "left", x: left - 6, y: y + 4 }, tickText(tick)));
  }
  return found;
}

function drawLine({ points, kind }, xScale, yScale) {
  const places = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)).map(([x, y]) => `${xScale.at(x)} ${yScale.at(y)}`);
  let path = kind === "points" ? places.map((place) => `M${place}h0`).join("") : places.length ? `M${places.join("L")}` : "";
  if (kind.startsWith("band") && places.length) path += "Z";
  if (kind.startsWith("area") && places.length) {
    const [first, last] = [places[0], places.at(-1)].map((place) => place.split(" ")[0]);
    path = `M${first} ${yScale.at(0)}L${places.join("L")}L${last} ${yScale.at(0)}Z`;
  }
  return svgEl("path", { class: kind, d: path });
}

// A copy of a figure that needs no style sheet: each element carries the colours that are seen.
const KEPT_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "text-anchor", "font-size", "font-family"];

function standAlone(drawn) {
  const copy = drawn.cloneNode(true);
  copy.querySelectorAll(".ring, .brush").forEach((one) => one.remove());
  const seen = [...drawn.querySelectorAll("*")].filter((one) => !one.matches(".ring, .brush"));
  const [made, from] = [[copy, ...copy.querySelectorAll("*")], [drawn, ...seen]];
  made.forEach((one, at) => {
    const style = getComputedStyle(from[at]);
    for (const name of KEPT_STYLES) one.setAttribute(name, style.getPropertyValue(name));
    one.removeAttribute("class");
  });
  const back = svgEl("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor });
  copy.prepend(back);
  return new XMLSerializer().serializeToString(copy);
}

function saveText(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say("saved");
}
