// Corpus scores from sums of rows. The operations are in the order of the core's, so that results agree to the last bit
// (BLEU within some units of it: log and exp are the browser's).

function scoreOf(kind, options, totals) {
  switch (kind) {
    case "bleu":
      return bleuOf(options, totals);
    case "chrf":
      return chrfOf(options, totals);
    case "ter":
      return terOf(totals);
    case "gleu":
      return totals[1] > 0 ? 100 * (totals[0] / totals[1]) : 0;
    case "mean":
      return totals[1] > 0 ? totals[0] / totals[1] : 0;
    default:
      return null;
  }
}

function terOf([edits, length]) {
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;
}

function chrfOf({ beta_squared: factor, eps_smoothing: smooth }, totals) {
  const epsilon = 1e-16;
  const fScore = (precision, recall) => ((1 + factor) * precision * recall) / (factor * precision + recall);
  let [smoothed, precisions, recalls, effective] = [0, 0, 0, 0];
  for (let at = 0; at < totals.length; at += 3) {
    const [hypothesis, reference, matches] = [totals[at], totals[at + 1], totals[at + 2]];
    const precision = hypothesis > 0 ? matches / hypothesis : epsilon;
    const recall = reference > 0 ? matches / reference : epsilon;
    smoothed += factor * precision + recall > 0 ? fScore(precision, recall) : epsilon;
    if (hypothesis > 0 && reference > 0) {
      precisions += precision;
      recalls += recall;
      effective += 1;
    }
  }
  if (smooth) return (100 * smoothed) / (totals.length / 3);
  if (effective === 0) return 0;
  const [precision, recall] = [precisions / effective, recalls / effective];
  return precision + recall === 0 ? 0 : 100 * fScore(precision, recall);
}

function bleuOf(options, totals) {
  const ahead = Number(options.smoothing === "method5" || options.smoothing === "method7");
  const counted = options.order + ahead;
  const correct = totals.slice(2, 2 + counted);
  const total = totals.slice(2 + counted, 2 + 2 * counted);
  if (correct.every((matches) => matches === 0)) return 0;
  const precisions = Array.from({ length: options.order }, () => 0);
  const reached = fillPrecisions(precisions, correct, total, totals[0], options);
  if (ahead) averageNeighbours(precisions, correct[options.order], total[options.order], reached);
  const used = precisions.slice(0, options.effective_order ? reached : options.order);
  if (!used.every((precision) => precision > 0)) return 0;
  const logs = used.map((precision) => Math.log(precision));
  const sum = options.compensated_sum ? compensatedSum(logs) : logs.reduce((so, log) => so + log, 0);
  return brevityPenalty(totals[0], totals[1]) * Math.exp(sum / used.length);
}

function brevityPenalty(length, wanted) {
  if (length >= wanted) return 1;
  return length > 0 ? Math.exp(1 - wanted / length) : 0;
}

// Gives how many orders have n-grams.
function fillPrecisions(precisions, correct, total, length, { smoothing, value }) {
  const added = { "add-k": value, method2: 1 }[smoothing] ?? 0;
  let divisor = 1;
  for (let n = 0; n < precisions.length; n += 1) {
    const [matches, all] = n > 0 ? [correct[n] + added, total[n] + added] : [correct[n], total[n]];
    if (all === 0) return n;
    if (smoothing === "method6" && n >= 2) {
      const expected = precisions[n - 2] === 0 ? 0 : (precisions[n - 1] * precisions[n - 1]) / precisions[n - 2];
      precisions[n] = (100 * matches + value * expected) / (all + value);
    } else if (matches !== 0) {
      precisions[n] = (100 * matches) / all;
    } else {
      divisor *= 2;
      precisions[n] = smoothedZero(smoothing, value, divisor, all, length);
    }
  }
  return precisions.length;
}

// The precision of an order without a match; `divisor` doubles with each.
function smoothedZero(smoothing, value, divisor, all, length) {
  switch (smoothing) {
    case "exp":
    case "method3":
      return 100 / (divisor * all);
    case "floor":
    case "method1":
      return (100 * value) / all;
    case "method0":
      return 100 * 2.2250738585072014e-308;
    case "method4":
    case "method7":
      return (100 * Math.log(length)) / (value * divisor * all);
    default:
      return 0;
  }
}

function averageNeighbours(precisions, correct, total, reached) {
  const ahead = total > 0 ? (100 * correct) / total : 0;
  let before = precisions[0] + 100;
  for (let n = 0; n < reached; n += 1) {
    before = (before + precisions[n] + (precisions[n + 1] ?? ahead)) / 3;
    precisions[n] = before;
  }
}

// The sum that Python has had since 3.12.
function compensatedSum(values) {
  let sum = values[0];
  let error = 0;
  for (const value of values.slice(1)) {
    const next = sum + value;
    error += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return error !== 0 && Number.isFinite(error) ? sum + error : sum;
}

// Sums of the rows of a run on some segments in ascending order: the order of a sum shows in its last bit.
function totalsOf(data, metric, run, segments) {
  const width = data.systems.length * data.meta.runs;
  return metric.cells.map(({ shared, cells }) => {
    let sum = 0;
    if (shared) for (const segment of segments) sum += cells[segment];
    else for (const segment of segments) sum += cells[segment * width + run];
    return sum;
  });
}

// The corpus scores of all systems on some segments in ascending order; null where there is none.
function scoresOf(data, metric, segments) {
  return data.systems.map((name, system) =>
    segments.length && metric.kind ? meanOfRuns(data, system, (run) => scoreOf(metric.kind, metric.options, totalsOf(data, metric, run, segments))) : null,
  );
}

// The mean over the runs of a system; most have one.
function meanOfRuns(data, system, score) {
  const { runs } = data.meta;
  let sum = score(system * runs);
  for (let run = 1; run < runs; run += 1) sum += score(system * runs + run);
  return runs === 1 ? sum : sum / runs;
}

// The scores of all segments as [segment][system], computed once. BLEU leaves out orders that a text is too short for.
function segmentScores(data, metric) {
  if (metric.bySegment) return metric.bySegment;
  const width = data.systems.length;
  const columns = width * data.meta.runs;
  const found = new Float64Array(data.n * width);
  const options = { ...metric.options, effective_order: true };
  for (let segment = 0; segment < data.n; segment += 1) {
    for (let system = 0; system < width; system += 1) {
      found[segment * width + system] = meanOfRuns(data, system, (run) => {
        const row = metric.cells.map(({ shared, cells }) => cells[shared ? segment : segment * columns + run]);
        return metric.kind ? scoreOf(metric.kind, options, row) : row[0];
      });
    }
  }
  metric.bySegment = found;
  return found;
}

// How much better A is than B in a segment. Under BLEU, scores that only their last bits tell apart are equal here,
// because log and exp are not the same everywhere; others are exact.
function gainOf(data, metric, segment, a, b) {
  const scores = segmentScores(data, metric);
  const width = data.systems.length;
  const difference = scores[segment * width + a] - scores[segment * width + b];
  const gain = metric.higher_is_better ? difference : -difference;
  return (metric.kind === "bleu" ? Math.round(gain * 1e9) / 1e9 : gain) || 0;
}

// The metric that knows how long outputs and references are: its first two columns.
function lengthMetric(data) {
  return data.metrics.find(({ kind }) => kind === "bleu") ?? data.metrics.find(({ kind }) => kind === "chrf");
}

// The length of an output over that of its reference; not a number where the reference is empty. Of several runs, this
// is the first.
function ratioOf(data, segment, system) {
  const runs = data.meta.runs ?? 1;
  const at = (segment * data.systems.length + system) * runs;
  const [ours, theirs] = lengthMetric(data).cells.slice(0, 2).map(({ shared, cells }) => cells[shared ? segment : at]);
  return theirs > 0 ? ours / theirs : NaN;
}

// The corpus score of one system on some segments in ascending order: the mean over its runs.
function systemScore(data, metric, system, segments) {
  const runs = data.meta.runs ?? 1;
  let sum = 0;
  for (let run = 0; run < runs; run += 1) sum += scoreOf(metric.kind, metric.options, totalsOf(data, metric, system * runs + run, segments));
  return runs === 1 ? sum : sum / runs;
}
