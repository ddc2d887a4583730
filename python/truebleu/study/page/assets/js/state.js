// What the reader has chosen. It lives in the address and nowhere else, so that a copied address shows the same page.

const SORTS = new Map([
  ["number", "number"],
  ["gain", "gain of A over B"],
  ["loss", "loss of A to B"],
  ["size", "size of the difference"],
  ["a", "score of A, worst first"],
  ["b", "score of B, worst first"],
  ["spread", "spread over the systems"],
  ["disagree", "disagreement of metrics"],
  ["length", "length of the output of A"],
  ["document", "document"],
  ["gained", "gain of A since the older report"],
  ["lost", "loss of A since the older report"],
  ["errors", "number of marked errors in A and B"],
]);
const MARKS = new Map([
  ["none", "no marks"],
  ["reference", "against the reference"],
  ["pair", "A against B"],
  ["errors", "errors that were marked"],
]);

const THEMES = new Map([
  ["auto", "as on this device"],
  ["light", "light"],
  ["dark", "dark"],
]);
const PLOTS = new Map([
  ["difference", "difference"],
  ["score", "score"],
]);
const VIEWS = new Map([
  ["cards", "cards"],
  ["side", "cards, systems side by side"],
  ["table", "a table, one line each"],
]);
const SIZES = [5, 10, 25, 50];

function firstState(data) {
  const [a, b] = data.meta.pair ? data.meta.pair.map((name) => data.systems.indexOf(name)) : [0, 0];
  return {
    metric: 0, second: null, a, b, hidden: [], against: null, plot: "difference", filters: [], sort: "number", segment: null,
    decimals: null, whole: false, all: false, marks: data.spans ? "errors" : "reference", invisible: false, keys: true, theme: null,
    page: 0, size: null, view: "cards", columns: null, more: [], panel: false,
  };
}

// Percent-encoded so that the signs between parts cannot occur inside one.
function escapePart(text) {
  try {
    return encodeURIComponent(text).replaceAll("~", "%7E");
  } catch {
    return encodeURIComponent(text.toWellFormed()).replaceAll("~", "%7E"); // a lone surrogate
  }
}

function unescapePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function writeState(data, state) {
  const first = firstState(data);
  const parts = [];
  const add = (key, value, differs) => differs && parts.push(`${key}=${value}`);
  add("m", escapePart(data.metrics[state.metric].key), state.metric !== first.metric);
  add("a", escapePart(data.systems[state.a]), state.a !== first.a);
  add("b", escapePart(data.systems[state.b]), state.b !== first.b);
  add("m2", escapePart(data.metrics[state.second]?.key ?? ""), state.second !== null);
  add("hide", state.hidden.map((system) => escapePart(data.systems[system])).join("~"), state.hidden.length > 0);
  add("vs", escapePart(data.systems[state.against] ?? ""), state.against !== null);
  add("plot", state.plot, state.plot !== first.plot);
  add("f", state.filters.map((filter) => filter.map(escapePart).join(":")).join("~"), state.filters.length > 0);
  add("sort", state.sort, state.sort !== first.sort);
  add("marks", state.marks, state.marks !== first.marks);
  add("dec", state.decimals, state.decimals !== null);
  add("set", "whole", state.whole);
  add("systems", "all", state.all);
  add("invisibles", "on", state.invisible);
  add("keys", "off", !state.keys);
  add("theme", state.theme, state.theme !== null);
  add("view", state.view, state.view !== first.view);
  add("columns", (state.columns ?? []).map(escapePart).join("~"), state.columns !== null);
  add("with", state.more.map((system) => escapePart(data.systems[system])).join("~"), state.more.length > 0);
  add("size", state.size, state.size !== null);
  add("page", state.page + 1, state.page > 0 && state.segment === null);
  add("panel", "on", state.panel);
  add("seg", numberOf(data, state.segment), state.segment !== null);
  return parts.join("&");
}

// Reads an address; gives the state and what of the address is not known.
function readState(data, fragment) {
  const state = firstState(data);
  const unknown = [];
  for (const part of fragment.split("&").filter(Boolean)) {
    const at = part.indexOf("=");
    const [key, value] = at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
    if (!readPart(data, state, key, value)) unknown.push(unescapePart(part));
  }
  return { state, unknown };
}

function readPart(data, state, key, value) {
  const name = unescapePart(value);
  const place = (found, field) => found >= 0 && (Object.assign(state, { [field]: found }), true);
  const choose = (known, field, chosen) => known && (Object.assign(state, { [field]: chosen }), true);
  switch (key) {
    case "m":
      return place(data.metrics.findIndex((metric) => metric.key === name), "metric");
    case "a":
    case "b":
      return place(data.systems.indexOf(name), key);
    case "m2":
      return place(data.metrics.findIndex((metric) => metric.key === name), "second");
    case "vs":
      return place(data.systems.indexOf(name), "against");
    case "hide":
    case "with": {
      const found = value.split("~").map((one) => data.systems.indexOf(unescapePart(one))).filter((system) => system >= 0);
      state[key === "hide" ? "hidden" : "more"] = found;
      return found.length === value.split("~").length;
    }
    case "columns":
      state.columns = value.split("~").map(unescapePart).filter((one) => columnsOf(data).has(one));
      return state.columns.length === value.split("~").filter(Boolean).length;
    case "view":
      return choose(VIEWS.has(value), "view", value);
    case "size":
      return choose(SIZES.includes(Number(value)), "size", Number(value));
    case "page":
      return choose(/^[1-9]\d{0,6}$/.test(value), "page", Number(value) - 1);
    case "panel":
      return choose(value === "on", "panel", true);
    case "plot":
      return choose(PLOTS.has(value), "plot", value);
    case "theme":
      return choose(THEMES.has(value), "theme", value);
    case "f":
      state.filters = value.split("~").map((one) => one.split(":").map(unescapePart)).filter((one) => isFilter(data, one));
      return state.filters.length === value.split("~").length;
    case "sort":
      return choose(sortsOf(data).has(value), "sort", value);
    case "marks":
      return choose(marksIn(data).has(value), "marks", value);
    case "dec":
      return choose(/^[0-4]$/.test(value), "decimals", Number(value));
    case "set":
      return choose(value === "whole", "whole", true);
    case "systems":
      return choose(value === "all", "all", true);
    case "invisibles":
      return choose(value === "on", "invisible", true);
    case "keys":
      return choose(value === "off", "keys", false);
    case "seg":
      return place(segmentOf(data, Number(value)), "segment");
    default:
      return false;
  }
}

// By document only where segments have one, and by what changed only where there is an older report.
function sortsOf(data) {
  const lacks = [...(documentsOf(data) === undefined ? ["document"] : []), ...(data.since ? [] : ["gained", "lost"]), ...(data.spans ? [] : ["errors"])];
  return new Map([...SORTS].filter(([key]) => !lacks.includes(key)));
}

// Errors can be shown only where somebody marked them.
function marksIn(data) {
  return new Map([...MARKS].filter(([key]) => key !== "errors" || data.spans));
}

function documentsOf(data) {
  return data.labels.find(({ name }) => name === "document" || name === "docid");
}

function shownSystems(data, state) {
  return data.systems.map((name, at) => at).filter((system) => !state.hidden.includes(system));
}

// Segments are shown by their number in the files, and known by their place.
function numberOf(data, segment) {
  return data.meta.numbers ? data.meta.numbers[segment] : segment + 1;
}

function segmentOf(data, number) {
  if (data.meta.numbers) return data.meta.numbers.indexOf(number);
  return Number.isInteger(number) && number >= 1 && number <= data.n ? number - 1 : -1;
}

// "12-40,77": the numbers of segments as the command takes them.
function writeNumbers(data, segments) {
  const spans = [];
  for (const number of Array.from(segments, (segment) => numberOf(data, segment)).sort((x, y) => x - y)) {
    const last = spans.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
