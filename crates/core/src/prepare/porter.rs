//! The stemmer of ROUGE: Porter's algorithm with the changes that NLTK's default mode has made to it, equal to NLTK
//! 3.10.4.
//!
//! It is neither the algorithm of Porter's paper nor his later program nor Porter 2; they differ in three tokens of a
//! hundred. A word is a stem and a suffix that a rule replaces if the stem is long enough, which is measured in places
//! where a vowel is followed by a consonant. Of a list of rules the first whose suffix fits decides, also if its
//! condition fails: then the word stays.
//!
//! Whether y is a consonant depends on the letter before it, and so on to the start. So it is noted for each letter
//! from left to right; a stem of a million letters takes as many steps, not their square.

use super::{Prepared, Span};
use crate::halt;
use crate::mixing::Mixer;
use crate::text::{Key, Text};

/// Replaces the words of a text by their stems, with a memory for words that it has seen lately.
#[derive(Default)]
pub struct Stemmer {
    memory: Vec<Remembered>,
    misses: usize,
    mixer: Mixer,
    word: Word,
    narrow: Vec<u8>,
    wide: Vec<u32>,
    spans: Vec<Span>,
}

/// A word whose key is its content, and its stem.
#[derive(Clone, Copy, Default)]
struct Remembered {
    key: Key,
    stem: [u8; LONGEST],
    length: u8,
}

/// The longest words that are remembered: a stem is never longer than its word.
const LONGEST: usize = 16;

/// How many words are remembered, each in the place that its key says: few at first, because one sentence needs no
/// more. Most words of a corpus are among some thousands.
const FEW_PLACES: usize = 1 << 6;
const MOST_PLACES: usize = 1 << 13;

/// Shorter words stay as they are in rouge-score, and in NLTK.
const SHORTEST: usize = 4;
const SHORTEST_OF_ALL: usize = 3;

impl Stemmer {
    /// A stemmer of words of any characters from three on, as NLTK's own; the usual one leaves words alone that have
    /// less than four, or others than a to z and 0 to 9, as rouge-score does.
    pub fn of_all_words() -> Self {
        Self { word: Word { any: true, ..Word::default() }, ..Self::default() }
    }

    /// The text of the stems, and where they are.
    pub fn stems<'a>(&'a mut self, words: Prepared<'_>) -> Prepared<'a> {
        self.spans.clear();
        halt::reserve(&mut self.spans, words.spans.len());
        match words.text {
            Text::Narrow(text) => {
                self.narrow.clear();
                halt::reserve(&mut self.narrow, text.len() + LONGEST);
                words.spans.iter().for_each(|&span| self.add_narrow(text, span));
                Prepared { text: Text::Narrow(&self.narrow), spans: &self.spans }
            }
            Text::Wide(text) => {
                self.wide.clear();
                halt::reserve(&mut self.wide, text.len());
                words.spans.iter().for_each(|&span| self.add_wide(span.of(text)));
                Prepared { text: Text::Wide(&self.wide), spans: &self.spans }
            }
        }
    }

    fn add_narrow(&mut self, text: &[u8], span: Span) {
        let start = self.narrow.len();
        let (word, key) = (span.of(text), span.key(text));
        if key.is_hashed() {
            self.narrow.extend_from_slice(self.word.stem(word));
        } else {
            let remembered = self.remembered(key, word);
            // A copy of a fixed length is faster than one of the length that is needed.
            self.narrow.extend_from_slice(&remembered.stem);
            self.narrow.truncate(start + usize::from(remembered.length));
        }
        self.spans.push(Span::new(start, self.narrow.len()));
    }

    fn add_wide(&mut self, word: &[u32]) {
        let start = self.wide.len();
        let is_ascii = word.iter().all(|&c| c < 0x80);
        if word.len() < SHORTEST_OF_ALL || !is_ascii && !self.word.any {
            self.wide.extend_from_slice(word);
        } else {
            // Beyond ASCII all are consonants; rules ask only whether one is doubled. They stay in their places.
            let mut bytes: Vec<u8> = Vec::with_capacity(word.len());
            for (at, &c) in word.iter().enumerate() {
                let is_doubled = at > 0 && word[at - 1] == c;
                let before = bytes.last().copied().unwrap_or(0);
                bytes.push(if c < 0x80 { c as u8 } else { 0x80 | before & 1 ^ u8::from(!is_doubled) });
            }
            let stem = self.word.stem(&bytes);
            let letter = |(at, &c): (usize, &u8)| if c < 0x80 { c.into() } else { word[at] };
            self.wide.extend(stem.iter().enumerate().map(letter));
        }
        self.spans.push(Span::new(start, self.wide.len()));
    }

    #[inline]
    fn remembered(&mut self, key: Key, word: &[u8]) -> Remembered {
        if self.misses >= self.memory.len() && self.memory.len() < MOST_PLACES {
            let places = (8 * self.memory.len()).clamp(FEW_PLACES, MOST_PLACES);
            self.misses = 0;
            let known = std::mem::replace(&mut self.memory, vec![Remembered::default(); places]);
            for one in known.into_iter().filter(|one| one.length > 0) {
                let place = one.key.mixed(self.mixer) as usize & (places - 1);
                self.memory[place] = one;
            }
        }
        let place = key.mixed(self.mixer) as usize & (self.memory.len() - 1);
        if !self.memory[place].key.equals(key) {
            self.misses += 1;
            let stem = self.word.stem(word);
            let mut remembered = Remembered { key, stem: [0; LONGEST], length: stem.len() as u8 };
            remembered.stem[..stem.len()].copy_from_slice(stem);
            self.memory[place] = remembered;
        }
        self.memory[place]
    }
}

/// A word on its way to its stem.
#[derive(Default)]
struct Word {
    any: bool,
    letters: Vec<u8>,
    consonants: Vec<bool>,
}

/// Words that the rules would get wrong.
const IRREGULAR: [(&[u8], &[u8]); 16] = [
    (b"sky", b"sky"),
    (b"skies", b"sky"),
    (b"dying", b"die"),
    (b"lying", b"lie"),
    (b"tying", b"tie"),
    (b"news", b"news"),
    (b"howe", b"howe"),
    (b"proceed", b"proceed"),
    (b"exceed", b"exceed"),
    (b"succeed", b"succeed"),
    (b"innings", b"inning"),
    (b"inning", b"inning"),
    (b"outings", b"outing"),
    (b"outing", b"outing"),
    (b"cannings", b"canning"),
    (b"canning", b"canning"),
];

/// Suffixes and what takes their place after a stem with a vowel that a consonant follows.
const STEP_2: [(&[u8], &[u8]); 21] = [
    (b"ational", b"ate"),
    (b"tional", b"tion"),
    (b"enci", b"ence"),
    (b"anci", b"ance"),
    (b"izer", b"ize"),
    (b"bli", b"ble"),
    (b"alli", b"al"),
    (b"entli", b"ent"),
    (b"eli", b"e"),
    (b"ousli", b"ous"),
    (b"ization", b"ize"),
    (b"ation", b"ate"),
    (b"ator", b"ate"),
    (b"alism", b"al"),
    (b"iveness", b"ive"),
    (b"fulness", b"ful"),
    (b"ousness", b"ous"),
    (b"aliti", b"al"),
    (b"iviti", b"ive"),
    (b"biliti", b"ble"),
    (b"fulli", b"ful"),
];

/// The same with other suffixes.
const STEP_3: [(&[u8], &[u8]); 7] = [
    (b"icate", b"ic"),
    (b"ative", b""),
    (b"alize", b"al"),
    (b"iciti", b"ic"),
    (b"ical", b"ic"),
    (b"ful", b""),
    (b"ness", b""),
];

/// Suffixes that are dropped after a stem with two such places; `ion` only after s or t.
const STEP_4: [&[u8]; 19] = [
    b"al", b"ance", b"ence", b"er", b"ic", b"able", b"ible", b"ant", b"ement", b"ment", b"ent", b"ion", b"ou", b"ism",
    b"ate", b"iti", b"ous", b"ive", b"ize",
];

impl Word {
    /// The stem of a word; the word, if it is too short or has other characters than have stems.
    fn stem<'a>(&'a mut self, word: &'a [u8]) -> &'a [u8] {
        let is_plain = |c: &u8| c.is_ascii_lowercase() || c.is_ascii_digit();
        let has_stem =
            if self.any { word.len() >= SHORTEST_OF_ALL } else { word.len() >= SHORTEST && word.iter().all(is_plain) };
        if !has_stem {
            return word;
        }
        if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word) {
            return stem;
        }
        self.letters.clear();
        self.consonants.clear();
        self.push(word);
        self.drop_plural();
        self.drop_past();
        self.y_to_i();
        self.shorten_double_suffix();
        self.replace_first(&STEP_3);
        self.drop_last_suffix();
        self.tidy_up();
        &self.letters
    }

    /// Step 1a.
    fn drop_plural(&mut self) {
        if self.ends(b"ies") {
            let dropped = if self.letters.len() == 4 { 1 } else { 2 };
            self.cut(dropped);
        } else if self.ends(b"sses") {
            self.cut(2);
        } else if self.ends(b"s") && !self.ends(b"ss") {
            self.cut(1);
        }
    }

    /// Step 1b.
    fn drop_past(&mut self) {
        if self.ends(b"ied") {
            let dropped = if self.letters.len() == 4 { 1 } else { 2 };
            return self.cut(dropped);
        }
        if self.ends(b"eed") {
            let dropped = usize::from(self.measure(self.letters.len() - 3) > 0);
            return self.cut(dropped);
        }
        let suffix = if self.ends(b"ed") { 2 } else { 3 };
        let stem = self.letters.len().saturating_sub(suffix);
        if !(self.ends(b"ed") || self.ends(b"ing")) || self.consonants[..stem].iter().all(|&consonant| consonant) {
            return;
        }
        self.cut(suffix);
        if self.ends(b"at") || self.ends(b"bl") || self.ends(b"iz") {
            self.push(b"e");
        } else if let [.., before, last] = self.letters[..]
            && before == last
            && self.consonants[stem - 1]
        {
            let dropped = usize::from(!matches!(last, b'l' | b's' | b'z'));
            self.cut(dropped);
        } else if self.measure(stem) == 1 && self.ends_cvc(stem) {
            self.push(b"e");
        }
    }

    /// Step 1c.
    fn y_to_i(&mut self) {
        let rest = self.letters.len().saturating_sub(1);
        if self.ends(b"y") && rest > 1 && self.consonants[rest - 1] {
            self.cut(1);
            self.push(b"i");
        }
    }

    /// Step 2.
    fn shorten_double_suffix(&mut self) {
        while self.ends(b"alli") && self.measure(self.letters.len() - 4) > 0 {
            self.cut(2);
        }
        // The l of `logi` counts as the end of the stem.
        if !self.replace_first(&STEP_2) && self.ends(b"logi") && self.measure(self.letters.len() - 3) > 0 {
            self.cut(1);
        }
    }

    /// Step 4.
    fn drop_last_suffix(&mut self) {
        let Some(suffix) = STEP_4.iter().find(|suffix| self.ends(suffix)) else { return };
        let stem = self.letters.len() - suffix.len();
        let fits = *suffix != b"ion" || matches!(self.letters[..stem].last(), Some(b's' | b't'));
        if fits && self.measure(stem) > 1 {
            self.cut(suffix.len());
        }
    }

    /// Step 5.
    fn tidy_up(&mut self) {
        let rest = self.letters.len().saturating_sub(1);
        if self.ends(b"e") {
            let measure = self.measure(rest);
            if measure > 1 || measure == 1 && !self.ends_cvc(rest) {
                self.cut(1);
            }
        }
        if self.ends(b"ll") && self.measure(self.letters.len() - 1) > 1 {
            self.cut(1);
        }
    }

    /// Replaces the first suffix that fits, if the stem allows it. Returns whether one fits.
    fn replace_first(&mut self, rules: &[(&[u8], &[u8])]) -> bool {
        let Some((suffix, replacement)) = rules.iter().find(|(suffix, _)| self.ends(suffix)) else { return false };
        if self.measure(self.letters.len() - suffix.len()) > 0 {
            self.cut(suffix.len());
            self.push(replacement);
        }
        true
    }

    fn ends(&self, suffix: &[u8]) -> bool {
        self.letters.ends_with(suffix)
    }

    fn cut(&mut self, letters: usize) {
        self.letters.truncate(self.letters.len() - letters);
        self.consonants.truncate(self.letters.len());
    }

    fn push(&mut self, letters: &[u8]) {
        for &letter in letters {
            let is_consonant = match letter {
                b'a' | b'e' | b'i' | b'o' | b'u' => false,
                b'y' => !self.consonants.last().is_some_and(|&before| before),
                _ => true,
            };
            halt::reserve(&mut self.letters, 1);
            halt::reserve(&mut self.consonants, 1);
            self.letters.push(letter);
            self.consonants.push(is_consonant);
        }
    }

    /// In how many places of the first letters a vowel is followed by a consonant.
    fn measure(&self, letters: usize) -> usize {
        self.consonants[..letters].windows(2).filter(|pair| !pair[0] && pair[1]).count()
    }

    /// Whether the first letters end in consonant, vowel, consonant, and the last is not w, x or y; or are a vowel and
    /// a consonant.
    fn ends_cvc(&self, letters: usize) -> bool {
        match self.consonants[..letters] {
            [false, true] => true,
            [.., true, false, true] => !matches!(self.letters[letters - 1], b'w' | b'x' | b'y'),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Tokenizer, Tokens};
    use super::*;

    fn stems(text: &str) -> String {
        let (mut tokens, mut stemmer) = (Tokens::default(), Stemmer::default());
        let words = tokens.tokenize(Tokenizer::Rouge, text.as_bytes());
        let again = stemmer.stems(words).joined();
        let wide: Vec<u32> = text.bytes().map(u32::from).collect();
        let mut tokens = Tokens::default();
        assert_eq!(again, stemmer.stems(tokens.tokenize(Tokenizer::Rouge, &wide)).joined());
        again.into_iter().filter_map(char::from_u32).collect()
    }

    #[test]
    fn words_have_the_stems_of_nltk() {
        let words = "ponies ties dies this agreed sized used being dyed eyed enjoy rational radically really fully \
                     hopefully geology generalizations oscillators agreement replacement business 1990s a1ed 3ing yyyy";
        let expected = "poni tie die thi agre size use be dy eye enjoy ration radic realli fulli \
                        hope geolog gener oscil agreement replac busi 1990 a1e 3ing yyyi";
        assert_eq!(expected, stems(words));
        assert_eq!("gas fly say sky lie canning", stems("gas fly say skies lying cannings"));
    }

    #[test]
    fn long_words_are_not_remembered_and_take_linear_time() {
        assert_eq!("overgeneralizat", stems("overgeneralizationnesses"));
        let long = "y".repeat(1 << 20);
        assert_eq!(1 << 20, stems(&long).len());
    }
}
