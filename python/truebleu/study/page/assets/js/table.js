// The dense table: one line a segment, with the columns that the reader chooses. A line opens its card below it.

const LONGEST_CELL = 300; // characters of a text in a line; the card has all

// The columns by their names in the address: what each is called, and what it holds for each system or once.
function columnsOf(data) {
  const found = new Map([["score", "scores"], ["difference", "A − B"]]);
  if (data.spans) found.set("errors", "marked errors");
  if (data.since) found.set("since", "change since the older report");
  if (data.texts && data.meta.sources) found.set("source", "source");
  if (data.texts) found.set("reference", "reference").set("output", "outputs");
  for (const { name } of data.labels) found.set(`label ${name}`, name);
  return found.set("checks", "checks").set("note", "mark and note");
}

function shownColumns(data, state) {
  const known = columnsOf(data);
  const usual = ["reference", "output", "score", "difference", ...(data.spans ? ["errors"] : []), ...(data.since ? ["since"] : []), ...(notes.size ? ["note"] : [])];
  const wanted = state.columns ?? usual.filter((one) => one !== "difference" || state.a !== state.b);
  return [...known.keys()].filter((one) => wanted.includes(one));
}

function denseTable(data, state, segments) {
  const columns = shownColumns(data, state);
  const heads = columns.flatMap((column) => headsOf(data, state, column)).map(([words, kind]) => el("th", { scope: "col", class: kind }, el("bdi", {}, plainName(words))));
  const rows = segments.flatMap((segment) => denseRow(data, state, segment, columns, heads.length + 1));
  const table = el("table", { class: "dense" }, el("thead", {}, el("tr", {}, el("th", { scope: "col", class: "num" }, "Segment"), ...heads)), el("tbody", {}, ...rows));
  return frame(scrollBox("Table: segments, one line each", table));
}

function headsOf(data, state, column) {
  const named = (system) => `${lettersOf(state, system)} ${data.systems[system]}`.trim();
  const metric = data.metrics[state.metric].name;
  const number = ["difference", "since"].includes(column) ? "num" : null;
  if (column === "output") return systemsOf(data, state).map((system) => [named(system), null]);
  if (column === "score") return systemsOf(data, state).map((system) => [`${metric}, ${lettersOf(state, system) || data.systems[system]}`, "num"]);
  if (column === "errors") return systemsOf(data, state).map((system) => [`errors, ${lettersOf(state, system) || data.systems[system]}`, null]);
  return [[column === "since" ? "A since then" : columnsOf(data).get(column), number]];
}

function denseRow(data, state, segment, columns, width) {
  const number = shownCount(numberOf(data, segment));
  const isOpen = state.segment === segment;
  const show = () => change({ segment: isOpen ? null : segment, page: live.page }, true);
  const open = el("button", { type: "button", "aria-expanded": String(isOpen), title: "show this segment", onclick: show }, number);
  const row = el("tr", { "data-segment": segment, tabindex: -1, class: isOpen ? "current" : null }, el("th", { scope: "row", class: "num" }, open));
  row.append(...columns.flatMap((column) => denseCells(data, state, segment, column)));
  return isOpen ? [row, el("tr", { class: "opened" }, el("td", { colspan: width }, makeCard(data, { ...state, view: "cards" }, segment)))] : [row];
}

function denseCells(data, state, segment, column) {
  const metric = data.metrics[state.metric];
  const [decimals, systems] = [decimalsOf(state, metric), systemsOf(data, state)];
  switch (column) {
    case "source":
      return [lineCell(sourceOf(data, segment), "")];
    case "reference":
      return [lineCell(referencesOf(data, segment).find((text) => text !== null) ?? "", data.meta.language)];
    case "output":
      return systems.map((system) => lineCell(outputOf(data, segment, system), data.meta.language));
    case "score":
      return systems.map((system) => numberCell(segmentScores(data, metric)[segment * data.systems.length + system], decimals));
    case "difference":
      return [gainCell(data, metric, gainOf(data, metric, segment, state.a, state.b), decimals)];
    case "errors":
      return systems.map((system) => el("td", {}, errorCounts(errorsOf(data, segment, [system])).map(([count, kind]) => `${count}${LETTERS.get(kind)}`).join(" ")));
    case "since":
      return [gainCell(data, metric, gainSince(data, metric, segment, state.a), decimals)];
    case "checks":
      return [el("td", {}, checkFilters(data, segment).map((filter) => filter[1]).join(", "))];
    case "note":
      return [el("td", { class: "line" }, noteWords(segment))];
    default: {
      const { values, codes } = data.labels.find(({ name }) => column === `label ${name}`);
      return [el("td", {}, el("bdi", {}, plainName(values[codes[segment]])))];
    }
  }
}

function gainCell(data, metric, gain, decimals) {
  const value = gain === null ? null : metric.higher_is_better ? gain : -gain;
  const cell = differenceCell(value, decimals);
  cell.classList.toggle("gain", gain > 0);
  cell.classList.toggle("loss", gain < 0);
  return cell;
}

function lineCell(text, language) {
  const shown = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)} …` : text;
  const cell = el("td", { class: "line" });
  cell.append(text === "" ? el("em", {}, "empty") : appendText(el("bdi", { dir: "auto", lang: language || null }), shown));
  return cell;
}

// A click anywhere on a line opens it.
function openRow(event) {
  const row = event.target.closest("tr[data-segment]");
  if (row && String(getSelection()) === "") row.querySelector("button").click();
}
