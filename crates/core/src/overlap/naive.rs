//! The slow way: texts as lists of words, every place of a test text beside every place of a record.

use super::characters::{Cell, Characters, Class};
use super::index::{Index, Lengths};
use super::scan::{Ends, Location, Match, Scan};
use crate::threads::Threads;
use std::collections::{BTreeSet, HashMap};

/// Characters as this module knows them: ASCII, some marks, letters that stay as they are.
pub fn plain_characters() -> Option<Characters> {
    let cell = |class: Class, c: u32, order: u64| u64::from(c) | (class as u64) << 21 | order << 24;
    let mut cells: Vec<u64> = (0..0x3100).map(|c| cell(Class::Letter, c, 0)).collect();
    for c in 0..0x80_u32 {
        let class = match c as u8 {
            b'\'' => Class::Nothing,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            _ => Class::Gap,
        };
        cells[c as usize] = cell(class, u32::from((c as u8).to_ascii_lowercase()), 0);
    }
    cells[0x301] = cell(Class::Mark, 0x301, 230);
    cells[0x323] = cell(Class::Mark, 0x323, 220);
    let pool = vec![cell(Class::Letter, u32::from(b'e'), 0), cells[0x301]];
    cells[0xE9] = 1 << 63 | 2 << 32; // é
    Characters::new(cells, pool, false, true)
}

/// The units of a text.
pub fn units(characters: &Characters, text: &str) -> Vec<String> {
    let mut cells: Vec<Cell> = Vec::new();
    text.chars().for_each(|c| characters.each(c.into(), |cell| cells.push(cell)));
    cells.retain(|cell| cell.class() != Class::Nothing);
    let mut found: Vec<(bool, Vec<Cell>)> = vec![(false, Vec::new())];
    for cell in cells {
        let (is_alone, word) = found.last_mut().expect("there is one");
        match cell.class() {
            Class::Gap | Class::Nothing => found.push((false, Vec::new())),
            Class::Alone => found.push((true, vec![cell])),
            Class::Mark if word.is_empty() => {}
            Class::Letter | Class::Digit if *is_alone => found.push((false, vec![cell])),
            _ => word.push(cell),
        }
    }
    let ordered = |mut word: Vec<Cell>| -> String {
        // Marks change places until they are in order; nothing goes past what has no class.
        for _ in 0..word.len() {
            for at in 1..word.len() {
                let (first, last) = (word[at - 1].order(), word[at].order());
                if last != 0 && first > last {
                    word.swap(at - 1, at);
                }
            }
        }
        word.iter().filter_map(|cell| char::from_u32(cell.character())).collect()
    };
    found.into_iter().map(|(_, word)| word).filter(|word| !word.is_empty()).map(ordered).collect()
}

/// The records of a file, and where each begins.
pub fn records(text: &str, ends: Ends) -> Vec<(u64, String)> {
    let mut found: Vec<(u64, String)> = Vec::new();
    let (mut at, mut goes_on) = (0, false);
    for line in text.split_inclusive('\n') {
        let is_blank = line.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
        if ends == Ends::Paragraphs && is_blank {
            goes_on = false;
        } else if goes_on {
            found.last_mut().expect("one goes on").1.push_str(line);
        } else {
            found.push((at, line.to_owned()));
            goes_on = ends != Ends::Lines;
        }
        at += line.len() as u64;
    }
    found
}

/// What is found of each given text in records.
pub fn matches(
    characters: &Characters,
    texts: &[&str],
    records: &[(u64, String)],
    spaced: Lengths,
    alone: Lengths,
    common: u32,
) -> Vec<Match> {
    let records: Vec<_> = records.iter().map(|(start, text)| (*start, units(characters, text))).collect();
    let mut counts: HashMap<Vec<String>, u32> = HashMap::new();
    let mut grams_of = Vec::new();
    for text in texts {
        let lengths = if characters.are_alone(text) { alone } else { spaced };
        let units = units(characters, text);
        let n = lengths.n.min(units.len());
        let grams: Vec<_> = if units.len() < lengths.least || n == 0 {
            Vec::new()
        } else {
            units.windows(n).map(<[String]>::to_vec).collect()
        };
        for gram in &grams {
            let having = records.iter().filter(|(_, record)| record.windows(n).any(|one| one == gram));
            counts.insert(gram.clone(), having.count() as u32);
        }
        grams_of.push((units, grams, n));
    }
    let one = |(units, grams, n): &(Vec<String>, Vec<Vec<String>>, usize)| {
        let mut found = Match { grams: (0, grams.len() as u32), ..Match::default() };
        let (mut covered, mut common_ones) = (BTreeSet::new(), BTreeSet::new());
        for (at, gram) in grams.iter().enumerate().filter(|(_, gram)| counts[*gram] > 0) {
            found.grams.0 += 1;
            if counts[gram] > common { &mut common_ones } else { &mut covered }.extend(at..at + n);
        }
        found.covered = covered.len() as u32;
        found.common = common_ones.difference(&covered).count() as u32;
        for (number, (start, record)) in (1..).zip(&records) {
            if grams.iter().any(|gram| record.windows(*n).any(|one| one == gram)) {
                found.records += 1;
                if found.first.len() < super::scan::LOCATIONS {
                    found.first.push(Location { file: 0, record: number, offset: *start });
                }
                found.longest = found.longest.max(longest(units, record));
            }
        }
        found
    };
    grams_of.iter().map(one).collect()
}

/// The most units in a row that both have.
fn longest(units: &[String], record: &[String]) -> u32 {
    let run = |(at, other): (usize, usize)| {
        units[at..].iter().zip(&record[other..]).take_while(|(unit, there)| unit == there).count() as u32
    };
    let places = (0..units.len()).flat_map(|at| (0..record.len()).map(move |other| (at, other)));
    places.map(run).max().unwrap_or(0)
}

/// The same by the fast way: the file comes in blocks of these sizes, again and again.
pub fn scanned(
    texts: &[&str],
    file: &[u8],
    ends: Ends,
    (spaced, alone): (Lengths, Lengths),
    common: u32,
    (threads, blocks): (usize, &[usize]),
) -> Option<Vec<Match>> {
    let sides: Vec<_> = (0..texts.len() as u32).map(|segment| (segment, 1)).collect();
    let index = Index::new(plain_characters()?, texts, &sides, spaced, alone)?;
    let mut scan = Scan::new(index, Threads::new(threads), false);
    let (mut rest, mut sizes) = (file, blocks.iter().cycle());
    while !rest.is_empty() {
        let (block, others) = rest.split_at(rest.len().min(*sizes.next()?));
        scan.feed(block, ends).ok()?;
        rest = others;
    }
    scan.end_file().ok()?;
    let found = scan.matches(common).0;
    Some(scan.index.of_given.iter().map(|&at| found[at as usize].clone()).collect())
}
