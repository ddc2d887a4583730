// Errors that people or programs marked in the texts. A mark has a letter, so that nobody needs its colour.

const LETTERS = new Map([["other", "n"], ["minor", "m"], ["major", "M"], ["critical", "C"]]);
const KINDS = [...LETTERS.keys()]; // from the least
const LONGEST_QUOTE = 80;

// The errors by segment; null where there are none.
function readSpans(packed) {
  if (!packed) return null;
  const found = new Map();
  for (const [segment, system, metric, severity, start, end, inSource, category, rater, confidence = null, quote = ""] of packed.rows) {
    const word = packed.severities[severity];
    const error = { system, word, kind: LETTERS.has(word) ? word : "other", start, end, inSource: inSource === 1, confidence, quote };
    Object.assign(error, { metric: packed.metrics[metric], category: packed.categories[category], rater: packed.raters[rater] });
    if (!found.has(segment)) found.set(segment, []);
    found.get(segment).push(error);
  }
  return found;
}

function errorsOf(data, segment, systems) {
  return (data.spans?.get(segment) ?? []).filter(({ system }) => systems.includes(system));
}

// How many errors A and B have in a segment that are at least so bad.
function countErrors(data, state, segment, least = "other") {
  return errorsOf(data, segment, [state.a, state.b]).filter(({ kind }) => KINDS.indexOf(kind) >= KINDS.indexOf(least)).length;
}

function errorWords({ word, category, confidence, metric, rater }) {
  const what = [word || "error", category, confidence === null ? "" : `${Math.round(100 * confidence)} % sure`];
  return `${what.filter(Boolean).join(", ")} (${[metric, rater].filter(Boolean).map(plainName).join(", ")})`;
}

function quoteOf({ start, end, quote }, text) {
  const shown = plainName(start < 0 ? quote : text.slice(start, Math.min(end, start + LONGEST_QUOTE)));
  return shown && `: “${shown}${end - start > LONGEST_QUOTE ? "…" : ""}”`;
}

// Counts by severity, the worst first.
function errorCounts(errors) {
  const of = (wanted) => errors.filter(({ kind }) => kind === wanted).length;
  return KINDS.toReversed().filter(of).map((kind) => [of(kind), kind]);
}

function errorList(errors, text, source) {
  if (!errors.length) return null;
  const items = errors.map((error) => {
    const quote = quoteOf(error, error.inSource ? source : text);
    const where = error.start >= 0 ? `${quote}${error.inSource ? " in the source" : ""}` : quote ? `${quote}, not found there` : ", without a place";
    return el("li", {}, el("b", { class: `err ${error.kind}` }, LETTERS.get(error.kind)), ` ${errorWords(error)}${where}`);
  });
  const counts = errorCounts(errors).map(([count, kind]) => `${count} ${kind}`).join(", ");
  const words = `${shownCount(errors.length)} error${errors.length === 1 ? "" : "s"}: ${counts}`;
  return el("details", { class: "errors", open: errors.some(({ start }) => start < 0) }, el("summary", {}, words), el("ul", {}, ...items));
}

// Cuts a text at the edges of errors, and calls `fill` for each part with the element that it belongs into.
function eachRun(node, length, errors, whose, fill) {
  const placed = errors.filter(({ start }) => start >= 0);
  const edges = new Set([0, length, ...placed.flatMap(({ start, end }) => [start, end])].filter((edge) => edge <= length));
  [...edges].sort((x, y) => x - y).forEach((to, at, all) => {
    const from = all[at - 1];
    if (at === 0) return;
    const over = placed.filter(({ start, end }) => start <= from && to <= end);
    if (!over.length) return fill(node, from, to);
    const kind = KINDS[Math.max(...over.map((error) => KINDS.indexOf(error.kind)))];
    const letters = over.filter(({ start }) => start === from).map((error) => `${whose(error)}${LETTERS.get(error.kind)}`).join(over.some(whose) ? " " : "");
    const title = over.map((error) => `${whose(error)} ${errorWords(error)}`.trim()).join("; ");
    const mark = el("mark", { class: `err ${kind}`, "data-letters": letters || null, title });
    fill(mark, from, to);
    node.append(mark);
  });
}

// What the marks mean, each word marked as it says.
function errorMarks() {
  const words = { other: "another severity", minor: "minor", major: "major", critical: "critical" };
  return ["Errors that were marked: ", ...KINDS.toReversed().flatMap((kind, at) => [at ? ", " : "", el("mark", { class: `err ${kind}`, "data-letters": LETTERS.get(kind) }, words[kind])]), ". The list under a text has them all, and says what each is."];
}
