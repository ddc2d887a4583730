//! Blocks of JSON lines whose records are alike: the values of some fields, column by column.
//!
//! The oracle is Python's parser, which reads a block again where this one gives up. It does so whenever a record is
//! not as expected: where it lacks a field or has one twice, where a value is null or of another kind, where the text
//! is no JSON, and also where Python might read something else (half a surrogate pair, `NaN`, numbers of thousands of
//! digits, names with dots beside fields that are inside others). So what it gives needs no message.

use crate::halt;
use std::borrow::Cow;

/// What the values of a field are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// A list of texts, at least one.
    Texts,
    /// A whole number.
    Whole,
    /// True or false.
    Truth,
}

/// The values of a field.
#[derive(Clone, Debug)]
pub struct Values {
    /// What they are.
    pub kind: Kind,
    /// The bytes of all texts.
    pub bytes: Vec<u8>,
    /// Where the first text begins, and where each ends.
    pub ends: Vec<i32>,
    /// With which text the first list begins, and before which each ends.
    pub lists: Vec<i32>,
    /// Whole numbers; of truth values 0 and 1.
    pub numbers: Vec<i64>,
}

impl Values {
    fn new(kind: Kind) -> Self {
        Self { kind, bytes: Vec::new(), ends: vec![0], lists: vec![0], numbers: Vec::new() }
    }

    fn push(&mut self, text: &[u8]) -> Option<()> {
        self.bytes.extend_from_slice(text);
        self.ends.push(i32::try_from(self.bytes.len()).ok()?);
        Some(())
    }
}

/// Fields to look for, by the names on the way to each.
pub struct Fields {
    kinds: Vec<Kind>,
    /// The names of an object: of each whether a field or another object is there.
    objects: Vec<Vec<(Vec<u8>, Place)>>,
}

#[derive(Clone, Copy)]
enum Place {
    Field(usize),
    Object(usize),
}

impl Fields {
    /// Looks for fields; no two may have the same way, and none may lie on the way to another.
    pub fn new(fields: &[(Vec<String>, Kind)]) -> Self {
        let mut made = Self { kinds: fields.iter().map(|field| field.1).collect(), objects: vec![Vec::new()] };
        for (at, (way, _)) in fields.iter().enumerate() {
            let mut object = 0;
            for (depth, name) in way.iter().enumerate() {
                let known = made.objects[object].iter().find(|(known, _)| known == name.as_bytes());
                object = match known {
                    Some(&(_, Place::Object(inner))) => inner,
                    _ if depth + 1 == way.len() => {
                        made.objects[object].push((name.clone().into_bytes(), Place::Field(at)));
                        break;
                    }
                    _ => {
                        let inner = made.objects.len();
                        made.objects[object].push((name.clone().into_bytes(), Place::Object(inner)));
                        made.objects.push(Vec::new());
                        inner
                    }
                };
            }
        }
        made
    }

    /// Reads a block of so many lines; nothing unless each is a record with all the fields.
    pub fn read(&self, block: &[u8], lines: usize) -> Option<Vec<Values>> {
        std::str::from_utf8(block).ok()?;
        let mut reader = Reader { block, at: 0, fields: self, visits: vec![0; self.objects.len()] };
        let mut values: Vec<Values> = self.kinds.iter().map(|&kind| Values::new(kind)).collect();
        for line in 1..=lines {
            let begin = reader.at;
            reader.space();
            reader.object(0, line, &mut values)?;
            reader.space();
            reader.end_line()?;
            halt::spend((reader.at - begin) / 32);
            values.iter().all(|one| one.rows() == line).then_some(())?;
        }
        (reader.at == block.len()).then_some(values)
    }
}

impl Values {
    /// How many records there are values of.
    pub fn rows(&self) -> usize {
        match self.kind {
            Kind::Text => self.ends.len() - 1,
            Kind::Texts => self.lists.len() - 1,
            Kind::Whole | Kind::Truth => self.numbers.len(),
        }
    }
}

/// How deep values may lie inside others.
const DEEPEST: usize = 100;

/// The digits that Python takes at least, whatever its limits.
const LONGEST: usize = 640;

struct Reader<'a> {
    block: &'a [u8],
    at: usize,
    fields: &'a Fields,
    /// The line in which each object was met last.
    visits: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.block.get(self.at).copied()
    }

    fn eats(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.eats(byte).then_some(())
    }

    fn take_all(&mut self, word: &[u8]) -> Option<()> {
        self.block[self.at..].starts_with(word).then(|| self.at += word.len())
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn end_line(&mut self) -> Option<()> {
        if self.at == self.block.len() {
            return Some(());
        }
        self.eats(b'\r'); // others mean nothing in JSON, and the end of a line in a text file
        self.take(b'\n')
    }

    /// Reads an object whose fields are looked for.
    fn object(&mut self, object: usize, line: usize, values: &mut [Values]) -> Option<()> {
        let fields = self.fields;
        let known = &fields.objects[object];
        let holds_objects = known.iter().any(|(_, place)| matches!(place, Place::Object(_)));
        // A second one of a name would take the place of the first.
        (std::mem::replace(&mut self.visits[object], line) != line).then_some(())?;
        self.members(|reader, name| match known.iter().find(|(known, _)| *known == name) {
            Some(&(_, Place::Object(inner))) => reader.object(inner, line, values),
            Some(&(_, Place::Field(field))) => reader.field(&mut values[field], line),
            None if holds_objects && name.contains(&b'.') => None, // it may go before fields inside others
            None => reader.skip(0),
        })
    }

    /// Reads an object, whose values `value` reads.
    fn members(&mut self, mut value: impl FnMut(&mut Self, &[u8]) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        self.space();
        if self.eats(b'}') {
            return Some(());
        }
        loop {
            self.space();
            let name = self.text()?;
            self.space();
            self.take(b':')?;
            self.space();
            value(self, &name)?;
            self.space();
            if !self.eats(b',') {
                return self.take(b'}');
            }
        }
    }

    /// Reads a list, whose values `value` reads.
    fn items(&mut self, mut value: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(b'[')?;
        self.space();
        if self.eats(b']') {
            return Some(());
        }
        loop {
            self.space();
            value(self)?;
            self.space();
            if !self.eats(b',') {
                return self.take(b']');
            }
        }
    }

    /// Reads the value of a field, the only one in its line.
    fn field(&mut self, values: &mut Values, line: usize) -> Option<()> {
        (values.rows() + 1 == line).then_some(())?;
        match values.kind {
            Kind::Text => values.push(&self.text()?),
            Kind::Texts => {
                let begin = *values.lists.last()?;
                self.items(|reader| values.push(&reader.text()?))?;
                let end = i32::try_from(values.ends.len() - 1).ok()?;
                values.lists.push(end);
                (end > begin).then_some(())
            }
            Kind::Whole => {
                let digits = self.number()?;
                values.numbers.push(std::str::from_utf8(digits).ok()?.parse().ok()?);
                Some(())
            }
            Kind::Truth => {
                let is_true = self.peek() == Some(b't');
                values.numbers.push(i64::from(is_true));
                self.take_all(if is_true { b"true" } else { b"false" })
            }
        }
    }

    /// Reads a value that nobody looks for.
    fn skip(&mut self, depth: usize) -> Option<()> {
        (depth < DEEPEST).then_some(())?;
        match self.peek()? {
            b'"' => self.text().map(drop),
            b'{' => self.members(|reader, _| reader.skip(depth + 1)),
            b'[' => self.items(|reader| reader.skip(depth + 1)),
            b't' => self.take_all(b"true"),
            b'f' => self.take_all(b"false"),
            b'n' => self.take_all(b"null"),
            _ => self.number().map(drop),
        }
    }

    /// Reads a number.
    fn number(&mut self) -> Option<&'a [u8]> {
        let begin = self.at;
        self.eats(b'-');
        let is_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        (!is_zero || digits == 1).then_some(())?;
        if self.eats(b'.') {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            let _ = self.eats(b'-') || self.eats(b'+');
            self.digits()?;
        }
        Some(&self.block[begin..self.at])
    }

    fn digits(&mut self) -> Option<usize> {
        let count = self.block[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        (1..=LONGEST).contains(&count).then_some(count)
    }

    /// Reads a text.
    fn text(&mut self) -> Option<Cow<'a, [u8]>> {
        self.take(b'"')?;
        let (mut whole, mut begin) = (Vec::new(), self.at);
        loop {
            let rest = &self.block[self.at..];
            self.at += rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ')?;
            let plain = &self.block[begin..self.at];
            self.at += 1;
            match self.block[self.at - 1] {
                b'"' if whole.is_empty() => return Some(Cow::Borrowed(plain)),
                b'"' => {
                    whole.extend_from_slice(plain);
                    return Some(Cow::Owned(whole));
                }
                b'\\' => {
                    whole.extend_from_slice(plain);
                    let letter = self.escaped()?;
                    whole.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    begin = self.at;
                }
                _ => return None,
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        self.at += 1;
        Some(match self.block.get(self.at - 1)? {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => match self.unit()? {
                high @ 0xd800..0xdc00 => {
                    self.take_all(b"\\u")?;
                    let low = self.unit()?.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
                    char::from_u32(0x10000 + (high - 0xd800) * 0x400 + low)?
                }
                unit => char::from_u32(unit)?,
            },
            &same @ (b'"' | b'\\' | b'/') => same.into(),
            _ => return None,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.block.get(self.at..self.at + 4).filter(|four| four.iter().all(u8::is_ascii_hexdigit))?;
        self.at += 4;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kinds: &[(&str, Kind)], block: &str) -> Option<Vec<Values>> {
        let way = |way: &str| way.split('/').map(str::to_owned).collect();
        let fields: Vec<(Vec<String>, Kind)> = kinds.iter().map(|&(name, kind)| (way(name), kind)).collect();
        Fields::new(&fields).read(block.as_bytes(), block.lines().count().max(1))
    }

    fn texts(block: &str) -> Option<Vec<String>> {
        let found = read(&[("a/b", Kind::Text)], block)?;
        let text = |ends: &[i32]| found[0].bytes[ends[0] as usize..ends[1] as usize].to_vec();
        Some(found[0].ends.windows(2).map(|ends| String::from_utf8(text(ends)).unwrap()).collect())
    }

    #[test]
    fn texts_inside_others_are_found_among_anything() {
        let block = concat!(
            r#"{"a": {"b": "x"}}"#,
            "\n",
            r#" { "z" : [1, {"b": [true, null, -0.5e+3, "]"]}] ,"#,
            r#""a":{"c":{}, "b" : "\u00e4\ud83d\ude00\\\"\/\n" , "d":[]}} "#,
            "\r\n",
            "{\"a\":{\"\\u0062\":\"ü\"}}"
        );
        assert_eq!(texts(block).unwrap(), ["x", "ä😀\\\"/\n", "ü"]);
    }

    #[test]
    fn whatever_is_unusual_is_left_to_the_oracle() {
        let good = r#"{"a": {"b": "x"}, "c": 0}"#;
        assert!(texts(good).is_some());
        let deep = format!(r#"{{"a": {{"b": "x"}}, "c": {}{}}}"#, "[".repeat(150), "]".repeat(150));
        let long = good.replace('0', &"1".repeat(700));
        for odd in [
            "",
            "\n",
            "[]",
            "{}",
            "null",
            &deep,
            &long,
            r#"{"a": {"b": 1}}"#,
            r#"{"a": {"b": null}}"#,
            r#"{"a": {}}"#,
            r#"{"a": "b"}"#,
            r#"{"a": [{"b": "x"}]}"#,
            r#"{"a": {"b": "x", "b": "x"}}"#,
            r#"{"a": {"b": "x"}, "a": {}}"#,
            r#"{"a": {"b": "x"}, "a.b": 1}"#,
            r#"{"a": {"b": "x"}"#,
            r#"{"a": {"b": "x"}}}"#,
            r#"{"a": {"b": "x"},}"#,
            r#"{"a": {"b": "x"}} {}"#,
            r#"{"a": {"b": "\ud800"}}"#,
            r#"{"a": {"b": "\udc00\ud800"}}"#,
            r#"{"a": {"b": "\x"}}"#,
            "{\"a\": {\"b\": \"\t\"}}",
            r#"{"a": {"b": "\u+123"}}"#,
            "{\"a\": {\"b\": \"x\"}}\r{}",
            "\u{feff}{\"a\": {\"b\": \"x\"}}",
        ] {
            assert_eq!(texts(odd), None, "{odd}");
            assert_eq!(texts(&format!("{good}\n{odd}\n{good}")), None, "{odd}");
        }
        for odd in ["01", "-", "1.", ".5", "1e", "+1", "NaN", "Infinity", "nul", "tru", "1 2", "'x'", "[1,]", "[,]"] {
            assert_eq!(texts(&good.replace('0', odd)), None, "{odd}");
        }
        assert!(Fields::new(&[]).read(b"{}\n{}", 1).is_none() && Fields::new(&[]).read(b"{}", 2).is_none());
        assert!(Fields::new(&[]).read(b"{\"a\": \"\xff\"}", 1).is_none());
    }

    #[test]
    fn values_of_each_kind_are_kept() {
        let kinds = [("l", Kind::Texts), ("n", Kind::Whole), ("t", Kind::Truth)];
        let block = concat!(
            r#"{"n": -7, "t": true, "l": ["a", ""]}"#,
            "\n",
            r#"{"l": ["b"], "t": false, "n": 9223372036854775807}"#,
            "\n",
            r#"{"l": [ "c" , "d"], "t": false, "n": -0}"#,
            "\n",
        );
        let [lists, numbers, truths] = &read(&kinds, block).unwrap()[..] else { panic!("three columns") };
        assert_eq!((&lists.lists[..], &lists.ends[..]), (&[0, 2, 3, 5][..], &[0, 1, 1, 2, 3, 4][..]));
        assert_eq!((&lists.bytes[..], &numbers.numbers[..]), (&b"abcd"[..], &[-7, i64::MAX, 0][..]));
        assert_eq!(truths.numbers, [1, 0, 0]);
        for odd in [r#""n": 1.0"#, r#""n": 1e3"#, r#""n": 9223372036854775808"#, r#""n": true"#, r#""n": "1""#] {
            assert!(read(&kinds[1..2], &format!("{{{odd}}}")).is_none(), "{odd}");
        }
        for odd in [r#""a""#, "[]", "[1]", r#"["a", null]"#, r#"["a" "b"]"#] {
            assert!(read(&kinds[..1], &format!(r#"{{"l": {odd}}}"#)).is_none(), "{odd}");
        }
        assert!(read(&kinds[2..], r#"{"t": 1}"#).is_none() && read(&kinds[2..], r#"{"t": null}"#).is_none());
    }
}
