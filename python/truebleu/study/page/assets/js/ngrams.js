// The n-grams that tell A from B, counted as Python counts them (study/ngrams.py), for any pair and any segments.
// Counting takes a second on large sets, so it is done in slices, and stops when the reader chooses something else.

const SLICE = 20; // milliseconds
const PAUSE = 150; // before the first slice: somebody who types wants no count of each letter
const LISTED_GRAMS = 25;
const LEAST_SEGMENTS = 3;

// N-grams are numbers: each is another n-gram, or nothing, and a token after it.
function newBook() {
  return { tokens: new Map(), words: [], grams: new Map(), before: [0], last: [-1], sizes: [0] };
}

function longerGram(book, before, token) {
  const key = before * 2 ** 22 + token;
  let gram = book.grams.get(key);
  if (gram === undefined) {
    gram = book.before.length;
    book.grams.set(key, gram);
    book.before.push(before);
    book.last.push(token);
    book.sizes.push(book.sizes[before] + 1);
  }
  return gram;
}

function tokensOfGram(book, gram) {
  const found = [];
  for (let at = gram; at > 0; at = book.before[at]) found.unshift(book.words[book.last[at]]);
  return found;
}

function countText(book, data, segment, slot) {
  const numbers = tokensAt(data, segment, slot).map(({ key }) => {
    if (!book.tokens.has(key)) book.tokens.set(key, book.words.push(key) - 1);
    return book.tokens.get(key);
  });
  const counts = new Map();
  for (let at = 0; at < numbers.length; at += 1) {
    let gram = 0;
    for (let next = at; next < at + 4 && next < numbers.length; next += 1) {
      gram = longerGram(book, gram, numbers[next]);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
  }
  return counts;
}

// Of several references, the largest count of each n-gram.
function countReferences(book, data, segment) {
  const most = new Map();
  for (const slot of presentReferences(data, segment)) {
    for (const [gram, count] of countText(book, data, segment, slot)) {
      if (count > (most.get(gram) ?? 0)) most.set(gram, count);
    }
  }
  return most;
}

// `matched` and `unknown` hold how often n-grams count where A and B are equal, and the segments where they differ.
function countSegment(data, counted, segment, a, b) {
  const { book, matched, unknown } = counted;
  const [ours, theirs] = [a, b].map((system) => countText(book, data, segment, data.meta.references + system));
  const limits = countReferences(book, data, segment);
  const tell = (gram, one, other) => {
    const limit = limits.get(gram) ?? 0;
    const tally = limit ? matched : unknown;
    const [x, y] = limit ? [Math.min(one, limit), Math.min(other, limit)] : [one, other];
    if (x === y) tally.same.set(gram, (tally.same.get(gram) ?? 0) + x);
    else if (tally.differ.has(gram)) tally.differ.get(gram).push([segment, x, y]);
    else tally.differ.set(gram, [[segment, x, y]]);
  };
  for (const [gram, count] of ours) tell(gram, count, theirs.get(gram) ?? 0);
  for (const [gram, count] of theirs) if (!ours.has(gram)) tell(gram, 0, count);
}

function listGrams({ book }, tally, sign) {
  const found = [];
  for (const [gram, places] of tally.differ) {
    if (places.length < LEAST_SEGMENTS) continue;
    const wins = places.filter(([, one, other]) => one > other).length;
    const z = (2 * wins - places.length) / Math.sqrt(places.length);
    if (z * sign > 0) found.push({ gram, size: book.sizes[gram], wins, losses: places.length - wins, z, places });
  }
  found.sort((x, y) => Math.abs(y.z) - Math.abs(x.z) || y.places.length - x.places.length || y.size - x.size || compareGrams(book, x.gram, y.gram));
  const listed = [];
  for (const one of found) {
    if (listed.length === LISTED_GRAMS) break;
    one.tokens = tokensOfGram(book, one.gram);
    if (!listed.some((longer) => isWithin(one, longer))) listed.push(one);
  }
  for (const one of listed) {
    const both = tally.same.get(one.gram) ?? 0;
    one.counts = [1, 2].map((side) => one.places.reduce((sum, place) => sum + place[side], both));
  }
  return listed;
}

// As Python orders lists of texts: by code points, which is not how JavaScript orders them.
function compareGrams(book, x, y) {
  const [ours, theirs] = [tokensOfGram(book, x), tokensOfGram(book, y)];
  const at = ours.findIndex((token, place) => token !== theirs[place]);
  const [one, other] = [[...ours[at]], [...theirs[at]]];
  const differs = one.findIndex((letter, place) => letter !== other[place]);
  if (differs < 0) return -1;
  return differs >= other.length ? 1 : one[differs].codePointAt(0) - other[differs].codePointAt(0);
}

// Whether an n-gram is part of a longer one that differs in the same segments in the same way.
function isWithin(one, longer) {
  const room = longer.size - one.size;
  if (room <= 0 || one.places.length !== longer.places.length) return false;
  if (!one.places.every(([segment, x, y], at) => segment === longer.places[at][0] && x > y === longer.places[at][1] > longer.places[at][2])) return false;
  return Array.from({ length: room + 1 }).some((nothing, start) => one.tokens.every((token, at) => token === longer.tokens[start + at]));
}

function wait(time) {
  return new Promise((done) => setTimeout(done, time));
}

// Works through segments, some at a time; gives whether it came to the end.
async function inSlices(segments, work, isWanted, tell = () => {}) {
  for (let at = 0; at < segments.length; ) {
    const end = performance.now() + SLICE;
    for (; at < segments.length && performance.now() < end; at += 1) work(segments[at]);
    tell(at / segments.length);
    await wait(0);
    if (!isWanted()) return false;
  }
  return true;
}

// Gives the four lists, or null if `isWanted` says no before the end; `tell` is told how much is done.
async function compareGramsOf(data, a, b, segments, isWanted, tell) {
  const tally = () => ({ same: new Map(), differ: new Map() });
  const counted = { book: newBook(), matched: tally(), unknown: tally() };
  await wait(PAUSE);
  if (!(await inSlices(segments, (segment) => countSegment(data, counted, segment, a, b), isWanted, tell))) return null;
  const lists = {};
  for (const [name, kind, sign] of [["gains", "matched", 1], ["losses", "matched", -1], ["only-a", "unknown", 1], ["only-b", "unknown", -1]]) {
    lists[name] = listGrams(counted, counted[kind], sign);
    await wait(0);
  }
  return isWanted() ? lists : null;
}

// The section. What Python made is kept, and comes back for the first pair on the whole set.

const grams = { made: new Map(), asked: "", shown: "", last: null };

function startGrams() {
  for (const box of document.querySelectorAll("#ngrams .grams")) grams.made.set(box, [...box.childNodes].slice(2));
  grams.asked = grams.shown = "first";
}

async function showGrams(data, state) {
  const section = document.getElementById("ngrams");
  if (!section || !data.texts) return;
  const { segments, isWhole } = facetOf(data, state, ["gram"]);
  const first = isFirstPair(data, state) && isWhole;
  const asked = first ? "first" : JSON.stringify([state.a, state.b, isWhole ? "all" : segments]);
  if (asked === grams.asked) return;
  grams.asked = asked;
  section.querySelector(".progress")?.remove();
  if (asked === grams.shown) return;
  let found = null;
  if (!first) {
    const progress = el("p", { class: "progress note" }, "Counting n-grams …");
    section.querySelector("h2").after(progress);
    section.setAttribute("aria-busy", "true");
    const tell = (share) => (progress.textContent = `Counting n-grams: ${Math.round(100 * share)} %`);
    found = await compareGramsOf(data, state.a, state.b, segments, () => grams.asked === asked, tell);
    if (found === null) return;
    progress.remove();
  }
  section.removeAttribute("aria-busy");
  Object.assign(grams, { shown: asked, last: found });
  for (const [box, made] of grams.made) {
    const kind = box.id.slice("ngrams-".length, -"-list".length);
    while (box.childNodes.length > 2) box.lastChild.remove();
    box.append(...(first ? made : [gramTable(box, found[kind], kind.startsWith("only") ? "own" : "match")]));
  }
}

function gramTable(box, listed, kind) {
  if (!listed.length) return el("p", {}, "None.");
  const title = box.querySelector("h3");
  const head = (words, number = true) => el("th", { scope: "col", class: number ? "num" : null }, words);
  const rows = listed.map(({ tokens, counts, wins, losses, z }) => {
    const name = el("th", { scope: "row", class: "gram" }, appendText(el("bdi", { dir: "auto", lang: live.data.meta.language || null }), tokens.join(" ")));
    becomeButton(name, ["gram", tokens.join(" "), kind]);
    return el("tr", {}, name, ...[...counts, wins, losses].map((count) => el("td", { class: "num" }, shownCount(count))), differenceCell(z, 1));
  });
  const heads = ["in A", "in B", "more in A", "more in B", "z"].map((words) => head(words));
  return scrollBox(`Table: ${title.textContent}`, el("table", { "aria-labelledby": title.id }, el("thead", {}, el("tr", {}, head("n-gram", false), ...heads)), el("tbody", {}, ...rows)));
}
