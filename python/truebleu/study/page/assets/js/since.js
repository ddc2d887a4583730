// What became better and worse since an older report of the same test set.

// How much better a system is in a segment than it was; null where the older report does not tell.
function gainSince(data, metric, segment, system) {
  const before = data.since?.scores.get(metric.key)?.get(data.systems[system])?.[segment];
  if (before === undefined) return null;
  if (before === null) return 0; // the same to six decimals
  const difference = segmentScores(data, metric)[segment * data.systems.length + system] - before;
  return metric.higher_is_better ? difference : -difference;
}

function readSince(since) {
  const inner = (of) => new Map(Object.entries(of));
  return since ? { ...since, scores: new Map(Object.entries(since.scores).map(([key, of]) => [key, inner(of)])), texts: inner(since.texts) } : null;
}

// The output that a system had, if it was another one.
function earlierRow(data, state, segment, system) {
  const text = data.since?.texts.get(data.systems[system])?.[segment];
  if (text === undefined || text === null) return [];
  const metric = data.metrics[state.metric];
  const gain = gainSince(data, metric, segment, system);
  const shown = gain === null ? "" : `${plainName(metric.name)} ${shownDifference(metric.higher_is_better ? gain : -gain, decimalsOf(state, metric))} since`;
  const node = text === "" ? el("em", {}, "empty") : textNode(data, state, text, [], [], data.meta.language);
  return [textRow("earlier", ["before ", el("span", { class: "scores" }, shown)], node)];
}

// The counts of the table become buttons: of segments that are better, or worse, than they were. The system becomes A.
function buildSince(data) {
  for (const cell of document.querySelectorAll("#since td[data-since]")) {
    if (cell.dataset.value === "0") continue;
    const [way, ...places] = cell.dataset.since.split(" ");
    const [metric, a] = places.map(Number);
    becomeButton(cell, ["since", data.metrics[metric].key, way, data.systems[a]], null, { metric, a, sort: way === "worse" ? "lost" : "gained" });
  }
}
