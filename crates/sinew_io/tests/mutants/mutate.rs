//! How a file is broken: bits, bytes, lines, or its JSON as JSON. The same seed breaks it the same
//! way.

use serde_json::{Value, json};

use crate::random::Random;

/// Words that break counts, offsets and floats: limits, NaN, infinity, denormals, huge values.
const WORDS: [u32; 12] = [
    0,
    1,
    3,
    0x7f,
    0xff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fc0_0000,
    0x7f80_0000,
    0x7f7f_ffff,
];

/// Bits, bytes, words, cuts and splices.
pub(crate) fn bytes(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(9) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => {
                bytes[at] =
                    *random.pick(&[0, 0xff, 0x7f, 0x80, b'0', b'9', b'-', b' ', b'\n', b'{']);
            }
            2 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            3 | 4 if bytes.len() >= 4 => {
                let at = at.min(bytes.len() - 4) / 4 * 4;
                bytes[at..at + 4].copy_from_slice(&random.pick(&WORDS).to_le_bytes());
            }
            5 => bytes.truncate(at),
            6 => {
                let range = random.range(bytes.len());
                bytes.drain(range);
            }
            7 => {
                let copy = bytes[random.range(bytes.len())].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {
                let copy = other[random.range(other.len())].to_vec();
                let range = random.range(bytes.len());
                bytes.splice(range, copy);
            }
        }
    }
}

/// Lines and words of a text.
pub(crate) fn lines(bytes: &mut Vec<u8>, random: &mut Random) {
    const TOKENS: [&str; 20] = [
        "nan",
        "inf",
        "-1",
        "0",
        "1",
        "4",
        "99999999999999999999",
        "1e400",
        "-1e-400",
        "1/2/3/4",
        "//",
        "1//",
        "\\",
        "#",
        "f",
        "v",
        "list",
        "uchar",
        "int",
        "",
    ];
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..1 + random.below(4) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(7) {
            0 => {
                if lines.len() > 1 {
                    lines.remove(at);
                }
            }
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 => lines[at].push_str(random.pick::<&str>(&["\\", " \\", "\r", " 1 2 3", " # no"])),
            _ => {
                let mut words: Vec<&str> = lines[at].split(' ').collect();
                let word = random.below(words.len());
                words[word] = *random.pick::<&str>(&TOKENS);
                lines[at] = words.join(" ");
            }
        }
    }
    *bytes = lines.join("\n").into_bytes();
}

/// Values, keys and whole branches of a JSON document.
pub(crate) fn document(document: &mut Value, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let copy = branch(document, random).clone();
        let at = branch(document, random);
        match random.below(8) {
            0 => *at = copy,
            1 | 2 => *at = odd_value(random),
            3 => match at {
                Value::Array(items) if !items.is_empty() => {
                    let k = random.below(items.len());
                    items.remove(k);
                }
                Value::Object(entries) => {
                    let key = entries.keys().nth(random.below(entries.len())).cloned();
                    key.map(|key| entries.remove(&key));
                }
                other => *other = Value::Null,
            },
            4 => match at {
                Value::Array(items) if !items.is_empty() => {
                    let again = items[random.below(items.len())].clone();
                    items.extend(std::iter::repeat_n(again, 1 + random.below(8)));
                }
                Value::Object(entries) => {
                    let key = *random.pick(&[
                        "sparse",
                        "extensions",
                        "byteStride",
                        "skin",
                        "mesh",
                        "children",
                        "targets",
                        "matrix",
                    ]);
                    entries.insert(key.into(), copy);
                }
                other => *other = Value::Null,
            },
            _ => {
                if let Some(number) = at.as_i64() {
                    let odd = [
                        number.wrapping_add(1),
                        number.wrapping_sub(1),
                        number.wrapping_mul(2),
                        number.wrapping_add(4),
                        number.wrapping_neg(),
                        0,
                        255,
                        65536,
                        1 << 31,
                        i64::from(u32::MAX),
                        i64::MAX,
                    ];
                    *at = (*random.pick(&odd)).into();
                } else if at.is_f64() {
                    *at = odd_value(random);
                }
            }
        }
    }
}

fn odd_value(random: &mut Random) -> Value {
    let values = [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!(""),
        json!("data:,"),
        json!("../x"),
        json!(-1),
        json!(0),
        json!(1),
        json!(0.5),
        json!(1e308),
        json!(-1e308),
        json!(1e-320),
        json!(4_294_967_295_u32),
        json!(u64::MAX),
        json!([0, 0, 0]),
        json!([1e300, 1e300, 1e300]),
        json!("CUBICSPLINE"),
        json!("MAT4"),
        json!([[[[]]]]),
    ];
    random.pick(&values).clone()
}

/// Any branch: half of the time each level is gone down into, so that the top comes up as well as
/// the leaves.
fn branch<'a>(value: &'a mut Value, random: &mut Random) -> &'a mut Value {
    let mut at = value;
    loop {
        let children = match at {
            Value::Array(items) => items.len(),
            Value::Object(entries) => entries.len(),
            _ => 0,
        };
        if children == 0 || random.below(6) == 0 {
            return at;
        }
        let k = random.below(children);
        at = match at {
            Value::Array(items) => &mut items[k],
            Value::Object(entries) => entries.values_mut().nth(k).unwrap(),
            _ => unreachable!("only these have children"),
        };
    }
}
