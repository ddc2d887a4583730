// Segments by their score, and words by how often the references have them, for A and B. A row shows its segments.

const FREQUENCIES = [[1, 1], [2, 2], [3, 3], [4, 4], [5, 9], [10, 99], [100, 999], [1000, Infinity]];
const MOST_STEPS = 10;
const buckets = { asked: null, score: null, words: null };

function spanText([low, high]) {
  return low === high ? `${low}` : high === Infinity ? `${low}-` : `${low}-${high}`;
}

function spanWords([low, high]) {
  return low === high ? `${low}` : high === Infinity ? `${shownCount(low)} or more` : `${low}–${high}`;
}

function buildBuckets(data) {
  const section = document.getElementById("groups");
  if (!section) return;
  const box = (id, title, told) => el("div", { class: "bucket", id }, el("h3", {}, title), el("p", { class: "note" }, told), el("div", {}, el("p", { class: "note" }, "Counting …")));
  buckets.score = box("tb-by-score", "By the score of a segment", "How many segments of each system have such a score. A number shows its segments.");
  section.append(buckets.score);
  if (!data.texts || !data.systems.length) return;
  buckets.words = box("tb-by-words", "By the frequency of words in the references",
    "How well words are found that the references have so often: F1 of precision and recall over all words of a row. A row shows the segments in which one system has more of its words right. This is a guide to reading and no test.");
  section.append(buckets.words);
}

function showBuckets(data, state) {
  if (!buckets.score) return;
  showScoreBuckets(data, state);
  if (buckets.words) showWordBuckets(data, state);
}

// Steps that are easy to read, such that at most ten hold all scores.
function scoreSteps(data, metric) {
  const scores = segmentScores(data, metric);
  const [low, high] = [smallest(scores), largest(scores)].map((end) => Math.round(end * 1e6) / 1e6); // 100.00000000000004 is 100
  const ticks = ticksOf({ low, high }, MOST_STEPS);
  const step = ticks.length > 1 ? Number((ticks[1] - ticks[0]).toPrecision(6)) : 1;
  const first = Math.floor(low / step + 1e-9);
  const count = Math.max(Math.ceil(high / step - 1e-9) - first, 1);
  return Array.from({ length: count }, (nothing, at) => [(first + at) * step, (first + at + 1) * step].map((end) => Number(end.toPrecision(6))));
}

function sidesOf(data, state) {
  return state.a === state.b ? [["a", state.a]] : [["a", state.a], ["b", state.b]];
}

function showScoreBuckets(data, state) {
  const metric = data.metrics[state.metric];
  const facet = facetOf(data, state, ["score", "", "", metric.key]);
  const key = facetKey(data, state, facet);
  if (shownSets.get(buckets.score) === key) return;
  shownSets.set(buckets.score, key);
  const sides = sidesOf(data, state);
  const rows = scoreSteps(data, metric).map(([low, high], at, { length }) => {
    // The last step holds its end, since no other does.
    const range = at === length - 1 ? `${low}..` : `${low}..<${high}`;
    const cells = sides.map(([letter, system]) => {
      const filter = ["score", letter, range, metric.key];
      return countCell(facet.segments.filter(testOf(data, state, filter)).length, facet.segments.length, filter, data.systems[system]);
    });
    return el("tr", {}, el("th", { scope: "row" }, `${tickText(low)} to ${tickText(high)}`), ...cells);
  });
  fillBucket(buckets.score, plainName(metric.name), sides.map(([letter, system]) => `${letter.toUpperCase()}, ${plainName(data.systems[system])}`), rows);
}

function countCell(count, of, filter, name) {
  const cell = el("td", { class: "num", "data-value": count }, shownCount(count));
  if (count) becomeButton(cell, filter, `${plainName(name)}: ${shownCount(count)} segments`);
  cell.append(svgEl("svg", { viewBox: "0 0 100 10", width: 100, height: 10, class: "bar", "aria-hidden": "true" }, svgEl("rect", { width: (100 * count) / Math.max(of, 1), height: 10 })));
  return cell;
}

function fillBucket(box, first, names, rows) {
  const head = (words, kind = "num") => el("th", { scope: "col", class: kind }, words);
  const table = el("table", {}, el("thead", {}, el("tr", {}, head(first, null), ...names.map((words) => head(words)))), el("tbody", {}, ...rows));
  box.lastElementChild.replaceChildren(frame(scrollBox(`Table: ${box.querySelector("h3").textContent}`, table)));
}

// Words.

function wordCounts(data, segment, slot) {
  const counts = new Map();
  for (const { key } of tokensAt(data, segment, slot)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

// Of several references, the largest count of each word.
function referenceWords(data, segment) {
  const most = new Map();
  for (const slot of presentReferences(data, segment)) {
    for (const [word, count] of wordCounts(data, segment, slot)) most.set(word, Math.max(count, most.get(word) ?? 0));
  }
  return most;
}

function addFrequencies(data, found, segment) {
  for (const [word, count] of referenceWords(data, segment)) found.set(word, (found.get(word) ?? 0) + count);
}

function frequenciesOf(data) {
  if (data.frequencies) return data.frequencies;
  const found = new Map();
  for (const segment of data.every) addFrequencies(data, found, segment);
  data.frequencies = found;
  return found;
}

// Segments in which one of two systems matches more words of such a frequency; with one system, those where some are missed.
function wordsTest(data, state, text) {
  const span = FREQUENCIES.find((one) => spanText(one) === text);
  const frequencies = frequenciesOf(data);
  return (segment) => {
    const limits = [...referenceWords(data, segment)].filter(([word]) => isWithinSpan(span, frequencies.get(word)));
    if (!limits.length) return false;
    const matched = sidesOf(data, state).map(([, system]) => {
      const counts = wordCounts(data, segment, data.meta.references + system);
      return limits.reduce((sum, [word, limit]) => sum + Math.min(limit, counts.get(word) ?? 0), 0);
    });
    return matched.length > 1 ? matched[0] !== matched[1] : matched[0] < limits.reduce((sum, [, limit]) => sum + limit, 0);
  };
}

function isWithinSpan([low, high], count) {
  return low <= count && count <= high;
}

async function showWordBuckets(data, state) {
  const facet = facetOf(data, state, ["words"]);
  const asked = facetKey(data, state, facet);
  if (asked === buckets.asked) return;
  buckets.asked = asked;
  const isWanted = () => buckets.asked === asked;
  await wait(PAUSE);
  if (!data.frequencies) {
    const found = new Map();
    if (!(await inSlices(data.every, (segment) => addFrequencies(data, found, segment), isWanted))) return;
    data.frequencies = found;
  }
  const sides = sidesOf(data, state);
  const tallies = FREQUENCIES.map(() => ({ all: 0, matched: sides.map(() => 0), made: sides.map(() => 0) }));
  if (await inSlices(facet.segments, (segment) => tallyWords(data, sides, tallies, segment), isWanted)) fillWords(data, sides, tallies);
}

function tallyWords(data, sides, tallies, segment) {
  const limits = referenceWords(data, segment);
  const tallyOf = (word) => tallies[FREQUENCIES.findIndex((span) => isWithinSpan(span, data.frequencies.get(word) ?? 0))];
  for (const [word, limit] of limits) tallyOf(word).all += limit;
  sides.forEach(([, system], side) => {
    for (const [word, count] of wordCounts(data, segment, data.meta.references + system)) {
      const tally = tallyOf(word);
      if (!tally) continue; // no reference has it
      tally.made[side] += count;
      tally.matched[side] += Math.min(count, limits.get(word) ?? 0);
    }
  });
}

function fillWords(data, sides, tallies) {
  const rows = FREQUENCIES.flatMap((span, at) => {
    const { all, matched, made } = tallies[at];
    if (all === 0) return [];
    const values = sides.map((side, which) => {
      const [precision, recall] = [matched[which] / Math.max(made[which], 1), matched[which] / all];
      return { precision, recall, f: precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0 };
    });
    const name = el("th", { scope: "row" }, spanWords(span));
    becomeButton(name, ["words", spanText(span)]);
    const cells = values.map(({ precision, recall, f }) => {
      const cell = numberCell(100 * f, 1);
      cell.title = `precision ${fixed(100 * precision, 1)}, recall ${fixed(100 * recall, 1)}`;
      return cell;
    });
    if (values.length > 1) cells.push(differenceCell(100 * (values[0].f - values[1].f), 1));
    return [el("tr", {}, name, el("td", { class: "num", "data-value": all }, shownCount(all)), ...cells)];
  });
  const names = sides.map(([letter]) => `${letter.toUpperCase()}, F1`);
  fillBucket(buckets.words, "Times in the references", ["Words", ...names, ...(sides.length > 1 ? ["A − B"] : [])], rows);
  showPressed(live.state);
}
