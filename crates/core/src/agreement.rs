//! Pairs of scores: how often do a metric and people put two items in the same order?
//!
//! Scores stand in groups, one after the other, and only scores of one group are compared. [`count_pairs`] counts pairs
//! by Knight's method (1966): sort by people and then by the metric; pairs in the wrong order are the inversions of the
//! metric's scores, which a merge sort counts, so that n scores cost n log n and not n². [`pairs_above`] leaves out
//! pairs that people find too near, with a Fenwick tree.
//!
//! [`best_epsilon`] finds how near two scores of a metric have to be to count as tied (Deutsch, Foster and Freitag,
//! 2023). A pair that becomes tied gains 1 if people tie it, and loses 1 if metric and people agreed on its order. So
//! the sum of these over all pairs up to a distance, taken in order of distance, has to be the largest. To sort the
//! hundred million pairs of 15,000 scores takes gigabytes. Here one pass adds up gains and losses in 65,536 buckets,
//! which bounds what each bucket can hold: the sum before it and all of its gains. Only buckets that may hold the best
//! sum are sorted in a second pass, and divided into finer buckets first if they are too many. Buckets are ranges of
//! the bit patterns of distances, whose order is that of the numbers: sixteen bits at a time end after four rounds,
//! whatever the scores are. Sums are whole numbers, so that equal ones are equal, and the smallest distance wins.

use crate::halt;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// Scores of people and of a metric, side by side.
pub type Scores<'a> = (&'a [f64], &'a [f64]);

/// What the pairs of a group are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// All of them.
    pub all: u64,
    /// In the same order for both.
    pub concordant: u64,
    /// In opposite orders.
    pub discordant: u64,
    /// Tied for people, and perhaps for the metric too.
    pub tied_people: u64,
    /// Tied for the metric, and perhaps for people too.
    pub tied_metric: u64,
    /// Tied for both.
    pub tied_both: u64,
    /// How many different scores people gave.
    pub distinct_people: u64,
    /// How many different scores the metric gave.
    pub distinct_metric: u64,
}

/// Counts the pairs of a group. Scores of the metric are tied if they are at most `epsilon` apart.
pub fn count_pairs((people, metric): Scores<'_>, epsilon: f64) -> Pairs {
    let mut sorted = sorted_cells(people, metric);
    let mut of_metric: Vec<f64> = sorted.iter().map(|cell| cell.1).collect();
    of_metric.sort_unstable_by(f64::total_cmp);
    let (tied_people, distinct_people) = ties(sorted.iter().map(|cell| cell.0));
    let (tied_metric, distinct_metric) = ties(of_metric.iter().copied());
    let (tied_both, _) = ties(sorted.iter().copied());
    let all = pairs_of(people.len());
    let found =
        Pairs { all, tied_people, tied_metric, tied_both, distinct_people, distinct_metric, ..Pairs::default() };
    if epsilon > 0.0 {
        return compare_each(&sorted, epsilon, found);
    }
    let discordant = inversions(&mut sorted);
    Pairs { concordant: all + tied_both - discordant - tied_people - tied_metric, discordant, ..found }
}

/// Counts the pairs that people find at least `threshold` apart: those in the same order, and all others.
pub fn pairs_above((people, metric): Scores<'_>, threshold: f64) -> (u64, u64) {
    let sorted = sorted_cells(people, metric);
    let mut of_metric: Vec<f64> = sorted.iter().map(|cell| cell.1).collect();
    of_metric.sort_unstable_by(f64::total_cmp);
    let mut tree = vec![0_u64; of_metric.len() + 1];
    let (mut added, mut concordant, mut all) = (0, 0, 0);
    for (at, &(score, of)) in sorted.iter().enumerate() {
        halt::spend(1);
        while added < at && score > sorted[added].0 && score - sorted[added].0 >= threshold {
            let mut place = of_metric.partition_point(|&other| other < sorted[added].1) + 1;
            while place < tree.len() {
                tree[place] += 1;
                place += place & place.wrapping_neg();
            }
            added += 1;
        }
        all += added as u64;
        let mut place = of_metric.partition_point(|&other| other < of);
        while place > 0 {
            concordant += tree[place];
            place &= place - 1;
        }
    }
    (concordant, all - concordant)
}

/// The smallest distance up to which the pairs of a metric are best called tied, and what that gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The distance; 0: only equal scores are tied.
    pub epsilon: f64,
    /// How much larger the sum is than at 0.
    pub gain: i64,
}

/// Finds the best distance for all groups together; each pair of a group has the group's weight. The weights of all
/// pairs must add up to less than 2⁶³.
pub fn best_epsilon(groups: &[Scores<'_>], weights: &[i64]) -> Best {
    let groups: Vec<Group> =
        groups.iter().zip(weights).map(|((people, metric), &weight)| Group::new(people, metric, weight)).collect();
    let mut search = Search { groups, threshold: 0, best: Best { epsilon: 0.0, gain: 0 } };
    if let Some(distances) = search.distances() {
        search.look(distances, 0);
    }
    search.best
}

fn pairs_of(scores: usize) -> u64 {
    let scores = scores as u64;
    scores * scores.saturating_sub(1) / 2
}

/// Scores in the order of people's, and among equal ones of the metric's; the two zeros are one.
fn sorted_cells(people: &[f64], metric: &[f64]) -> Vec<(f64, f64)> {
    let mut cells: Vec<_> = people.iter().zip(metric).map(|(people, metric)| (people + 0.0, metric + 0.0)).collect();
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    cells
}

/// How many pairs of a sorted list are equal, and how many different values it has.
fn ties<T: PartialEq>(sorted: impl Iterator<Item = T>) -> (u64, u64) {
    let (mut pairs, mut distinct, mut run, mut before) = (0, 0, 0, None);
    for value in sorted {
        run = if before.as_ref() == Some(&value) { run + 1 } else { 0 };
        distinct += u64::from(run == 0);
        pairs += run;
        before = Some(value);
    }
    (pairs, distinct)
}

/// Looks at each pair; the cells are in the order of people's scores.
fn compare_each(sorted: &[(f64, f64)], epsilon: f64, mut found: Pairs) -> Pairs {
    (found.tied_metric, found.tied_both) = (0, 0);
    for (at, &(score, of)) in sorted.iter().enumerate() {
        halt::spend(at / 16 + 1);
        for &(lower, of_lower) in &sorted[..at] {
            let (is_tied, is_tied_for_people) = ((of - of_lower).abs() <= epsilon, score == lower);
            found.tied_metric += u64::from(is_tied);
            found.tied_both += u64::from(is_tied && is_tied_for_people);
            found.concordant += u64::from(!is_tied && !is_tied_for_people && of > of_lower);
            found.discordant += u64::from(!is_tied && !is_tied_for_people && of < of_lower);
        }
    }
    found
}

/// Below this many cells, to look at each pair is faster than to merge.
const FEW: usize = 16;

/// How many pairs have the larger score of the metric first. The cells are in the order of the metric afterwards.
fn inversions(cells: &mut [(f64, f64)]) -> u64 {
    if cells.len() <= FEW {
        return insert_each(cells);
    }
    halt::spend(cells.len() / 8);
    let (left, right) = cells.split_at_mut(cells.len() / 2);
    let mut found = inversions(left) + inversions(right);
    let (left, mut merged) = (left.to_vec(), Vec::with_capacity(cells.len()));
    let (mut from_left, mut from_right) = (0, left.len());
    while from_left < left.len() && from_right < cells.len() {
        if cells[from_right].1 < left[from_left].1 {
            found += (left.len() - from_left) as u64;
            merged.push(cells[from_right]);
            from_right += 1;
        } else {
            merged.push(left[from_left]);
            from_left += 1;
        }
    }
    merged.extend_from_slice(&left[from_left..]);
    cells[..merged.len()].copy_from_slice(&merged); // what is left at the right is at its place
    found
}

fn insert_each(cells: &mut [(f64, f64)]) -> u64 {
    let mut found = 0;
    for at in 1..cells.len() {
        let mut place = at;
        while place > 0 && cells[place].1 < cells[place - 1].1 {
            cells.swap(place, place - 1);
            place -= 1;
        }
        found += (at - place) as u64;
    }
    found
}

/// The metric's scores of a group in the order of people's; `ties[at]` is the first place with the score at `at`.
struct Group {
    metric: Vec<f64>,
    ties: Vec<usize>,
    weight: i64,
}

impl Group {
    fn new(people: &[f64], metric: &[f64], weight: i64) -> Self {
        let cells = sorted_cells(people, metric);
        let mut ties: Vec<usize> = (0..cells.len()).collect();
        for at in 1..cells.len() {
            if cells[at].0 == cells[at - 1].0 {
                ties[at] = ties[at - 1];
            }
        }
        Self { metric: cells.into_iter().map(|cell| cell.1).collect(), ties, weight }
    }

    /// Hands out the bit pattern of the distance of each pair whose tie would gain or lose, and its weight, which is
    /// negative for a loss.
    #[inline]
    fn for_each(&self, mut take: impl FnMut(u64, i64)) {
        for (at, (&score, &first)) in self.metric.iter().zip(&self.ties).enumerate() {
            halt::spend(at / 16 + 1);
            for lower in &self.metric[..first] {
                if score > *lower {
                    take((score - lower).to_bits(), -self.weight);
                }
            }
            for tied in &self.metric[first..at] {
                if score != *tied {
                    take((score - tied).abs().to_bits(), self.weight);
                }
            }
        }
    }
}

/// Pairs of this many buckets are looked at in one pass. Few pairs need few buckets.
const MANY_BUCKETS: u32 = 16;
const FEW_BUCKETS: u32 = 12;
const FEW_PAIRS: u64 = 1 << 22;

/// So many pairs, of 16 bytes each, are sorted at once.
const MOST_SORTED: i64 = 1 << 21;

struct Search {
    groups: Vec<Group>,
    /// The best sum that a bucket is known to end with.
    threshold: i64,
    best: Best,
}

/// What the distances of a range of bit patterns gain and lose.
struct Buckets {
    range: RangeInclusive<u64>,
    shift: u32,
    gains: Vec<i64>,
    losses: Vec<i64>,
}

impl Buckets {
    fn place(&self, distance: u64) -> usize {
        ((distance - self.range.start()) >> self.shift) as usize
    }

    fn range_of(&self, bucket: usize) -> RangeInclusive<u64> {
        let first = self.range.start() + ((bucket as u64) << self.shift);
        first..=(first + ((1 << self.shift) - 1)).min(*self.range.end())
    }
}

impl Search {
    /// The bit patterns of the smallest distance above 0 and the largest; None if all scores of each group are equal.
    fn distances(&self) -> Option<RangeInclusive<u64>> {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for group in &self.groups {
            let mut sorted = group.metric.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let steps = sorted.windows(2).map(|two| two[1] - two[0]).filter(|&step| step > 0.0);
            least = steps.fold(least, f64::min);
            if let [first, .., last] = sorted[..] {
                most = most.max(last - first);
            }
        }
        (most > 0.0).then(|| least.to_bits()..=most.to_bits())
    }

    /// Looks for a better distance in a range; `before` is the sum of what is below it.
    fn look(&mut self, range: RangeInclusive<u64>, before: i64) {
        let buckets = self.fill(range);
        let mut starts = Vec::with_capacity(buckets.gains.len());
        let mut sum = before;
        for (gain, loss) in buckets.gains.iter().zip(&buckets.losses) {
            starts.push(sum);
            sum += gain - loss;
            self.threshold = self.threshold.max(sum);
        }
        let is_hopeful = |&at: &usize| {
            buckets.gains[at] > 0 && starts[at] + buckets.gains[at] >= self.threshold.max(self.best.gain + 1)
        };
        let hopeful: Vec<usize> = (0..starts.len()).filter(is_hopeful).collect();
        self.look_into(&buckets, &starts, &hopeful);
    }

    fn look_into(&mut self, buckets: &Buckets, starts: &[i64], hopeful: &[usize]) {
        let lightest = self.groups.iter().map(|group| group.weight).min().unwrap_or(1).max(1);
        let pairs: i64 = hopeful.iter().map(|&at| (buckets.gains[at] + buckets.losses[at]) / lightest).sum();
        match hopeful {
            [] => {}
            _ if buckets.shift == 0 => {
                for &at in hopeful {
                    self.improve(*buckets.range_of(at).start(), starts[at] + buckets.gains[at] - buckets.losses[at]);
                }
            }
            _ if pairs <= MOST_SORTED => self.settle(buckets, starts, hopeful),
            &[one] => self.look(buckets.range_of(one), starts[one]),
            _ => {
                let (lower, upper) = hopeful.split_at(hopeful.len() / 2);
                self.look_into(buckets, starts, lower);
                self.look_into(buckets, starts, upper);
            }
        }
    }

    fn fill(&self, range: RangeInclusive<u64>) -> Buckets {
        let pairs: u64 = self.groups.iter().map(|group| pairs_of(group.metric.len())).sum();
        let most = if pairs > FEW_PAIRS { MANY_BUCKETS } else { FEW_BUCKETS };
        let shift = (u64::BITS - (range.end() - range.start()).leading_zeros()).saturating_sub(most);
        let mut buckets = Buckets { range, shift, gains: vec![0; 1 << most], losses: vec![0; 1 << most] };
        for group in &self.groups {
            group.for_each(|distance, weight| {
                if buckets.range.contains(&distance) {
                    let place = buckets.place(distance);
                    let sums = if weight > 0 { &mut buckets.gains } else { &mut buckets.losses };
                    sums[place] += weight.abs();
                }
            });
        }
        buckets
    }

    /// Sorts the pairs of some buckets, and takes the best distance among theirs.
    fn settle(&mut self, buckets: &Buckets, starts: &[i64], hopeful: &[usize]) {
        let mut is_hopeful = vec![false; starts.len()];
        hopeful.iter().for_each(|&at| is_hopeful[at] = true);
        let mut pairs: Vec<(u64, i64)> = Vec::new();
        for group in &self.groups {
            group.for_each(|distance, weight| {
                if buckets.range.contains(&distance) && is_hopeful[buckets.place(distance)] {
                    pairs.push((distance, weight));
                }
            });
        }
        pairs.sort_unstable_by_key(|pair| pair.0);
        let (mut bucket, mut sum) = (usize::MAX, 0);
        for equal in pairs.chunk_by(|a, b| a.0.cmp(&b.0) == Ordering::Equal) {
            let distance = equal[0].0;
            if buckets.place(distance) != bucket {
                bucket = buckets.place(distance);
                sum = starts[bucket];
            }
            sum += equal.iter().map(|pair| pair.1).sum::<i64>();
            self.improve(distance, sum);
        }
    }

    /// Takes a distance if it is better than all smaller ones.
    fn improve(&mut self, distance: u64, gain: i64) {
        if gain > self.best.gain {
            self.best = Best { epsilon: f64::from_bits(distance), gain };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive_pairs((people, metric): Scores<'_>, epsilon: f64) -> Pairs {
        let mut found = Pairs::default();
        for at in 0..people.len() {
            for other in 0..at {
                let (a, b) = (people[at] - people[other], metric[at] - metric[other]);
                let b = if b.abs() <= epsilon { 0.0 } else { b };
                found.all += 1;
                found.concordant += u64::from(a > 0.0 && b > 0.0 || a < 0.0 && b < 0.0);
                found.discordant += u64::from(a > 0.0 && b < 0.0 || a < 0.0 && b > 0.0);
                found.tied_people += u64::from(a == 0.0);
                found.tied_metric += u64::from(b == 0.0);
                found.tied_both += u64::from(a == 0.0 && b == 0.0);
            }
        }
        let distinct = |scores: &[f64]| {
            (0..scores.len()).filter(|&at| scores[..at].iter().all(|&other| other != scores[at])).count() as u64
        };
        Pairs { distinct_people: distinct(people), distinct_metric: distinct(metric), ..found }
    }

    /// All pairs, sorted.
    fn naive_best(groups: &[Scores<'_>], weights: &[i64]) -> Best {
        let mut pairs = Vec::new();
        for ((people, metric), weight) in groups.iter().zip(weights) {
            for at in 0..people.len() {
                for other in 0..at {
                    let (a, b) = (people[at] - people[other], metric[at] - metric[other]);
                    let before = a == 0.0 && b == 0.0 || a * b.signum() > 0.0 && b != 0.0;
                    pairs.push((b.abs(), weight * (i64::from(a == 0.0) - i64::from(before))));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut best, mut sum) = (Best { epsilon: 0.0, gain: 0 }, 0);
        for (at, (distance, gain)) in pairs.iter().enumerate() {
            sum += gain;
            let is_last = pairs.get(at + 1).is_none_or(|next| next.0 != *distance);
            if is_last && sum > best.gain {
                best = Best { epsilon: *distance, gain: sum };
            }
        }
        best
    }

    fn score() -> impl Strategy<Value = f64> {
        prop_oneof![(-4_i32..4).prop_map(|tenths| f64::from(tenths) / 10.0), -1.0..1.0_f64, Just(-0.0), Just(1e300)]
    }

    fn cells(most: usize) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
        proptest::collection::vec((score(), score()), 0..most).prop_map(|cells| cells.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn pairs_are_those_that_are_looked_at_one_by_one(
            (people, metric) in cells(60), epsilon in prop_oneof![Just(0.0), 0.0..0.5_f64, Just(0.1)]
        ) {
            let scores = (&people[..], &metric[..]);
            prop_assert_eq!(naive_pairs(scores, epsilon), count_pairs(scores, epsilon));
        }

        #[test]
        fn pairs_far_apart_are_counted((people, metric) in cells(60), threshold in prop_oneof![Just(0.0), Just(0.3)]) {
            let (mut concordant, mut others) = (0, 0);
            for at in 0..people.len() {
                for other in 0..people.len() {
                    if people[at] > people[other] && people[at] - people[other] >= threshold {
                        *if metric[at] > metric[other] { &mut concordant } else { &mut others } += 1;
                    }
                }
            }
            prop_assert_eq!((concordant, others), pairs_above((&people, &metric), threshold));
        }

        #[test]
        fn the_best_distance_is_that_of_sorted_pairs(
            groups in proptest::collection::vec((cells(14), 1_i64..4), 0..8)
        ) {
            let scores: Vec<_> = groups.iter().map(|((people, metric), _)| (&people[..], &metric[..])).collect();
            let weights: Vec<i64> = groups.iter().map(|group| group.1).collect();
            prop_assert_eq!(naive_best(&scores, &weights), best_epsilon(&scores, &weights));
        }
    }

    /// Scores that are noise around people's, as many as asked for, without a generator from elsewhere.
    fn noisy(count: usize, steps: f64) -> (Vec<f64>, Vec<f64>) {
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..count)
            .map(|_| ((draw() * 8.0).floor(), draw()))
            .map(|(h, noise)| (h, ((h / 16.0 + noise) * steps).round() / steps))
            .unzip()
    }

    #[test]
    fn many_pairs_are_searched_in_rounds() {
        for steps in [1e12, 1000.0, 7.0] {
            let (people, metric) = noisy(3200, steps);
            let scores = [(&people[..], &metric[..])];
            assert!(pairs_of(people.len()) > FEW_PAIRS);
            assert_eq!(naive_best(&scores, &[3]), best_epsilon(&scores, &[3]));
        }
    }
}
