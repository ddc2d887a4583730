// The list of segments. However many there are, at most sixty cards are in the document; space stands for the others.

const MOST_CARDS = 60;
const FEWEST_CARDS = 10;
const MARGIN = 600; // pixels above and below the window in which cards are drawn already
const LONGEST_TEXT = 5000;

const list = { box: null, above: null, below: null, order: [], heights: null, first: 0, last: 0, cards: new Map(), usual: 0 };

function startList(data) {
  list.above = el("div", { class: "space" });
  list.below = el("div", { class: "space" });
  list.heights = new Float64Array(data.n);
  list.box = document.getElementById("cards");
  list.box.classList.add("live");
  list.box.replaceChildren(list.above, list.below);
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      drawVisible();
    });
  };
  window.addEventListener("scroll", later, { passive: true });
  window.addEventListener("resize", () => {
    list.heights.fill(0);
    later();
  });
}

// Where the list is, and the card at the top of the window, if there is one.
function seenOfList() {
  const { top } = list.box.getBoundingClientRect();
  return { top, anchor: top < 0 ? firstVisible() : null };
}

// Shows other segments, or the same ones otherwise. A card that is at the top of the window stays where it is.
function showSegments(order, { top, anchor }) {
  list.order = order;
  list.cards.clear();
  list.heights.fill(0);
  if (list.usual && top > window.innerHeight + MARGIN) {
    drawFar();
    return;
  }
  const at = anchor ? order.indexOf(anchor.segment) : -1;
  if (at < 0) {
    list.first = list.last = 0;
    drawVisible(true);
    return;
  }
  drawRange(Math.max(0, at - 5), Math.min(order.length, at + 25));
  keepAt(anchor);
  drawVisible();
}

// Far below the window a few cards are enough, and nobody has to know their heights yet.
function drawFar() {
  const few = list.order.slice(0, FEWEST_CARDS);
  const cards = new Map(few.map((segment) => [segment, makeCard(live.data, live.state, segment)]));
  Object.assign(list, { first: 0, last: 0, cards }); // as if no card were drawn: cards are measured when they come near
  placeCards();
  list.above.style.height = "0px";
  list.below.style.height = `${heightOf(few.length, list.order.length)}px`;
  afterPaint(() => drawVisible());
}

function heightAt(at) {
  return list.heights[list.order[at]] || list.usual || 240;
}

// What is measured may move what is drawn out of the window, so this looks again until nothing more is to be drawn.
function drawVisible(always = false) {
  for (let tries = 0; tries < 4; tries += 1) {
    const [first, last] = visibleRange();
    if (first >= list.first && last <= list.last && !(always && tries === 0)) return;
    drawRange(first, last);
  }
}

function visibleRange() {
  const top = list.box.getBoundingClientRect().top;
  const [from, to] = [-top - MARGIN, -top + window.innerHeight + MARGIN];
  let [offset, first] = [0, 0];
  while (first < list.order.length - 1 && offset + heightAt(first) < from) {
    offset += heightAt(first);
    first += 1;
  }
  let last = first;
  while (last < list.order.length && last - first < (offset < to ? MOST_CARDS : FEWEST_CARDS)) {
    offset += heightAt(last);
    last += 1;
  }
  return [first, last];
}

function drawRange(first, last) {
  const anchor = firstVisible();
  const kept = new Map();
  for (let at = first; at < last; at += 1) {
    const segment = list.order[at];
    kept.set(segment, list.cards.get(segment) ?? makeCard(live.data, live.state, segment));
  }
  Object.assign(list, { first, last, cards: kept });
  placeCards();
  measure();
  list.above.style.height = `${heightOf(0, first)}px`;
  list.below.style.height = `${heightOf(last, list.order.length)}px`;
  if (anchor) keepAt(anchor);
}

// Cards that stay are not touched: one that leaves the document, even for a moment, loses the focus.
function placeCards() {
  const wanted = new Set(list.cards.values());
  for (const child of [...list.box.children]) {
    if (!wanted.has(child) && child !== list.above && child !== list.below) child.remove();
  }
  let before = list.above;
  for (const card of wanted) {
    if (before.nextSibling !== card) before.after(card);
    before = card;
  }
}

function heightOf(from, to) {
  let height = 0;
  for (let at = from; at < to; at += 1) height += heightAt(at);
  return height;
}

function measure() {
  const tops = [...list.cards.values(), list.below].map((card) => card.getBoundingClientRect().top);
  let [at, sum] = [0, 0];
  for (const segment of list.cards.keys()) {
    list.heights[segment] = tops[at + 1] - tops[at];
    sum += list.heights[segment];
    at += 1;
  }
  list.usual ||= at ? sum / at : 0; // of the first cards; another estimate would move everything below
}

function firstVisible() {
  for (const [segment, card] of list.cards) {
    const { top, bottom } = card.getBoundingClientRect();
    if (bottom > 0 && card.isConnected) return top < window.innerHeight ? { segment, top } : null;
  }
  return null;
}

function keepAt({ segment, top }) {
  const card = list.cards.get(segment);
  if (!card || list.box.getBoundingClientRect().top >= 0) return;
  const moved = card.getBoundingClientRect().top - top;
  if (Math.abs(moved) > 0.5) window.scrollBy({ top: moved, behavior: "instant" });
}

// Brings a segment under the bar at the top, and gives it the focus.
function goTo(segment) {
  const at = list.order.indexOf(segment);
  if (at < 0) return false;
  if (!list.cards.has(segment)) drawRange(Math.max(0, at - 5), Math.min(list.order.length, at + 25));
  for (let tries = 0; tries < 5; tries += 1) {
    const away = list.cards.get(segment).getBoundingClientRect().top - barHeight() - 8;
    if (Math.abs(away) < 1) break;
    window.scrollBy({ top: away, behavior: "instant" });
    drawVisible();
  }
  list.cards.get(segment).focus({ preventScroll: true });
  return true;
}

function barHeight() {
  const bar = document.getElementById("subset");
  return bar && !bar.hidden ? bar.getBoundingClientRect().height : 0;
}

// One card.

function makeCard(data, state, segment) {
  const card = document.getElementById("card").content.firstElementChild.cloneNode(true);
  const number = numberOf(data, segment);
  card.dataset.segment = segment;
  card.tabIndex = -1;
  card.setAttribute("aria-label", `Segment ${shownCount(number)}`);
  card.classList.toggle("current", state.segment === segment);
  card.querySelector(".of").append(...cardHead(data, state, segment, number));
  if (data.texts) card.querySelector("dl").append(...cardTexts(data, state, segment));
  return card;
}

function cardHead(data, state, segment, number) {
  const metric = data.metrics[state.metric];
  const address = `#${writeState(data, { ...state, segment })}`;
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
  return head;
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
  const chosen = [...new Set([state.a, state.b, ...(state.all ? shownSystems(data, state) : [])])];
  const outputs = new Map(chosen.map((system) => [system, tokensAt(data, segment, references.length + system)]));
  const made = [];
  const source = sourceOf(data, segment);
  if (source !== null) made.push(textRow("source", "Source", textNode(data, state, source, [], [], "")));
  for (const at of present) {
    const marks = state.marks === "none" ? [] : marksOfReference(tokens.get(at), [...outputs.values()]);
    const node = textNode(data, state, references[at], tokens.get(at), marks, data.meta.language);
    made.push(textRow("reference", present.length > 1 ? `Reference ${at + 1}` : "Reference", node));
  }
  const { marks, cut } = marksOf(state, outputs, [...tokens.values()]);
  for (const [system, of] of outputs) {
    const text = outputOf(data, segment, system);
    const node = text === "" ? el("em", {}, "empty") : textNode(data, state, text, of, marks.get(system), data.meta.language);
    made.push(textRow("system", systemHead(data, state, segment, system), node));
  }
  if (cut) made.push(textRow("note", "", `More than ${LONGEST_DIFF} tokens: only what A and B begin and end with is compared.`));
  return made;
}

function marksOf(state, outputs, references) {
  const marks = new Map();
  let cut = false;
  const pair = state.marks === "pair" && state.a !== state.b ? commonTokens(outputs.get(state.a), outputs.get(state.b)) : null;
  for (const [system, tokens] of outputs) {
    if (state.marks === "none") marks.set(system, []);
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

function systemHead(data, state, segment, system) {
  const letters = [system === state.a ? "A" : "", system === state.b && state.a !== state.b ? "B" : ""].join("");
  const scores = data.metrics.map((metric) => {
    const score = segmentScores(data, metric)[segment * data.systems.length + system];
    return `${plainName(metric.name)}\u00a0${shownNumber(score, decimalsOf(state, metric))}`;
  });
  const name = el("bdi", {}, plainName(data.systems[system]));
  return [letters ? `${letters} ` : "", name, " ", el("span", { class: "scores" }, scores.join(", "))];
}

function textRow(kind, head, body) {
  return el("div", { class: kind }, el("dt", {}, ...[head].flat()), el("dd", {}, body));
}

function textNode(data, state, text, tokens, marks, language) {
  const node = el("bdi", { dir: "auto", lang: language || null });
  if (tokens.length && tokens[0].start < 0) {
    tokens.forEach((token, at) => node.append(at ? " " : "", markedPiece(token.key, marks[at], state)));
    return node;
  }
  const shown = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text;
  let done = 0;
  for (let at = 0; at < tokens.length && tokens[at].end <= shown.length; at += 1) {
    if (!marks[at]) continue;
    appendText(node, shown.slice(done, tokens[at].start), state.invisible);
    node.append(markedPiece(shown.slice(tokens[at].start, tokens[at].end), marks[at], state));
    done = tokens[at].end;
  }
  appendText(node, shown.slice(done), state.invisible);
  if (shown !== text) node.append(el("span", { class: "box" }, `and ${shownCount(text.length - shown.length)} more characters`));
  return node;
}

function markedPiece(text, mark, state) {
  return appendText(el("span", { class: mark || null }), text, state.invisible);
}

function decimalsOf(state, metric) {
  return state.decimals ?? metric.decimals;
}
