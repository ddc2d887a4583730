// The breakdown for any A and B, on the whole set or on a subset. Scores of the whole set and the test of the first pair
// are Python's; all others are computed from the rows, without a test.

const MOST_GROUPS = 40;
const FEW = 30;
const allGroups = new Set(); // sets of labels of which the reader wants every group

const shownSets = new Map(); // what each set shows, so that one that would not change is not touched
const toFill = new Map(); // tables that are closed, and how each is filled when the reader opens it

function isTested(data, state, { isWhole }) {
  return isWhole && (isFirstPair(data, state) || isFirstPair(data, { a: state.b, b: state.a }));
}

function showTested(data, state) {
  const section = document.getElementById("groups");
  if (!section || !data.meta.pair) return;
  section.querySelector(".stale")?.remove();
  for (const box of section.querySelectorAll(".set")) box.classList.toggle("untested", !isTested(data, state, facetOfSet(data, state, box)));
  if (!isTested(data, state, { isWhole: !isSubset(state) })) section.querySelector("h2").after(staleNote(data, isSubset(state)));
}

function facetOfSet(data, state, box) {
  return facetOf(data, state, ["label", data.labels[Number(box.dataset.set)].name]);
}

function startGroups() {
  const fill = (event) => {
    toFill.get(event.target)?.();
    toFill.delete(event.target);
  };
  for (const one of document.querySelectorAll("#groups details")) one.addEventListener("toggle", fill);
}

function showGroups(data, state) {
  for (const box of document.querySelectorAll("#groups .set")) {
    const facet = facetOfSet(data, state, box);
    const key = `${facetKey(data, state, facet)} ${allGroups.has(Number(box.dataset.set))}`;
    if (shownSets.get(box) !== key) showSet(data, state, box, facet);
    shownSets.set(box, key);
  }
}

function fillTable(box, fill) {
  if (box.open) fill();
  else toFill.set(box, fill);
}

function staleNote(data, subset) {
  const [a, b] = data.meta.pair.map((name) => el("bdi", {}, plainName(name)));
  const rest = "; for other pairs the page has scores and differences alone.";
  return el("p", { class: "stale note" }, ...(subset ? ["No intervals and no p-values: this subset was chosen after looking."] : ["Differences were tested when the page was made for ", a, " and ", b, rest]));
}

function showSet(data, state, box, facet) {
  const { segments, isWhole } = facet;
  const tested = isTested(data, state, facet);
  const at = Number(box.dataset.set);
  const [label, groups] = [data.labels[at], data.groups[at]];
  const members = label.values.map(() => []);
  for (const segment of segments) members[label.codes[segment]].push(segment);
  const places = groups.codes.map((code, place) => place).filter((place) => members[groups.codes[place]].length > 0);
  const view = { data, state, label, groups, members, tested, isWhole, segments };
  const found = data.metrics.map((metric) => places.map((place) => groupRow(view, metric, place)));
  const kept = keptGroups(at, found[0]);
  box.querySelectorAll(".reversal, .most").forEach((one) => one.remove());
  box.querySelector("h3").after(...mostNote(at, places.length, kept.length), ...data.metrics.flatMap((metric, which) => reversalOf(view, metric, found[which])));
  box.querySelectorAll("details.view").forEach((one) => {
    const which = Number(one.dataset.metric);
    fillTable(one, () => showGroupTable(one, view, data.metrics[which], kept.map((place) => found[which][place])));
  });
  const all = box.querySelector("details.all");
  const shown = data.metrics[state.metric];
  all?.querySelector("summary").replaceChildren("All systems, ", el("bdi", {}, plainName(shown.name)), " by ", el("bdi", {}, plainName(label.name)));
  if (all) fillTable(all, () => showAllSystems(all, view, kept.map((place) => found[0][place].place)));
}

// One system in one group under one metric: the score, and half its interval where Python made one.
function groupScore({ data, groups, members, isWhole }, metric, place, system) {
  const made = isWhole ? groups.scores[metric.key][data.systems[system]]?.[place] : null;
  if (made) return made;
  const segments = members[groups.codes[place]];
  return [metric.kind ? systemScore(data, metric, system, segments) : null, null];
}

function groupRow(view, metric, place) {
  const { data, state, groups, label, members, tested } = view;
  const code = groups.codes[place];
  const [ours, theirs] = [state.a, state.b].map((system) => groupScore(view, metric, place, system));
  const delta = ours[0] === null || theirs[0] === null ? null : ours[0] - theirs[0];
  let [interval, p] = tested ? groups.tests[metric.key][place] : [null, null];
  if (interval && !isFirstPair(data, state)) interval = [-interval[1], -interval[0]];
  const sure = p !== null && p <= data.alpha;
  const kind = !sure ? "none" : delta > 0 === metric.higher_is_better ? "gain" : "loss";
  return { place, value: label.values[code], n: members[code].length, ours, theirs, delta, interval, p, kind };
}

function keptGroups(at, rows) {
  const places = rows.map((row, place) => place);
  if (rows.length <= MOST_GROUPS || allGroups.has(at)) return places;
  const size = (place) => Math.abs(rows[place].delta ?? 0);
  return places.toSorted((x, y) => size(y) - size(x) || x - y).slice(0, MOST_GROUPS).sort((x, y) => x - y);
}

function mostNote(at, count, kept) {
  if (count <= MOST_GROUPS) return [];
  const toggle = () => {
    if (!allGroups.delete(at)) allGroups.add(at);
    showGroups(live.data, live.state);
  };
  const words = kept < count ? `The ${kept} groups with the largest differences, of ${shownCount(count)}. ` : `All ${shownCount(count)} groups. `;
  return [el("p", { class: "most" }, words, el("button", { type: "button", onclick: toggle }, kept < count ? "show all" : "show fewer"))];
}

function showGroupTable(box, { state, label }, metric, rows) {
  const decimals = decimalsOf(state, metric);
  const ends = rows.flatMap(({ delta, interval }) => [delta ?? 0, ...(interval ?? [])]);
  const scale = scaleAround([0, ...ends], 8, ROW.width - 8);
  box.querySelector("thead .plot").replaceChildren(rowAxis(scale));
  box.querySelector("tbody").replaceChildren(
    ...rows.map(({ value, n, ours, theirs, delta, interval, p, kind }) => {
      const name = el("th", { scope: "row" }, el("bdi", {}, plainName(value)));
      becomeButton(name, ["label", label.name, String(value)]);
      const few = n < FEW ? el("abbr", { title: "fewer than 30 segments: the interval is not to be trusted" }, "few") : null;
      const scores = [ours, theirs].flatMap(([score, half]) => [numberCell(score, decimals), halfCell(half, decimals)]);
      const plot = delta !== null ? rowDot(scale, delta, interval, kind) : null;
      const size = el("td", { class: "num", "data-value": n }, shownCount(n), few ? " " : "", few);
      return el("tr", {}, name, size, ...scores, differenceCell(delta, decimals, kind !== "none"), intervalCell(interval, decimals), chanceCell(p), el("td", { class: "plot" }, plot));
    }),
  );
}

function showAllSystems(box, view, places) {
  const { data, state, label, groups } = view;
  const metric = data.metrics[state.metric];
  const heads = places.map((place) => el("th", { scope: "col", class: "num" }, el("bdi", {}, plainName(label.values[groups.codes[place]]))));
  box.querySelector("thead").replaceChildren(el("tr", {}, el("th", { scope: "col" }, "System"), ...heads));
  const systems = rankingOf(data, metric).filter((system) => !state.hidden.includes(system));
  box.querySelector("tbody").replaceChildren(
    ...systems.map((system) => {
      const cells = places.map((place) => numberCell(groupScore(view, metric, place, system)[0], decimalsOf(state, metric)));
      return el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, plainName(data.systems[system]))), ...cells);
    }),
  );
}

// Where groups say the opposite of the whole: all of them, or those that the test is sure of. What was not tested is
// named only where every group is against the whole.
function reversalOf({ data, state, isWhole, segments }, metric, rows) {
  const values = isWhole ? metric.scores : scoresOf(data, metric, segments);
  const delta = values[state.a] - values[state.b];
  const against = rows.filter((row) => row.delta * delta < 0);
  const every = against.length > 0 && against.length === rows.length;
  const named = every ? against : against.filter((row) => row.p !== null && row.p <= data.alpha);
  if (!named.length) return [];
  const winner = data.systems[delta > 0 === metric.higher_is_better ? state.a : state.b];
  const lost = named.map((row) => `${row.value} (${shownCount(row.n)} segment${row.n === 1 ? "" : "s"}) by ${fixed(Math.abs(row.delta), 2)}`).join(", ");
  const whole = `${winner} wins the ${isWhole ? "whole set" : "subset"} by ${fixed(Math.abs(delta), 2)} ${metric.name}`;
  const text = `${whole} and ${every ? "loses every group:" : "significantly loses"} ${lost}.`;
  return [el("p", { class: "reversal" }, el("strong", {}, "Reversal:"), ` ${text.slice(0, 600).replace(BOXED, codePoint)}`)];
}
