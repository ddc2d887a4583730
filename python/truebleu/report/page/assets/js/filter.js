// Filters: each is a list of texts, its kind first. A segment is shown if all of them let it through.

const PLACES = new Map([
  ["any", "any text"],
  ["source", "the source"],
  ["reference", "a reference"],
  ["a", "A"],
  ["b", "B"],
]);

function isFilter(data, [kind, ...parts]) {
  switch (kind) {
    case "text":
      return data.texts !== null && parts.length >= 1 && parts[0] !== "" && PLACES.has(parts[1] ?? "any");
    case "label":
      return parts.length === 2 && labelCode(data, parts[0], parts[1]) !== null;
    case "better":
    case "worse":
      return parts.length === 0;
    case "differ":
      return data.texts !== null && parts.length === 0;
    case "diff":
      return parts.length === 1 && readRange(parts[0]) !== null;
    case "score":
      return parts.length === 2 && ["a", "b"].includes(parts[0]) && readRange(parts[1]) !== null;
    case "only":
      return parts.length === 1 && readNumbers(parts[0]) !== null;
    case "gram":
      return data.texts !== null && parts.length === 1 && parts[0] !== "";
    default:
      return false;
  }
}

function labelCode(data, name, value) {
  const label = data.labels.find((one) => one.name === name);
  const code = label ? label.values.findIndex((one) => String(one) === value) : -1;
  return code < 0 ? null : { label, code };
}

// "10..20", "..20" or "10..": from and to, both included.
function readRange(text) {
  const found = /^(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?$/.exec(text);
  if (!found || (found[1] === undefined && found[2] === undefined)) return null;
  return [found[1] === undefined ? -Infinity : Number(found[1]), found[2] === undefined ? Infinity : Number(found[2])];
}

function readNumbers(text) {
  const spans = [];
  for (const part of text.split(",")) {
    const found = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part);
    if (!found) return null;
    spans.push([Number(found[1]), Number(found[2] ?? found[1])]);
  }
  return spans;
}

// Gives a function from a segment to whether it is let through. Throws SyntaxError for a pattern that is not one.
function testOf(data, state, [kind, ...parts]) {
  const metric = data.metrics[state.metric];
  const gain = (segment) => gainOf(data, metric, segment, state.a, state.b);
  const within = ([low, high], value) => low <= value && value <= high;
  switch (kind) {
    case "text":
      return textTest(data, state, ...parts);
    case "label": {
      const { label, code } = labelCode(data, ...parts);
      return (segment) => label.codes[segment] === code;
    }
    case "better":
      return (segment) => gain(segment) > 0;
    case "worse":
      return (segment) => gain(segment) < 0;
    case "differ":
      return (segment) => outputOf(data, segment, state.a) !== outputOf(data, segment, state.b);
    case "diff": {
      const range = readRange(parts[0]);
      return (segment) => within(range, metric.higher_is_better ? gain(segment) : -gain(segment));
    }
    case "score": {
      const [range, scores] = [readRange(parts[1]), segmentScores(data, metric)];
      return (segment) => within(range, scores[segment * data.systems.length + state[parts[0]]]);
    }
    case "only": {
      const spans = readNumbers(parts[0]);
      return (segment) => spans.some((span) => within(span, numberOf(data, segment)));
    }
    default:
      return gramTest(data, state, parts[0]);
  }
}

function textTest(data, state, query, place = "any", folded = "") {
  const fold = folded === "fold" ? foldText : (text) => text;
  const asPattern = /^\/(.+)\/(i?)$/s.exec(query);
  let found;
  if (asPattern) {
    const pattern = new RegExp(fold(asPattern[1]), `u${asPattern[2]}`);
    found = (text) => pattern.test(text);
  } else {
    const wanted = fold(query);
    found = (text) => text.includes(wanted);
  }
  const slots = slotsOf(data);
  const [first, last] = searchedSlots(data, state, place, slots);
  const texts = folded === "fold" ? foldedTexts(data) : data.texts;
  return (segment) => {
    for (let slot = first; slot < last; slot += 1) {
      const text = texts[segment * slots + slot];
      if (text !== null && found(text)) return true;
    }
    return false;
  };
}

function searchedSlots(data, state, place, slots) {
  const [sources, references] = [Number(data.meta.sources), data.meta.references];
  switch (place) {
    case "source":
      return [0, sources];
    case "reference":
      return [sources, sources + references];
    case "a":
    case "b":
      return [sources + references + state[place], sources + references + state[place] + 1];
    default:
      return [0, slots];
  }
}

// Without accents and capital letters.
function foldText(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function foldedTexts(data) {
  data.folded ??= data.texts.map((text) => (text === null ? null : foldText(text)));
  return data.folded;
}

// Segments in which A or B has these tokens in a row.
function gramTest(data, state, gram) {
  const wanted = gram.split(" ");
  return (segment) =>
    [state.a, state.b].some((system) => {
      const keys = tokensAt(data, segment, data.meta.references + system).map((token) => token.key);
      return keys.some((key, at) => wanted.every((one, step) => keys[at + step] === one));
    });
}

// The segments that all filters let through, in ascending order.
function filterSegments(data, state) {
  let found = Array.from({ length: data.n }, (nothing, segment) => segment);
  for (const filter of state.filters) found = found.filter(testOf(data, state, filter));
  return found;
}

function filterWords(filter) {
  const [kind, ...parts] = filter;
  switch (kind) {
    case "text":
      return `“${parts[0]}” in ${PLACES.get(parts[1] ?? "any")}${parts[2] === "fold" ? ", folded" : ""}`;
    case "label":
      return `${parts[0]}: ${parts[1]}`;
    case "better":
      return "A is better";
    case "worse":
      return "A is worse";
    case "differ":
      return "A and B differ";
    case "diff":
      return `A − B: ${parts[0]}`;
    case "score":
      return `score of ${parts[0].toUpperCase()}: ${parts[1]}`;
    case "only":
      return `segments ${parts[0]}`;
    default:
      return `n-gram “${parts[0]}”`;
  }
}

// The shown segments in the order that was asked for; equal ones are in their own order.
function sortSegments(data, state, segments) {
  if (state.sort === "number") return segments;
  const keys = new Float64Array(data.n);
  const key = sortKey(data, state);
  for (const segment of segments) keys[segment] = key(segment);
  return segments.toSorted((x, y) => keys[y] - keys[x] || x - y);
}

// The largest comes first.
function sortKey(data, state) {
  const metric = data.metrics[state.metric];
  const width = data.systems.length;
  const scores = segmentScores(data, metric);
  const gain = (segment) => gainOf(data, metric, segment, state.a, state.b);
  const badness = (system) => (segment) => scores[segment * width + system] * (metric.higher_is_better ? -1 : 1);
  switch (state.sort) {
    case "gain":
      return gain;
    case "loss":
      return (segment) => -gain(segment);
    case "size":
      return (segment) => Math.abs(gain(segment));
    case "a":
    case "b":
      return badness(state[state.sort]);
    case "spread":
      return (segment) => {
        const row = scores.subarray(segment * width, (segment + 1) * width);
        return Math.max(...row) - Math.min(...row);
      };
    case "disagree":
      return disagreement(data, state);
    default:
      return (segment) => (data.texts ? outputOf(data, segment, state.a).length : 0);
  }
}

// How far metrics are apart where one sees a gain and another a loss, each in units of its usual gain.
function disagreement(data, state) {
  const usual = data.metrics.map((metric) => {
    let sum = 0;
    for (let segment = 0; segment < data.n; segment += 1) sum += Math.abs(gainOf(data, metric, segment, state.a, state.b));
    return sum / data.n || 1;
  });
  return (segment) => {
    const gains = data.metrics.map((metric, at) => gainOf(data, metric, segment, state.a, state.b) / usual[at]);
    const [low, high] = [Math.min(...gains), Math.max(...gains)];
    return low < 0 && high > 0 ? high - low : 0;
  };
}
