// One segment as a card: its texts with marks, the scores of the systems, labels, checks and the reader's note.

const LONGEST_TEXT = 5000;

function makeCard(data, state, segment) {
  const card = document.getElementById("card").content.firstElementChild.cloneNode(true);
  const number = numberOf(data, segment);
  card.dataset.segment = segment;
  card.tabIndex = -1;
  card.setAttribute("aria-label", `Segment ${shownCount(number)}`);
  card.classList.toggle("current", state.segment === segment);
  card.querySelector(".of").append(...cardHead(data, state, segment, number));
  if (data.texts) card.querySelector("dl").append(...cardTexts(data, state, segment));
  if (state.view === "side") sideBySide(card, systemsOf(data, state).length);
  card.append(...noteField(segment));
  return card;
}

// Systems in columns; where they are too many for the window, they scroll inside the card.
function sideBySide(card, count) {
  const texts = card.querySelector("dl");
  texts.classList.add("side");
  texts.style.setProperty("--columns", count);
  texts.tabIndex = 0;
  frame(texts);
}

// A and B, and what the reader wants to see beside them.
function systemsOf(data, state) {
  return [...new Set([state.a, state.b, ...(state.all ? shownSystems(data, state) : state.more)])];
}

function cardHead(data, state, segment, number) {
  const metric = data.metrics[state.metric];
  // With the name of the page: by itself it would look like a link that skips to the content.
  const address = `${location.pathname}#${writeState(data, { ...state, segment })}`;
  const head = [el("a", { href: address, class: "permalink" }, el("strong", {}, `Segment ${shownCount(number)}`))];
  if (state.a !== state.b) {
    const gain = gainOf(data, metric, segment, state.a, state.b);
    const shown = shownDifference(metric.higher_is_better ? gain : -gain, decimalsOf(state, metric));
    head.push(el("span", { class: gain > 0 ? "gain" : gain < 0 ? "loss" : "" }, `A − B = ${shown} ${plainName(metric.name)}`));
  }
  for (const { name, values, codes } of data.labels) {
    const value = String(values[codes[segment]]);
    const title = "show this group alone";
    const show = () => addFilter(["label", name, value]);
    head.push(el("button", { type: "button", class: "label", title, onclick: show }, plainName(`${name}: ${value}`)));
  }
  for (const filter of checkFilters(data, segment)) {
    const show = () => addFilter(filter);
    head.push(el("button", { type: "button", class: "label check", title: "show all that have it", onclick: show }, plainName(filterWords(data, filter))));
  }
  return [...head, markButton(segment)];
}

// A filter for each check that found something in a segment; what is about the references alone names no system.
function checkFilters(data, segment) {
  const found = new Map();
  for (const { code, side, system, segments } of data.checks) {
    if (!segments.has(segment)) continue;
    const filter = side === "hypotheses" ? ["check", code, side, system] : ["check", code, side];
    found.set(filter.join("\0"), filter);
  }
  return [...found.values()];
}

function cardTexts(data, state, segment) {
  const references = referencesOf(data, segment);
  const present = presentReferences(data, segment);
  const tokens = new Map(present.map((at) => [at, tokensAt(data, segment, at)]));
  const chosen = systemsOf(data, state);
  const outputs = new Map(chosen.map((system) => [system, tokensAt(data, segment, references.length + system)]));
  const made = [];
  const source = sourceOf(data, segment);
  const errors = errorsOf(data, segment, chosen);
  const marked = (isWanted) => (state.marks === "errors" ? errors.filter(isWanted) : []);
  const whose = ({ system }) => lettersOf(state, system) || plainName(data.systems[system]);
  if (source !== null) made.push(textRow("source", "Source", textNode(data, state, source, [], [], "", marked(({ inSource }) => inSource), whose)));
  for (const at of present) {
    const marks = ["none", "errors"].includes(state.marks) ? [] : marksOfReference(tokens.get(at), [...outputs.values()]);
    const node = textNode(data, state, references[at], tokens.get(at), marks, data.meta.language);
    made.push(textRow("reference", present.length > 1 ? `Reference ${at + 1}` : "Reference", node));
  }
  const { marks, cut } = marksOf(state, outputs, [...tokens.values()]);
  for (const [system, of] of outputs) {
    const text = outputOf(data, segment, system);
    const node = text === "" ? el("em", {}, "empty") : textNode(data, state, text, of, marks.get(system), data.meta.language, marked((one) => one.system === system && !one.inSource));
    made.push(textRow("system", systemHead(data, state, segment, system), node, errorList(errors.filter((one) => one.system === system), text, source)));
    made.push(...earlierRow(data, state, segment, system));
  }
  if (cut) made.push(textRow("note", "", `More than ${LONGEST_DIFF} tokens: only what A and B begin and end with is compared.`));
  return made;
}

function marksOf(state, outputs, references) {
  const marks = new Map();
  let cut = false;
  const pair = state.marks === "pair" && state.a !== state.b ? commonTokens(outputs.get(state.a), outputs.get(state.b)) : null;
  for (const [system, tokens] of outputs) {
    if (state.marks === "none" || state.marks === "errors") marks.set(system, []);
    else if (pair && system === state.a) marks.set(system, marksOfPair(tokens, pair.inA, references));
    else if (pair && system === state.b) marks.set(system, marksOfPair(tokens, pair.inB, references));
    else marks.set(system, marksAgainstReference(tokens, references));
  }
  if (pair) cut = pair.cut;
  const gram = state.filters.find(([kind]) => kind === "gram");
  if (gram) for (const [system, tokens] of outputs) markGram(tokens, gram[1].split(" "), marks.get(system));
  return { marks, cut };
}

function markGram(tokens, wanted, marks) {
  tokens.forEach((token, at) => {
    if (!wanted.every((one, step) => tokens[at + step]?.key === one)) return;
    wanted.forEach((one, step) => (marks[at + step] = `${marks[at + step] ?? ""} gram`));
  });
}

function lettersOf({ a, b }, system) {
  return [system === a ? "A" : "", system === b && a !== b ? "B" : ""].join("");
}

function systemHead(data, state, segment, system) {
  const letters = lettersOf(state, system);
  const scores = data.metrics.map((metric) => {
    const score = segmentScores(data, metric)[segment * data.systems.length + system];
    return `${plainName(metric.name)}\u00a0${shownNumber(score, decimalsOf(state, metric))}`;
  });
  const name = el("bdi", {}, plainName(data.systems[system]));
  return [letters ? `${letters} ` : "", name, " ", el("span", { class: "scores" }, scores.join(", "))];
}

function textRow(kind, head, ...body) {
  return el("div", { class: kind }, el("dt", {}, ...[head].flat()), el("dd", {}, ...body));
}

function textNode(data, state, text, tokens, marks, language, errors = [], whose = () => "") {
  const node = el("bdi", { dir: "auto", lang: language || null });
  if (tokens.length && tokens[0].start < 0 && !errors.length) {
    tokens.forEach((token, at) => node.append(at ? " " : "", markedPiece(token.key, marks[at], state)));
    return node;
  }
  const shown = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  const fill = (parent, from, to) => {
    let done = from;
    tokens.forEach((token, at) => {
      const [start, end] = [Math.max(token.start, from), Math.min(token.end, to)];
      if (!marks[at] || start < done || start >= end) return;
      appendText(parent, shown.slice(done, start), state.invisible);
      parent.append(markedPiece(shown.slice(start, end), marks[at], state));
      done = end;
    });
    appendText(parent, shown.slice(done, to), state.invisible);
  };
  eachRun(node, shown.length, errors, whose, fill);
  if (shown !== text) node.append(el("span", { class: "box" }, `and ${shownCount(text.length - shown.length)} more characters`));
  return node;
}

function markedPiece(text, mark, state) {
  return appendText(el("span", { class: mark || null }), text, state.invisible);
}

function decimalsOf(state, metric) {
  return state.decimals ?? metric.decimals;
}
