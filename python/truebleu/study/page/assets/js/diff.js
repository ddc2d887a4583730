// Which tokens match. Tokens are those of the metric; a mark never explains more than the metric counts.

const LONGEST_DIFF = 400;

// For each token, the longest order (1 to 4) of a matched n-gram that it is part of; 0 for none. As BLEU clips, an
// n-gram matches as often as the reference that has most of it; the first ones of a text are marked.
function matchLevels(tokens, references) {
  const levels = new Uint8Array(tokens.length);
  for (let order = 1; order <= 4; order += 1) {
    const left = mostGrams(references, order);
    for (let at = 0; at + order <= tokens.length; at += 1) {
      const gram = gramAt(tokens, at, order);
      const count = left.get(gram) ?? 0;
      if (count === 0) continue;
      left.set(gram, count - 1);
      levels.fill(order, at, at + order);
    }
  }
  return levels;
}

function gramAt(tokens, at, order) {
  let gram = tokens[at].key;
  for (let next = at + 1; next < at + order; next += 1) gram += ` ${tokens[next].key}`;
  return gram;
}

function mostGrams(references, order) {
  const most = new Map();
  for (const reference of references) {
    const counts = new Map();
    for (let at = 0; at + order <= reference.length; at += 1) {
      const gram = gramAt(reference, at, order);
      counts.set(gram, (counts.get(gram) ?? 0) + 1);
    }
    for (const [gram, count] of counts) if (count > (most.get(gram) ?? 0)) most.set(gram, count);
  }
  return most;
}

// For each token of A and of B, whether the other has it too, by the longest common subsequence. Of longer texts only
// what they begin and end with is compared (`cut` is true then).
function commonTokens(a, b) {
  const [inA, inB] = [new Uint8Array(a.length), new Uint8Array(b.length)];
  let [start, endA, endB] = [0, a.length, b.length];
  while (start < endA && start < endB && a[start].key === b[start].key) {
    inA[start] = inB[start] = 1;
    start += 1;
  }
  while (endA > start && endB > start && a[endA - 1].key === b[endB - 1].key) {
    endA -= 1;
    endB -= 1;
    inA[endA] = inB[endB] = 1;
  }
  const cut = Math.max(a.length, b.length) > LONGEST_DIFF;
  if (!cut) markSubsequence(a.slice(start, endA), b.slice(start, endB), inA, inB, start);
  return { inA, inB, cut };
}

function markSubsequence(a, b, inA, inB, start) {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i].key === b[j].key
          ? lengths[(i + 1) * width + j + 1] + 1
          : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i].key === b[j].key) {
      inA[start + i] = inB[start + j] = 1;
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
}

// The class of each token of a system's output.
function marksAgainstReference(tokens, references) {
  return Array.from(matchLevels(tokens, references), (level) => (level ? `match${level}` : "unmatched"));
}

function marksOfPair(tokens, shared, references) {
  const levels = matchLevels(tokens, references);
  return tokens.map((token, at) => {
    if (shared[at]) return levels[at] ? "" : "shared-error";
    return levels[at] ? "own-gain" : "own-error";
  });
}

// Tokens of a reference that none of the outputs has are struck through.
function marksOfReference(tokens, outputs) {
  const made = new Set(outputs.flatMap((output) => output.map((token) => token.key)));
  return tokens.map((token) => (made.has(token.key) ? "" : "missed"));
}
