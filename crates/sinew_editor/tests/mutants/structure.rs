//! Texts that are changed within their own grammar: numbers become other numbers, words become
//! other words of the same field, lists and objects lose, gain or swap what they have. Most of them
//! get past the door.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::random::Random;

/// What an edit is.
const TAG: &str = "edit";

/// What fields have in the seeds.
#[derive(Default)]
pub(crate) struct Words(BTreeMap<String, Vec<Value>>);

impl Words {
    /// Of all seeds.
    pub(crate) fn of(seeds: &[Value]) -> Self {
        let mut words = Self::default();
        seeds.iter().for_each(|seed| words.learn(seed));
        words
    }

    fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    let known = self.0.entry(key.clone()).or_default();
                    if !known.contains(value) {
                        known.push(value.clone());
                    }
                    self.learn(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            _ => {}
        }
    }

    /// One to four changes.
    pub(crate) fn change(&self, value: &mut Value, random: &mut Random) {
        for _ in 0..=random.below(4) {
            self.change_one("", value, random);
        }
    }

    /// `key` is the field that it is in.
    fn change_one(&self, key: &str, at: &mut Value, random: &mut Random) {
        // Further down most of the time.
        if !random.one_in(4) {
            let child = match at {
                Value::Object(entries) => {
                    let place = random.below(entries.len());
                    entries.iter_mut().nth(place).map(|(key, child)| (key.clone(), child))
                }
                Value::Array(items) => {
                    let place = random.below(items.len());
                    items.get_mut(place).map(|child| (key.to_owned(), child))
                }
                _ => None,
            };
            if let Some((key, child)) = child {
                self.change_one(&key, child, random);
                return;
            }
        }
        match at {
            Value::Object(entries) => self.change_object(entries, random),
            Value::Array(items) => change_list(items, random),
            Value::Number(number) => {
                let x = number.as_f64().unwrap_or(0.0);
                let is_whole = number.is_u64() || number.is_i64();
                let near = [0.5 * x, 2.0 * x, x + 1.0, x - 1.0, -x, 0.0, 1.0, 1e-9, 40.0];
                let far = [4e9, -4e9, 1e30, 1e300];
                let is_far = random.one_in(8);
                let odd: &[f64] = if is_far { &far } else { &near };
                let next = odd[random.below(odd.len())];
                *at = match is_whole {
                    true if !is_far => json!(next.abs() as u64),
                    true => json!(next as i64),
                    false => json!(next),
                };
            }
            Value::Bool(truth) => *truth = !*truth,
            // The word that says what all others mean: another would be refused for those.
            Value::String(_) if key == TAG && !random.one_in(8) => {}
            Value::String(text) => {
                // Mostly a word that the field has elsewhere.
                let others: Vec<&Value> = match random.one_in(12) {
                    true => self.0.values().flatten().filter(|other| other.is_string()).collect(),
                    false => self.0.get(key).into_iter().flatten().collect(),
                };
                let others: Vec<&Value> =
                    others.into_iter().filter(|other| other.is_string()).collect();
                if random.one_in(12) || others.is_empty() {
                    text.push('x');
                } else {
                    *at = others[random.below(others.len())].clone();
                }
            }
            Value::Null => {}
        }
    }

    fn change_object(&self, entries: &mut serde_json::Map<String, Value>, random: &mut Random) {
        let Some(key) = entries.keys().nth(random.below(entries.len())).cloned() else {
            return;
        };
        if key == TAG && !random.one_in(8) {
            return;
        }
        if random.one_in(6) {
            entries.remove(&key);
        } else if let Some(known) = self.0.get(&key) {
            let other = known[random.below(known.len())].clone();
            entries.insert(key, other);
        }
    }
}

fn change_list(items: &mut Vec<Value>, random: &mut Random) {
    if items.is_empty() {
        return;
    }
    let (a, b) = (random.below(items.len()), random.below(items.len()));
    match random.below(3) {
        0 => items.swap(a, b),
        1 => items.insert(a, items[b].clone()),
        _ => _ = items.remove(a),
    }
}
