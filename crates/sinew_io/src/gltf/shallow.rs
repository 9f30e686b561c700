//! The few entries of a free-form JSON object that Sinew reads, with all else passed over: what
//! nobody looks at must not take memory. (The document itself is carried as text.)

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Items of a list that are kept: no mesh has more morph targets, and no document uses more
/// extensions.
const MAX_ITEMS: usize = 4096;

/// The names of extensions; refused if there are too many, since one that is left out might be
/// required.
pub(super) fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MAX_ITEMS} names")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = items.next_element()? {
                if names.len() == MAX_ITEMS {
                    return Err(A::Error::invalid_length(MAX_ITEMS + 1, &self));
                }
                names.push(name);
            }
            Ok(names)
        }
    }
    deserializer.deserialize_seq(Names)
}

/// Of `extras`: what our own writer adds, and the names of morph targets. Anything but an object
/// becomes null.
pub(super) fn extras<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let is_wanted = |key: &str| key.starts_with("sinew_") || key == "targetNames";
    Shallow { is_wanted, has_objects: false }.deserialize(deserializer)
}

/// Of `pbrMetallicRoughness`: the base colour.
pub(super) fn base_color<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let is_wanted = |key: &str| key.starts_with("baseColor") || key == "index" || key == "texCoord";
    Shallow { is_wanted, has_objects: true }.deserialize(deserializer)
}

/// Of `normalTexture`: where it is and how strong.
pub(super) fn normal_map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let is_wanted = |key: &str| matches!(key, "index" | "texCoord" | "scale");
    Shallow { is_wanted, has_objects: false }.deserialize(deserializer)
}

/// A word, a number or a truth; anything else becomes null or an empty object.
pub(super) fn scalar<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Shallow { is_wanted: |_: &str| false, has_objects: false }.deserialize(deserializer)
}

/// An object's wanted entries: scalars, lists of scalars and, if there may be such, objects of
/// scalars.
#[derive(Clone, Copy)]
struct Shallow<F> {
    is_wanted: F,
    has_objects: bool,
}

impl<'de, F: Fn(&str) -> bool + Copy> DeserializeSeed<'de> for Shallow<F> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Taker { shallow: self, depth: 0 })
    }
}

struct Taker<F> {
    shallow: Shallow<F>,
    depth: usize,
}

impl<'de, F: Fn(&str) -> bool + Copy> DeserializeSeed<'de> for Taker<F> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: Fn(&str) -> bool + Copy> Visitor<'de> for Taker<F> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        if self.depth != 1 {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut list = Vec::new();
        while list.len() < MAX_ITEMS
            && let Some(item) =
                items.next_element_seed(Taker { shallow: self.shallow, depth: 2 })?
        {
            list.push(item);
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        list.shrink_to_fit();
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let is_taken = self.depth == 0 || self.depth == 1 && self.shallow.has_objects;
        let mut taken = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if is_taken && (self.shallow.is_wanted)(&key) {
                let taker = Taker { shallow: self.shallow, depth: self.depth + 1 };
                taken.insert(key, entries.next_value_seed(taker)?);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(if is_taken { Value::Object(taken) } else { Value::Null })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken(text: &str) -> Value {
        extras(&mut serde_json::Deserializer::from_str(text)).unwrap()
    }

    #[test]
    fn lists_end_somewhere() {
        let many = vec!["0"; MAX_ITEMS + 9].join(",");
        let kept = taken(&format!(r#"{{"targetNames":[{many}]}}"#));
        assert_eq!(kept["targetNames"].as_array().unwrap().len(), MAX_ITEMS);
        let many = vec![r#""a""#; MAX_ITEMS + 1].join(",");
        let read = |text: &str| names(&mut serde_json::Deserializer::from_str(text));
        assert!(read(&format!("[{many}]")).unwrap_err().to_string().contains("at most 4096"));
        assert_eq!(read(r#"["a","b"]"#).unwrap(), ["a", "b"]);
    }

    #[test]
    fn only_what_is_read_is_kept() {
        let text =
            r#"{"a":[[0]],"targetNames":["x",1,[2],{}],"sinew_tail":[0.5,1],"sinew_x":{"y":1}}"#;
        let kept = json!({"targetNames":["x",1,null,null],"sinew_tail":[0.5,1],"sinew_x":null});
        assert_eq!(taken(text), kept);
        for other in ["[1,2]", "null", "[[[]]]"] {
            assert_eq!(taken(other), Value::Null, "{other}");
        }
        let text = r#"{"baseColorFactor":[1,0,0,1],"baseColorTexture":{"index":2,"extras":[0]},"metallicFactor":1}"#;
        let kept = json!({"baseColorFactor":[1,0,0,1],"baseColorTexture":{"index":2}});
        assert_eq!(base_color(&mut serde_json::Deserializer::from_str(text)).unwrap(), kept);
    }
}
