//! JSON lets a key come twice and most readers silently take the last; here it is an error.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

/// An object's entries in the file's order, each key once.
///
/// # Errors
/// Names the key that comes twice.
pub fn once<'de, D, T>(deserializer: D) -> Result<Vec<(String, T)>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Entries<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object from names to what each has")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut seen = std::collections::HashSet::new();
            let mut entries = Vec::new();
            while let Some(name) = map.next_key::<String>()? {
                if !seen.insert(name.clone()) {
                    return Err(A::Error::custom(format!("'{name}' is named twice")));
                }
                entries.push((name, map.next_value()?));
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_map(Entries(PhantomData))
}
