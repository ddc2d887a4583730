// The blocks of the page, unpacked. Texts, tokens and rows are as Python counted them; nothing is counted here.

async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

async function unpackJson(id) {
  return JSON.parse(new TextDecoder().decode(await unpack(id)));
}

async function loadData() {
  const meta = JSON.parse(document.getElementById("tb-meta").textContent);
  const [rows, labels, numbers, spans, texts] = await Promise.all([
    Promise.all(meta.metrics.map((metric, at) => unpack(`tb-rows-${at}`))),
    Promise.all(meta.labels.map((label, at) => unpack(`tb-labels-${at}`))),
    unpackJson("tb-numbers"),
    meta.spans ? unpackJson("tb-spans") : null,
    meta.texts ? Promise.all([unpackJson("tb-texts"), unpack("tb-cuts"), unpackJson("tb-tokens")]) : null,
  ]);
  const shape = { n: meta.n, systems: meta.systems.length * meta.runs };
  const data = {
    meta,
    n: meta.n,
    every: Array.from({ length: meta.n }, (nothing, segment) => segment),
    systems: meta.systems,
    comparison: numbers.comparison,
    metrics: meta.metrics.map((metric, at) => ({ ...metric, cells: readRows(rows[at], metric.layout, shape) })),
    labels: meta.labels.map((label, at) => ({ ...label, codes: new Uint32Array(labels[at]) })),
    groups: numbers.groups,
    lengths: numbers.lengths.known, // all groups of lengths, from the shortest
    baseline: numbers.baseline === null ? null : meta.systems.indexOf(numbers.baseline),
    alpha: numbers.alpha,
    checked: numbers.checked, // the systems, or their runs
    checks: numbers.checks.map((check) => ({ ...check, system: numbers.checked[check.system], segments: new Set(check.segments) })),
    since: readSince(numbers.since),
    spans: readSpans(spans),
    texts: null,
  };
  data.labels.push({ name: "length", values: numbers.lengths.values, codes: Uint32Array.from(numbers.lengths.codes) });
  if (texts) Object.assign(data, { texts: texts[0], cuts: readCuts(new Uint8Array(texts[1])), listed: texts[2] });
  return data;
}

// Columns as [segment][system and run], or as [segment] where all systems share them.
function readRows(buffer, layout, shape) {
  const bytes = new Uint8Array(buffer);
  const columns = [];
  let at = 0;
  for (const { shared, base, planes } of layout) {
    const size = shape.n * (shared ? 1 : shape.systems);
    let cells;
    if (planes === 8) {
      cells = new Float64Array(buffer.slice(at, at + 8 * size));
    } else {
      cells = readPlanes(bytes.subarray(at, at + planes * size), planes, size);
      if (base !== null) addTo(cells, columns[base].cells);
    }
    columns.push({ shared, cells });
    at += planes * size;
  }
  return columns;
}

function readPlanes(bytes, planes, size) {
  const coded = new Uint32Array(size);
  for (let plane = 0; plane < planes; plane += 1) {
    for (let at = 0; at < size; at += 1) coded[at] |= bytes[plane * size + at] << (8 * plane);
  }
  const cells = new Int32Array(size);
  for (let at = 0; at < size; at += 1) cells[at] = (coded[at] >>> 1) ^ -(coded[at] & 1);
  return cells;
}

function addTo(cells, others) {
  for (let at = 0; at < cells.length; at += 1) cells[at] += others[at];
}

// Where the numbers of each text begin, and all numbers: for a text the count of its cuts and one, then the cuts.
function readCuts(bytes) {
  const numbers = [];
  const starts = [];
  let left = 0;
  for (let at = 0; at < bytes.length; ) {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      number |= (bytes[at] & 127) << shift;
      at += 1;
      if (bytes[at - 1] < 128) break;
    }
    if (left === 0) {
      starts.push(numbers.length);
      left = number === 0 ? 0 : number - 1;
    } else {
      left -= 1;
    }
    numbers.push(number);
  }
  return { numbers, starts, listedAt: countListed(numbers, starts) };
}

// For each text, how many before it have a list of tokens.
function countListed(numbers, starts) {
  let count = 0;
  return starts.map((start) => (numbers[start] === 0 ? count++ : -1));
}

// Texts of a segment: the source, the references, the systems.

function slotsOf(data) {
  return Number(data.meta.sources) + data.meta.references + data.systems.length;
}

function sourceOf(data, segment) {
  return data.meta.sources ? data.texts[segment * slotsOf(data)] : null;
}

function referencesOf(data, segment) {
  const first = segment * slotsOf(data) + Number(data.meta.sources);
  return data.texts.slice(first, first + data.meta.references);
}

function outputOf(data, segment, system) {
  return data.texts[segment * slotsOf(data) + Number(data.meta.sources) + data.meta.references + system];
}

// White space as Python splits at it; JavaScript's own differs in seven characters.
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

// The tokens of a text with the place where each begins and ends; places are -1 where tokens are no pieces of the text.
function tokensAt(data, segment, slot) {
  const width = data.meta.references + data.systems.length;
  const source = Number(data.meta.sources);
  const text = data.texts[segment * slotsOf(data) + source + slot] ?? "";
  const index = segment * width + slot;
  const { numbers, starts, listedAt } = data.cuts;
  const key = data.meta.lowercase ? (token) => token.toLowerCase() : (token) => token;
  if (listedAt[index] >= 0) {
    return data.listed[listedAt[index]].map((token) => ({ key: token, start: -1, end: -1 }));
  }
  const start = starts[index];
  return cutText(text, numbers.slice(start + 1, start + numbers[start])).map(([from, to]) => ({
    key: key(text.slice(from, to)),
    start: from,
    end: to,
  }));
}

function cutText(text, steps) {
  const pieces = [];
  let [begin, seen, next] = [-1, 0, 0];
  let cut = steps.length ? steps[0] : -1;
  for (let at = 0; at <= text.length; at += 1) {
    const isSpace = at === text.length || SPACE.test(text[at]);
    if (begin >= 0 && (isSpace || seen === cut)) {
      pieces.push([begin, at]);
      begin = -1;
    }
    if (seen === cut && !isSpace) {
      next += 1;
      cut = next < steps.length ? cut + steps[next] : -1;
    }
    if (isSpace) continue;
    if (begin < 0) begin = at;
    seen += 1;
  }
  return pieces;
}
