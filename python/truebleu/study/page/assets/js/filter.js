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
    case "noted":
      return parts.length === 0;
    case "errors":
      return data.spans !== null && parts.length === 1 && KINDS.includes(parts[0]);
    case "words":
      return data.texts !== null && parts.length === 1 && FREQUENCIES.some((span) => spanText(span) === parts[0]);
    case "since":
      return ["better", "worse"].includes(parts[1]) && data.since?.scores.get(parts[0])?.has(parts[2]) === true;
    case "differ":
      return data.texts !== null && parts.length === 0;
    case "diff":
      return readRange(parts[0] ?? "") !== null && isMetric(data, parts.slice(1));
    case "score":
      return isSide(parts) && isMetric(data, parts.slice(2));
    case "ratio":
      return isSide(parts) && parts.length === 2 && lengthMetric(data) !== undefined;
    case "check":
      return checksOf(data, parts).length > 0;
    case "only":
      return parts.length === 1 && readNumbers(parts[0]) !== null;
    case "gram":
      return data.texts !== null && parts.length <= 2 && parts[0] !== "" && ["any", "match", "own"].includes(parts[1] ?? "any");
    default:
      return false;
  }
}

function isSide([side, range]) {
  return ["a", "b"].includes(side) && readRange(range ?? "") !== null;
}

// A filter of scores may name its metric; without one, it follows what the reader looks at.
function isMetric(data, keys) {
  return keys.length === 0 || (keys.length === 1 && data.metrics.some(({ key }) => key === keys[0]));
}

function metricOf(data, state, key) {
  return data.metrics.find((metric) => metric.key === key) ?? data.metrics[state.metric];
}

// What the checks found, by a code, a side of the data, and systems; each of the last two may be left out.
function checksOf(data, [code, side, ...systems]) {
  const isOf = (check) => systems.length === 0 || systems.includes(check.system);
  return data.checks.filter((check) => check.code === code && (side === undefined || check.side === side) && isOf(check));
}

function labelCode(data, name, value) {
  const label = data.labels.find((one) => one.name === name);
  const code = label ? label.values.findIndex((one) => String(one) === value) : -1;
  return code < 0 ? null : { label, code };
}

// "10..20", "..20" or "10..": from and to, both included; "10..<20" leaves 20 out.
function readRange(text) {
  const found = /^(-?\d+(?:\.\d+)?)?\.\.(<?)(-?\d+(?:\.\d+)?)?$/.exec(text);
  if (!found || (found[1] === undefined && found[3] === undefined)) return null;
  return [found[1] === undefined ? -Infinity : Number(found[1]), found[3] === undefined ? Infinity : Number(found[3]), found[2] === "<"];
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
  const metric = metricOf(data, state, { diff: parts[1], score: parts[2] }[kind]);
  const gain = (segment) => gainOf(data, metric, segment, state.a, state.b);
  const within = ([low, high, isOpen], value) => low <= value && (isOpen ? value < high : value <= high);
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
    case "noted":
      return (segment) => notes.has(segment);
    case "errors":
      return (segment) => countErrors(data, state, segment, parts[0]) > 0;
    case "words":
      return wordsTest(data, state, parts[0]);
    case "since": {
      const since = data.metrics.find(({ key }) => key === parts[0]);
      const [system, sign] = [data.systems.indexOf(parts[2]), parts[1] === "better" ? 1 : -1];
      return (segment) => gainSince(data, since, segment, system) * sign > 0;
    }
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
    case "ratio": {
      const range = readRange(parts[1]);
      return (segment) => within(range, ratioOf(data, segment, state[parts[0]]));
    }
    case "check": {
      const found = checksOf(data, parts);
      return (segment) => found.some(({ segments }) => segments.has(segment));
    }
    case "only": {
      const spans = readNumbers(parts[0]);
      return (segment) => spans.some((span) => within(span, numberOf(data, segment)));
    }
    default:
      return gramTest(data, state, ...parts);
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

// Segments in which A or B has these tokens in a row; or in which one has more of them than the other, where a
// reference has them ("match") or none does ("own"). These are the segments that the tables of n-grams count.
function gramTest(data, state, gram, kind = "any") {
  const wanted = gram.split(" ");
  const times = (segment, slot) => {
    const tokens = tokensAt(data, segment, slot);
    return tokens.filter((token, at) => wanted.every((one, step) => tokens[at + step]?.key === one)).length;
  };
  return (segment) => {
    const counts = [state.a, state.b].map((system) => times(segment, data.meta.references + system));
    if (kind === "any" || counts[0] === counts[1]) return kind === "any" && counts[0] + counts[1] > 0;
    const limit = Math.max(...presentReferences(data, segment).map((slot) => times(segment, slot)));
    return kind === "own" ? limit === 0 : Math.min(counts[0], limit) !== Math.min(counts[1], limit);
  };
}

function presentReferences(data, segment) {
  const references = referencesOf(data, segment);
  return references.map((text, at) => at).filter((at) => references[at] !== null);
}

// The segments that all filters let through, in ascending order.
function filterSegments(data, state) {
  let found = Array.from({ length: data.n }, (nothing, segment) => segment);
  for (const filter of state.filters) found = found.filter(testOf(data, state, filter));
  return found;
}

function filterWords(data, filter) {
  const [kind, ...parts] = filter;
  const named = (key) => data.metrics.find((metric) => metric.key === key)?.name;
  switch (kind) {
    case "text":
      return `“${parts[0]}” in ${PLACES.get(parts[1] ?? "any")}${parts[2] === "fold" ? ", folded" : ""}`;
    case "label":
      return `${parts[0]}: ${parts[1]}`;
    case "better":
      return "A is better";
    case "worse":
      return "A is worse";
    case "noted":
      return "marked or noted";
    case "errors":
      return parts[0] === "other" ? "has errors" : `has ${parts[0]} errors`;
    case "words":
      return `words that references have ${parts[0].replace("-", "–")} times, more in one system`;
    case "since":
      return `${parts[2]} is ${parts[1]} than before by ${named(parts[0])}`;
    case "differ":
      return "A and B differ";
    case "diff":
      return `${parts[1] ? `${named(parts[1])}, ` : ""}A − B: ${parts[0]}`;
    case "score":
      return `${named(parts[2]) ?? "score"} of ${parts[0].toUpperCase()}: ${parts[1]}`;
    case "ratio":
      return `length ratio of ${parts[0].toUpperCase()}: ${parts[1]}`;
    case "check":
      return `${parts[0]} ${checksOf(data, parts)[0].name}${parts.length > 2 ? `, ${parts.slice(2).join(", ")}` : ""}`;
    case "only":
      return `segments ${parts[0]}`;
    default:
      return `n-gram “${parts[0]}”${parts[1] ? ", more in one system" : ""}`;
  }
}

// Whether two filters are about the same thing, so that in a table the second takes the place of the first. What a check
// or an older report says is about the whole set, so that it takes the place of all others.
function isSameFacet(one, filter) {
  if (["check", "since"].includes(filter[0])) return true;
  if (one[0] !== filter[0]) return false;
  return filter[0] === "label" ? one[1] === filter[1] : filter[0] !== "score" || one[3] === filter[3];
}

// The segments that a table is about: those that all filters let through but the table's own, so that the table stays
// as it is when one of its rows is chosen.
function facetOf(data, state, filter) {
  const others = state.filters.filter((one) => !isSameFacet(one, filter));
  if (state.whole || !others.length) return { others: [], segments: data.every, isWhole: true };
  const segments = others.length === state.filters.length ? live.chosen : filterSegments(data, { ...state, filters: others });
  return { others, segments, isWhole: false };
}

// What a table shows depends on these; while it does not change, the table is not touched.
function facetKey(data, state, { others }) {
  const { a, b, metric, hidden, decimals } = state;
  return writeState(data, { ...firstState(data), a, b, metric, hidden, decimals, filters: others });
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
        const row = shownSystems(data, state).map((system) => scores[segment * width + system]);
        return Math.max(...row) - Math.min(...row);
      };
    case "disagree":
      return disagreement(data, state);
    case "gained":
    case "lost":
      return (segment) => (gainSince(data, metric, segment, state.a) ?? 0) * (state.sort === "lost" ? -1 : 1);
    case "errors":
      return (segment) => countErrors(data, state, segment);
    case "document": {
      const { codes } = documentsOf(data); // in the order in which documents begin
      return (segment) => -codes[segment];
    }
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
