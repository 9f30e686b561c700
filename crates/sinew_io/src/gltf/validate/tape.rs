//! A JSON document as one flat array in the order of its text: what checks that ask for any field
//! need, without a `serde_json::Value`, which takes up to ninety bytes for one of the file. A value
//! here takes 16, and there are never more than the commas and brackets of the text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Longer strings are kept to this many bytes: they are data URIs, and only how they start matters.
const MAX_TEXT_BYTES: usize = 256;

/// An f64 that lies on four bytes: on eight, every value would take half as much again.
#[derive(Clone, Copy, Debug)]
struct Bits([u32; 2]);

impl From<f64> for Bits {
    fn from(number: f64) -> Self {
        let bits = number.to_bits();
        Self([bits as u32, (bits >> 32) as u32])
    }
}

impl From<Bits> for f64 {
    fn from(Bits([low, high]): Bits) -> Self {
        Self::from_bits(u64::from(high) << 32 | u64::from(low))
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Null,
    Bool(bool),
    Number(Bits),
    Text { start: u32, length: u32 },
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// One past the last entry of what is inside.
    end: u32,
}

/// A document.
#[derive(Debug, Default)]
pub(super) struct Tape {
    entries: Vec<Entry>,
    text: String,
}

impl Tape {
    /// `None` if it is not JSON, or larger than 32 bits count: the reader says so itself.
    pub(super) fn parse(json: &[u8]) -> Option<Self> {
        u32::try_from(json.len()).ok()?;
        let most = json.iter().filter(|b| b",:[{".contains(b)).count() + 1;
        let mut tape = Self { entries: Vec::with_capacity(most), text: String::new() };
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        Build(&mut tape).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(tape)
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node { tape: self, at: 0 }
    }

    fn push(&mut self, kind: Kind) -> usize {
        self.entries.push(Entry { kind, end: self.entries.len() as u32 + 1 });
        self.entries.len() - 1
    }

    fn close(&mut self, at: usize) {
        self.entries[at].end = self.entries.len() as u32;
    }

    fn push_text(&mut self, text: &str) {
        let kept = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let start = self.text.len() as u32;
        self.text.push_str(kept);
        self.push(Kind::Text { start, length: kept.len() as u32 });
    }
}

struct Build<'a>(&'a mut Tape);

impl<'de> DeserializeSeed<'de> for Build<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Build<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.push(Kind::Bool(value));
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.push(Kind::Number((number as f64).into()));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.0.push(Kind::Number((number as f64).into()));
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.0.push(Kind::Number(number.into()));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push_text(text);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push(Kind::Null);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let at = self.0.push(Kind::Array);
        while items.next_element_seed(Build(self.0))?.is_some() {}
        self.0.close(at);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let at = self.0.push(Kind::Object);
        while entries.next_key_seed(Build(self.0))?.is_some() {
            entries.next_value_seed(Build(self.0))?;
        }
        self.0.close(at);
        Ok(())
    }
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    tape: &'a Tape,
    at: u32,
}

impl<'a> Node<'a> {
    fn kind(self) -> Kind {
        self.tape.entries[self.at as usize].kind
    }

    pub(super) fn is_array(self) -> bool {
        matches!(self.kind(), Kind::Array)
    }

    pub(super) fn is_object(self) -> bool {
        matches!(self.kind(), Kind::Object)
    }

    pub(super) fn is_true(self) -> bool {
        matches!(self.kind(), Kind::Bool(true))
    }

    /// True for `[]` and `{}`.
    pub(super) fn is_empty(self) -> bool {
        (self.is_array() || self.is_object()) && self.children().next().is_none()
    }

    pub(super) fn number(self) -> Option<f64> {
        if let Kind::Number(number) = self.kind() { Some(number.into()) } else { None }
    }

    /// A whole number that is not negative. `2.0` is one.
    pub(super) fn index(self) -> Option<usize> {
        let number = self.number()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as usize)
    }

    pub(super) fn text(self) -> Option<&'a str> {
        let Kind::Text { start, length } = self.kind() else { return None };
        self.tape.text.get(start as usize..(start + length) as usize)
    }

    fn children(self) -> impl Iterator<Item = Node<'a>> {
        let end = self.tape.entries[self.at as usize].end;
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let node = (at < end).then_some(Node { tape: self.tape, at })?;
            at = self.tape.entries[at as usize].end;
            Some(node)
        })
    }

    /// What an array has in it; nothing for anything else.
    pub(super) fn items(self) -> impl Iterator<Item = Node<'a>> {
        self.children().take_while(move |_| self.is_array())
    }

    /// What an object has in it; nothing for anything else.
    pub(super) fn entries(self) -> impl Iterator<Item = (&'a str, Node<'a>)> {
        let mut children = self.children();
        std::iter::from_fn(move || {
            if !self.is_object() {
                return None;
            }
            Some((children.next()?.text()?, children.next()?))
        })
    }

    pub(super) fn get(self, key: &str) -> Option<Node<'a>> {
        self.entries().find_map(|(name, value)| (name == key).then_some(value))
    }

    /// `get(key)?.index()`.
    pub(super) fn index_of(self, key: &str) -> Option<usize> {
        self.get(key)?.index()
    }

    /// The items of the array under a key.
    pub(super) fn list(self, key: &str) -> Vec<Node<'a>> {
        self.get(key).map(|list| list.items().collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_found_again_on_its_tape() {
        let tape = Tape::parse(br#"{"a":[1,2.0,{"b":null}],"c":"x\"y","d":{}}"#).unwrap();
        let root = tape.root();
        let a = root.list("a");
        assert_eq!(a.len(), 3);
        assert_eq!(a[1].index(), Some(2));
        assert!(a[2].get("b").is_some_and(|b| b.number().is_none()));
        assert_eq!(root.get("c").unwrap().text(), Some("x\"y"));
        assert!(root.get("d").unwrap().is_empty());
        assert!(root.get("e").is_none());
        assert_eq!(root.entries().count(), 3);
    }

    #[test]
    fn the_tape_never_grows_past_what_was_set_aside_for_it() {
        for json in ["[[],[],[]]", r#"{"":{},"a":[0,0,0]}"#, "[{\"\":0},{\"\":0}]", "1", "[\",,\"]"]
        {
            let most = json.bytes().filter(|b| b",:[{".contains(b)).count() + 1;
            assert!(Tape::parse(json.as_bytes()).unwrap().entries.len() <= most, "{json}");
        }
    }

    #[test]
    fn a_value_takes_sixteen_bytes_and_numbers_keep_every_bit() {
        assert_eq!(size_of::<Entry>(), 16);
        for number in [0.1, -0.0, f64::MAX, f64::MIN_POSITIVE] {
            assert_eq!(f64::from(Bits::from(number)).to_bits(), number.to_bits());
        }
    }

    #[test]
    fn what_is_not_json_has_no_tape() {
        for json in ["", "{", "[1,]", "{} {}", "\u{feff}{}"] {
            assert!(Tape::parse(json.as_bytes()).is_none(), "{json}");
        }
    }
}
