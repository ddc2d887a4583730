//! The synonyms of WordNet 3.0, as NLTK 3.10.4 finds them for METEOR.
//!
//! A word leads to its base forms by each part of speech: itself, and its bases in the list of exceptions or, if it is
//! not there, those of the suffix rules (WordNet's *morphy*), as far as they are words of that part. A base form leads
//! to groups (synsets), and these to their names. Only names of one word in small letters are kept, because METEOR asks
//! for nothing else; words that lead to groups without being such names (`lucifer`, a name as `Lucifer`) are listed
//! apart in each. Groups of a single name are not listed: a bit for each part of speech says that a word has one.
//!
//! `tools/build_wordnet.py` writes the file. It is read once into sorted tables of 3 MB.

use crate::mixing::Mixer;
use std::collections::HashMap;
use std::ops::Range;

/// Nouns, verbs, adjectives and adverbs.
const PARTS: usize = 4;

/// Suffixes and what takes their place in a base form.
const RULES: [&[(&str, &str)]; PARTS] = [
    &[
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ],
    &[("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    &[],
];

/// What a word of the file is called here: its place in their order.
pub type Number = u32;

/// The place of a word that is not there.
const NOTHING: Number = Number::MAX;

/// Words, groups and irregular forms.
pub struct WordNet {
    letters: Vec<u8>,
    ends: Vec<u32>,
    slots: Vec<Number>,
    own: Vec<u8>,
    groups: Lists,                                             // of each word
    names: Lists,                                              // of each group
    parts: [Range<u32>; PARTS],                                // the groups of each part of speech
    irregular: HashMap<Vec<u8>, [Option<Vec<Number>>; PARTS]>, // the bases of a form by each part of speech
    mixer: Mixer,
}

/// Lists of numbers, end to end.
#[derive(Default)]
struct Lists {
    items: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    fn of(&self, at: u32) -> &[u32] {
        let at = at as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.items[start as usize..self.ends[at] as usize]
    }

    fn end_one(&mut self) {
        self.ends.push(self.items.len() as u32);
    }
}

impl WordNet {
    /// Reads the sections of the file; nothing, if they are not those that the tool writes.
    pub fn read(sections: &[&[u8]]) -> Option<Self> {
        let [shared, rests, own, parts @ ..] = sections else { return None };
        if parts.len() != 5 * PARTS || own.len() != shared.len() {
            return None;
        }
        let mut net = Self {
            letters: Vec::new(),
            ends: Vec::new(),
            slots: vec![NOTHING; (3 * own.len()).next_power_of_two()],
            own: own.to_vec(),
            groups: Lists::default(),
            names: Lists::default(),
            parts: std::array::from_fn(|_| 0..0),
            irregular: HashMap::new(),
            mixer: Mixer::default(),
        };
        net.add_words(shared, rests)?;
        let mut members = Vec::new(); // of each word and group
        for (part, sections) in parts.chunks_exact(5).enumerate() {
            let first = net.names.ends.len() as u32;
            net.add_groups(sections, &mut members)?;
            net.parts[part] = first..net.names.ends.len() as u32;
            net.add_irregular(part, sections[4]);
        }
        members.sort_unstable();
        let mut members = members.into_iter().peekable();
        for word in 0..net.own.len() as u32 {
            while let Some((_, group)) = members.next_if(|&(other, _)| other == word) {
                net.groups.items.push(group);
            }
            net.groups.end_one();
        }
        members.next().is_none().then_some(net)
    }

    /// Words share their beginning with the one before.
    fn add_words(&mut self, shared: &[u8], rests: &[u8]) -> Option<()> {
        let mut rests = rests.split(|&c| c == b'\n');
        let mut start = 0;
        for (number, &length) in shared.iter().enumerate() {
            let end = self.letters.len();
            if usize::from(length) > end - start {
                return None;
            }
            self.letters.extend_from_within(start..start + usize::from(length));
            self.letters.extend_from_slice(rests.next()?);
            self.ends.push(self.letters.len() as u32);
            start = end;
            let slot = self.slot(&self.letters[start..]);
            self.slots[slot] = number as Number;
        }
        Some(())
    }

    fn add_groups(&mut self, sections: &[&[u8]], members: &mut Vec<(u32, u32)>) -> Option<()> {
        let [names, others, firsts, steps, _] = sections else { return None };
        let (mut firsts, mut steps) = (numbers(firsts), numbers(steps));
        let mut first = 0_u32;
        for (&names, &others) in names.iter().zip(*others) {
            let group = self.names.ends.len() as u32;
            first = first.checked_add(firsts.next()?)?;
            let mut word = first;
            for at in 0..names {
                word = if at == 0 { first } else { word.checked_add(steps.next()?)? };
                self.names.items.push(word);
                members.push((word, group));
            }
            word = 0;
            for _ in 0..others {
                word = word.checked_add(steps.next()?)?;
                members.push((word, group));
            }
            self.names.end_one();
        }
        Some(())
    }

    fn add_irregular(&mut self, part: usize, lines: &[u8]) {
        for line in lines.split(|&c| c == b'\n').filter(|line| !line.is_empty()) {
            let mut words = line.split(|&c| c == b' ');
            let form = words.next().unwrap_or_default().to_vec();
            let bases = words.filter_map(|word| self.number(word)).collect();
            self.irregular.entry(form).or_default()[part] = Some(bases);
        }
    }

    /// The number of a word, if it is there.
    pub fn number(&self, word: &[u8]) -> Option<Number> {
        let number = self.slots[self.slot(word)];
        (number != NOTHING).then_some(number)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The word of that number.
    pub fn word(&self, number: Number) -> &[u8] {
        let at = number as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.letters[start as usize..self.ends[at] as usize]
    }

    /// The slot that a word has, or an empty one.
    fn slot(&self, word: &[u8]) -> usize {
        let hash = word.iter().fold(word.len() as u64, |hash, &c| (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01B3));
        let mask = self.slots.len() - 1;
        let mut slot = self.mixer.mix(hash, 0) as usize & mask;
        while self.slots[slot] != NOTHING && self.word(self.slots[slot]) != word {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Adds the names of all groups that a word leads to, sorted and each once.
    pub fn add_synonyms(&self, word: &[u8], names: &mut Vec<Number>) {
        let mut found = Vec::new();
        self.add_names_of(word, &mut found);
        found.sort_unstable();
        found.dedup();
        names.append(&mut found);
    }

    /// Adds the names of all groups that a word leads to, as they come; some may come twice.
    pub fn add_names_of(&self, word: &[u8], names: &mut Vec<Number>) {
        let (itself, irregular) = (self.number(word), self.irregular.get(word));
        let mut base = Vec::with_capacity(word.len() + 1);
        for (part, rules) in RULES.iter().enumerate() {
            self.add_names(itself, part, names);
            if let Some(bases) = irregular.and_then(|parts| parts[part].as_ref()) {
                bases.iter().for_each(|&base| self.add_names(Some(base), part, names));
                continue;
            }
            for (suffix, ending) in rules.iter().filter(|(suffix, _)| word.ends_with(suffix.as_bytes())) {
                base.clear();
                base.extend_from_slice(&word[..word.len() - suffix.len()]);
                base.extend_from_slice(ending.as_bytes());
                self.add_names(self.number(&base), part, names);
            }
        }
    }

    /// Adds the names of the groups of a word as one part of speech.
    fn add_names(&self, word: Option<Number>, part: usize, names: &mut Vec<Number>) {
        let Some(word) = word else { return };
        if self.own[word as usize] & 1 << part != 0 {
            names.push(word);
        }
        for &group in self.groups.of(word).iter().filter(|group| self.parts[part].contains(group)) {
            names.extend_from_slice(self.names.of(group));
        }
    }
}

/// Numbers in as many bytes of seven bits as each needs, the lowest first.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let (mut number, mut shift) = (0_u32, 0);
    bytes.iter().filter_map(move |&byte| {
        number |= u32::from(byte & 127) << shift;
        shift = if byte & 128 != 0 { (shift + 7).min(28) } else { 0 };
        (byte & 128 == 0).then(|| std::mem::take(&mut number))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Two nouns that share a group with a capital word, a verb with an irregular form, an adjective by itself.
    pub(crate) fn sample() -> WordNet {
        let words = ["begin", "fast", "lucifer", "match", "quick", "start"];
        let shared = vec![0_u8; words.len()];
        let rests: String = words.iter().map(|word| format!("{word}\n")).collect();
        let own = [2, 4, 0, 1 | 2, 4, 2];
        let none: [&[u8]; 5] = [&[], &[], &[], &[], b""];
        let nouns: [&[u8]; 5] = [&[1], &[1], &[3], &[2], b""];
        let verbs: [&[u8]; 5] = [&[2], &[0], &[0], &[5], b"began begin\n"];
        let adjectives: [&[u8]; 5] = [&[2], &[0], &[1], &[3], b"faster fast\n"];
        let sections = [&[&shared[..], rests.as_bytes(), &own[..]][..], &nouns, &verbs, &adjectives, &none].concat();
        WordNet::read(&sections).unwrap()
    }

    fn synonyms(word: &str) -> Vec<&'static str> {
        let words = ["begin", "fast", "lucifer", "match", "quick", "start"];
        let mut names = vec![7];
        sample().add_synonyms(word.as_bytes(), &mut names);
        names[1..].iter().map(|&name| words[name as usize]).collect()
    }

    #[test]
    fn words_lead_to_the_names_of_their_groups_through_their_bases() {
        assert_eq!(vec!["begin", "start"], synonyms("start"));
        assert_eq!(vec!["begin", "start"], synonyms("began"));
        assert_eq!(vec!["begin", "start"], synonyms("starting"));
        assert_eq!(vec!["match"], synonyms("lucifers"));
        assert_eq!(vec!["match"], synonyms("matches"));
        assert_eq!(vec!["fast", "quick"], synonyms("quickest"));
        assert!(synonyms("fasts").is_empty() && synonyms("").is_empty() && synonyms("x").is_empty());
    }

    #[test]
    fn words_are_found_by_their_letters() {
        let net = sample();
        assert_eq!((6, false, Some(4)), (net.len(), net.is_empty(), net.number(b"quick")));
        assert_eq!((None, b"quick" as &[u8]), (net.number(b"quic"), net.word(4)));
    }

    #[test]
    fn what_the_tool_did_not_write_is_refused() {
        assert!(WordNet::read(&[]).is_none());
        assert!(WordNet::read(&[b"\x01", b"a\n", b"\x01"]).is_none());
        let mut sections: Vec<&[u8]> = vec![b"\x01", b"a\n", b"\x01"];
        sections.extend([b"" as &[u8]; 20]);
        assert!(WordNet::read(&sections).is_none(), "the first word shares a letter with none");
    }

    #[test]
    fn numbers_have_seven_bits_a_byte() {
        assert_eq!(vec![0, 127, 128, 300], numbers(&[0, 127, 128, 1, 172, 2]).collect::<Vec<_>>());
    }
}
