//! Between linear light and the sRGB of files (IEC 61966-2-1).

use std::sync::LazyLock;

use glam::Vec3;

/// The linear value of an sRGB one, both 0..1.
pub fn linear_from_srgb(srgb: f32) -> f32 {
    if srgb <= 0.04045 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) }
}

/// The sRGB value of a linear one, both 0..1; what is outside is clamped, what is no number is 0.
pub fn srgb_from_linear(linear: f32) -> f32 {
    let linear = if linear.is_nan() { 0.0 } else { linear.clamp(0.0, 1.0) };
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

static LINEAR_OF_BYTE: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear_from_srgb(byte as f32 / 255.0)));

/// Linear colour of sRGB bytes.
pub fn linear_from_bytes(bytes: [u8; 3]) -> Vec3 {
    Vec3::from_array(bytes.map(|byte| LINEAR_OF_BYTE[byte as usize]))
}

/// sRGB bytes of a linear colour.
pub fn bytes_from_linear(linear: Vec3) -> [u8; 3] {
    linear.to_array().map(|channel| (srgb_from_linear(channel) * 255.0 + 0.5) as u8)
}

/// Linear colour of sRGB written as in a style sheet: `0x1f77b4`.
pub fn linear_from_hex(hex: u32) -> Vec3 {
    linear_from_bytes([(hex >> 16) as u8, (hex >> 8) as u8, hex as u8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=255 {
            assert_eq!(bytes_from_linear(linear_from_bytes([byte; 3])), [byte; 3]);
        }
    }

    #[test]
    fn what_is_no_number_is_black_and_what_is_too_much_is_white() {
        assert_eq!(bytes_from_linear(Vec3::new(f32::NAN, f32::INFINITY, -1.0)), [0, 255, 0]);
    }
}
