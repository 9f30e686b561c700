//! The header: elements and their properties.

use crate::ReadError;

/// How the body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: String,
    /// The type of a list's length; `None` for a single value.
    pub(super) length: Option<Scalar>,
    pub(super) scalar: Scalar,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// Fewer bytes than this one of it cannot take.
    pub(super) fn smallest_size(&self, encoding: Encoding) -> usize {
        match encoding {
            // A digit and a space each.
            Encoding::Ascii => 2 * self.properties.len(),
            _ => self.properties.iter().map(|p| p.length.unwrap_or(p.scalar).size()).sum(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
}

/// The header and what follows it.
pub(super) fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), ReadError> {
    let mut rest = bytes;
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    for number in 1.. {
        let error = |what: String| ReadError::malformed(format!("line {number}"), what);
        let end = rest
            .iter()
            .position(|&b| b == b'\n')
            .ok_or_else(|| error("the header does not end with end_header".into()))?;
        let line = rest[..end].trim_ascii();
        rest = &rest[end + 1..];
        let line = str::from_utf8(line).map_err(|_| error("not a text; is this a PLY?".into()))?;
        if number == 1 {
            if line != "ply" {
                return Err(error("a PLY starts with the line 'ply'".into()));
            }
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            [] | ["comment" | "obj_info", ..] => {}
            ["format", name, _version] => {
                encoding = Some(match *name {
                    "ascii" => Encoding::Ascii,
                    "binary_little_endian" => Encoding::LittleEndian,
                    "binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(error(format!("format '{name}' is none of PLY's"))),
                });
            }
            ["element", name, count] => {
                let count =
                    count.parse().map_err(|_| error(format!("'{count}' is not a count")))?;
                elements.push(Element { name: (*name).into(), count, properties: Vec::new() });
            }
            ["property", words @ ..] => {
                let property = property(words)
                    .ok_or_else(|| error(format!("'{line}' is not a property of PLY's")))?;
                elements
                    .last_mut()
                    .ok_or_else(|| error("a property before any element".into()))?
                    .properties
                    .push(property);
            }
            ["end_header"] => break,
            _ => return Err(error(format!("'{line}' is not a line of a PLY header"))),
        }
    }
    let encoding =
        encoding.ok_or_else(|| ReadError::malformed("header", "there is no format line"))?;
    Ok((Header { encoding, elements }, rest))
}

fn property(words: &[&str]) -> Option<Property> {
    match words {
        ["list", length, scalar, name] => Some(Property {
            name: (*name).into(),
            length: Some(Scalar::of(length)?),
            scalar: Scalar::of(scalar)?,
        }),
        [scalar, name] => {
            Some(Property { name: (*name).into(), length: None, scalar: Scalar::of(scalar)? })
        }
        _ => None,
    }
}
