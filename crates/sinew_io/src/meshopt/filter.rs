//! Filters: what decoded vertices go through to become what the accessor says. In place.

use super::MeshoptError;

/// How vertices were prepared for compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    None,
    /// Unit vectors on an octahedron, 8 or 16 bits a component; the fourth is kept.
    Octahedral,
    /// Unit quaternions without their largest component, 16 bits each.
    Quaternion,
    /// Floats as mantissas of 24 bits and exponents of 8.
    Exponential,
    /// Colours as luma and two chroma, 8 or 16 bits a component (KHR only).
    Color,
}

impl Filter {
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "NONE" => Self::None,
            "OCTAHEDRAL" => Self::Octahedral,
            "QUATERNION" => Self::Quaternion,
            "EXPONENTIAL" => Self::Exponential,
            "COLOR" => Self::Color,
            _ => return None,
        })
    }

    /// Undoes the filter on elements of `stride` bytes.
    pub(crate) fn undo(self, bytes: &mut [u8], stride: usize) -> Result<(), MeshoptError> {
        match (self, stride) {
            (Self::None, _) => {}
            (Self::Octahedral, 4) => {
                for v in bytes.as_chunks_mut::<4>().0 {
                    let [x, y, z] =
                        octahedral([v[0] as i8, v[1] as i8, v[2] as i8].map(f32::from), 127.0);
                    [v[0], v[1], v[2]] = [x as u8, y as u8, z as u8];
                }
            }
            (Self::Octahedral, 8) => {
                for v in bytes.as_chunks_mut::<8>().0 {
                    let [x, y, z, _] = shorts(v).map(f32::from);
                    let [x, y, z] = octahedral([x, y, z], 32767.0);
                    for (to, value) in v.as_chunks_mut::<2>().0.iter_mut().zip([x, y, z]) {
                        *to = (value as u16).to_le_bytes();
                    }
                }
            }
            (Self::Color, 4) => {
                for v in bytes.as_chunks_mut::<4>().0 {
                    let [y, co, cg, a] = *v;
                    let chroma = [co as i8, cg as i8].map(i32::from);
                    *v = color(y.into(), chroma, a.into(), 255.0).map(|x| x as u8);
                }
            }
            (Self::Color, 8) => {
                for v in bytes.as_chunks_mut::<8>().0 {
                    let [y, co, cg, a] = shorts(v);
                    let chroma = [co, cg].map(i32::from);
                    let rgba = color((y as u16).into(), chroma, (a as u16).into(), 65535.0);
                    for (to, value) in v.as_chunks_mut::<2>().0.iter_mut().zip(rgba) {
                        *to = (value as u16).to_le_bytes();
                    }
                }
            }
            (Self::Octahedral | Self::Color, _) => return Err(MeshoptError::Stride("4 or 8")),
            (Self::Quaternion, 8) => {
                for v in bytes.as_chunks_mut::<8>().0 {
                    let q = quaternion(shorts(v));
                    for (to, value) in v.as_chunks_mut::<2>().0.iter_mut().zip(q) {
                        *to = (value as u16).to_le_bytes();
                    }
                }
            }
            (Self::Quaternion, _) => return Err(MeshoptError::Stride("8")),
            (Self::Exponential, _) => {
                if !stride.is_multiple_of(4) {
                    return Err(MeshoptError::Stride("a multiple of four"));
                }
                for v in bytes.as_chunks_mut::<4>().0 {
                    *v = exponential(u32::from_le_bytes(*v)).to_le_bytes();
                }
            }
        }
        Ok(())
    }
}

pub(super) fn shorts(v: &[u8; 8]) -> [i16; 4] {
    [0, 2, 4, 6].map(|k| i16::from_le_bytes([v[k], v[k + 1]]))
}

/// To the nearest, halves away from zero; saturates.
fn round(x: f32) -> i32 {
    (x + if x >= 0.0 { 0.5 } else { -0.5 }) as i32
}

/// `z` says what stands for one at the encoder's number of bits.
fn octahedral([x, y, one]: [f32; 3], max: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    // The lower half is folded over the edges of the upper.
    let fold = z.min(0.0);
    let (x, y) = (x + if x >= 0.0 { fold } else { -fold }, y + if y >= 0.0 { fold } else { -fold });
    let scale = max / (x * x + y * y + z * z).sqrt();
    // A vector of no length has no direction: zeros, not what NaN would give.
    if !scale.is_finite() {
        return [0; 3];
    }
    [x, y, z].map(|component| round(component * scale))
}

/// The fourth says which component is left out, and in its upper bits what stands for one.
fn quaternion([x, y, z, w]: [i16; 4]) -> [i32; 4] {
    let one = f32::from(w | 3);
    let (x, y, z) = (f32::from(x), f32::from(y), f32::from(z));
    let largest = (one * one * 2.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let scale = 32767.0 / std::f32::consts::SQRT_2 / one;
    let which = usize::from(w as u16 & 3);
    let mut q = [0; 4];
    q[(which + 1) & 3] = round(x * scale);
    q[(which + 2) & 3] = round(y * scale);
    q[(which + 3) & 3] = round(z * scale);
    q[which] = round(largest * scale);
    q
}

/// `mantissa · 2^exponent`.
fn exponential(v: u32) -> f32 {
    let mantissa = (v << 8) as i32 >> 8;
    let exponent = v as i32 >> 24;
    // As the reference does it, also for the exponent -128, which is none: what comes out is
    // infinite or NaN.
    f32::from_bits(((exponent + 127) as u32) << 23) * mantissa as f32
}

/// The highest bit of alpha says how many bits there are.
fn color(y: i32, [co, cg]: [i32; 2], a: i32, max: f32) -> [i32; 4] {
    let mut one = a;
    for shift in [1, 2, 4, 8] {
        one |= one >> shift;
    }
    let alpha = a << 1 & one | a & 1;
    let scale = max / one as f32;
    let rgba = [y + co - cg, y + cg, y - co - cg, alpha];
    rgba.map(|x| if scale.is_finite() { (x as f32 * scale + 0.5) as i32 } else { 0 })
}
