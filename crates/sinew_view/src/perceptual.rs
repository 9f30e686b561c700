//! How different two pictures look: the metric of golden images and of the two back ends.
//!
//! Both pictures are blurred by what an eye at arm's length does not resolve (a Gaussian of ¾
//! pixel), and compared in OKLab (B. Ottosson, 2020), where distances are even to the eye and 0.02
//! is just noticeable. Three figures: the **mean** distance says how much of the picture has
//! changed; the **worst block** (16 × 16 pixels, every 8) says whether something small is wrong,
//! which a mean forgives; the **structure** (SSIM of the lightness, Z. Wang et al. 2004, mean over
//! windows of 8 × 8) says whether it is forms or only tones that differ.

use glam::Vec3;

use crate::camera::Size;
use crate::color::{linear_from_bytes, srgb_from_linear};
use crate::picture::Picture;

/// Standard deviation of what the eye does not resolve, in pixels, as shares of a pixel's
/// neighbours.
const BLUR: [f32; 3] = [0.2096, 0.5808, 0.2096];

/// Side of a block, and the step from one to the next.
const BLOCK: (usize, usize) = (16, 8);

/// Side of a window of structure, and its step.
const WINDOW: (usize, usize) = (8, 4);

/// What is different.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean distance in OKLab; 0 for equals.
    pub mean: f32,
    /// Mean distance of the worst block.
    pub worst_block: f32,
    /// The upper left pixel of that block.
    pub worst_at: (u32, u32),
    /// 1 for equals, towards 0 for pictures that have nothing in common.
    pub structure: f32,
}

/// How much may be different.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of the mean.
    pub mean: f32,
    /// Of the worst block.
    pub worst_block: f32,
    /// Of `1 − structure`.
    pub structure: f32,
}

impl Tolerance {
    /// One program on two machines: mathematical functions that differ in the last bit, hence bytes
    /// off by one, here and there a sample on the other side of an edge.
    pub const SAME_RENDERER: Self = Self { mean: 5e-4, worst_block: 4e-3, structure: 2e-3 };

    /// Two renderers of one scene: another pattern of samples at edges, shadow maps rounded
    /// otherwise.
    pub const OTHER_RENDERER: Self = Self { mean: 6e-3, worst_block: 3e-2, structure: 2e-2 };

    /// True if a difference is within all three.
    pub fn accepts(&self, difference: &Difference) -> bool {
        difference.mean <= self.mean
            && difference.worst_block <= self.worst_block
            && 1.0 - difference.structure <= self.structure
    }
}

/// Compares two pictures; `None` if their sizes differ.
pub fn compare(a: &Picture, b: &Picture) -> Option<Difference> {
    if a.size() != b.size() {
        return None;
    }
    let size = a.size();
    let (seen_a, seen_b) = (seen(a), seen(b));
    let distances: Vec<f32> = seen_a.iter().zip(&seen_b).map(|(a, b)| a.distance(*b)).collect();
    let count = distances.len().max(1) as f64;
    let mut worst = (0.0_f32, (0, 0));
    each_window(size, BLOCK, |x, y, block| {
        let sum: f32 = block.clone().map(|index| distances[index]).sum();
        let mean = sum / block.count() as f32;
        if mean > worst.0 {
            worst = (mean, (x as u32, y as u32));
        }
    });
    Some(Difference {
        mean: (distances.iter().map(|&d| f64::from(d)).sum::<f64>() / count) as f32,
        worst_block: worst.0,
        worst_at: worst.1,
        structure: structure(size, &seen_a, &seen_b),
    })
}

/// A picture of the differences, for people: grey where alike, warmer the larger.
pub fn difference_picture(a: &Picture, b: &Picture) -> Option<Picture> {
    if a.size() != b.size() {
        return None;
    }
    let ramp = crate::heat::weight_ramp();
    let pixel = |(a, b): (&Vec3, &Vec3)| {
        // A distance of 0.1 is plain to see: full scale.
        let color = ramp.at(10.0 * a.distance(*b));
        let [r, g, b] = color.to_array().map(|c| (255.0 * srgb_from_linear(c) + 0.5) as u8);
        [r, g, b, 255]
    };
    Some(Picture::from_pixels(a.size(), seen(a).iter().zip(&seen(b)).map(pixel).collect()))
}

/// OKLab of what the eye resolves.
fn seen(picture: &Picture) -> Vec<Vec3> {
    let Size { width, height } = picture.size();
    let (width, height) = (width as usize, height as usize);
    let linear: Vec<Vec3> =
        picture.pixels().iter().map(|&[r, g, b, _]| linear_from_bytes([r, g, b])).collect();
    let across = blurred(&linear, |index| {
        let x = index % width;
        (if x > 0 { index - 1 } else { index }, if x + 1 < width { index + 1 } else { index })
    });
    let both = blurred(&across, |index| {
        let y = index / width;
        (
            if y > 0 { index - width } else { index },
            if y + 1 < height { index + width } else { index },
        )
    });
    both.into_iter().map(oklab).collect()
}

fn blurred(values: &[Vec3], neighbors: impl Fn(usize) -> (usize, usize)) -> Vec<Vec3> {
    let at = |index: usize| {
        let (before, after) = neighbors(index);
        BLUR[0] * values[before] + BLUR[1] * values[index] + BLUR[2] * values[after]
    };
    (0..values.len()).map(at).collect()
}

fn oklab(linear: Vec3) -> Vec3 {
    let lms = Vec3::new(
        linear.dot(Vec3::new(0.412_221_46, 0.536_332_55, 0.051_445_995)),
        linear.dot(Vec3::new(0.211_903_5, 0.680_699_5, 0.107_396_96)),
        linear.dot(Vec3::new(0.088_302_46, 0.281_718_85, 0.629_978_7)),
    );
    let root = Vec3::from_array(lms.to_array().map(f32::cbrt));
    Vec3::new(
        root.dot(Vec3::new(0.210_454_26, 0.793_617_8, -0.004_072_047)),
        root.dot(Vec3::new(1.977_998_5, -2.428_592_2, 0.450_593_7)),
        root.dot(Vec3::new(0.025_904_037, 0.782_771_77, -0.808_675_77)),
    )
}

/// Mean SSIM of the lightness.
fn structure(size: Size, a: &[Vec3], b: &[Vec3]) -> f32 {
    // The usual constants for values in 0..1.
    const STABLE: (f64, f64) = (1e-4, 9e-4);
    let (mut sum, mut count) = (0.0, 0);
    each_window(size, WINDOW, |_, _, window| {
        let n = window.clone().count() as f64;
        let (mut m_a, mut m_b, mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for index in window {
            let (a, b) = (f64::from(a[index].x), f64::from(b[index].x));
            m_a += a / n;
            m_b += b / n;
            aa += a * a / n;
            bb += b * b / n;
            ab += a * b / n;
        }
        let (var_a, var_b, cov) = (aa - m_a * m_a, bb - m_b * m_b, ab - m_a * m_b);
        sum += (2.0 * m_a * m_b + STABLE.0) * (2.0 * cov + STABLE.1)
            / ((m_a * m_a + m_b * m_b + STABLE.0) * (var_a + var_b + STABLE.1));
        count += 1;
    });
    if count == 0 { 1.0 } else { (sum / f64::from(count)) as f32 }
}

/// The indices of a square's pixels, row by row.
type Pixels = std::iter::Flatten<std::vec::IntoIter<std::ops::Range<usize>>>;

/// Visits squares of a picture, all of it, with the indices of their pixels.
fn each_window(
    size: Size,
    (side, step): (usize, usize),
    mut visit: impl FnMut(usize, usize, Pixels),
) {
    let (width, height) = (size.width as usize, size.height as usize);
    let starts = |length: usize| {
        let last = length.saturating_sub(side);
        (0..last).step_by(step).chain((length > 0).then_some(last)).collect::<Vec<_>>()
    };
    for y in starts(height) {
        for &x in &starts(width) {
            let end = (x + side).min(width);
            let rows: Vec<_> =
                (y..(y + side).min(height)).map(|y| y * width + x..y * width + end).collect();
            visit(x, y, rows.into_iter().flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body with a thin limb that begins at a column; `limb_width` 0 for none.
    fn figure(limb_at: usize, limb_width: usize, body: [u8; 3]) -> Picture {
        let size = Size { width: 96, height: 96 };
        let pixels = (0..96 * 96)
            .map(|index| {
                let (x, y) = (index % 96, index / 96);
                let in_body = (20..44).contains(&x) && (20..76).contains(&y);
                let in_limb = (limb_at..limb_at + limb_width).contains(&x) && (30..70).contains(&y);
                match (in_body, in_limb) {
                    (true, _) => [body[0], body[1], body[2], 255],
                    (_, true) => [150, 140, 130, 255],
                    _ => [240, 242, 245, 255],
                }
            })
            .collect();
        Picture::from_pixels(size, pixels)
    }

    const CLAY: [u8; 3] = [180, 170, 160];

    #[test]
    fn equals_have_no_difference_and_sizes_must_agree() {
        let a = figure(60, 4, CLAY);
        let same = compare(&a, &a).unwrap();
        assert_eq!((same.mean, same.worst_block, same.structure), (0.0, 0.0, 1.0));
        assert!(compare(&a, &Picture::filled(Size { width: 1, height: 1 }, [0; 4])).is_none());
        let none = Picture::filled(Size { width: 0, height: 0 }, [0; 4]);
        assert_eq!(compare(&none, &none).unwrap().structure, 1.0);
    }

    #[test]
    fn a_shifted_limb_a_changed_colour_and_a_missing_limb_are_told_apart() {
        let a = figure(60, 4, CLAY);
        let shifted = compare(&a, &figure(61, 4, CLAY)).unwrap();
        let recolored = compare(&a, &figure(60, 4, [176, 172, 186])).unwrap();
        let missing = compare(&a, &figure(60, 0, CLAY)).unwrap();

        // All three are seen, by either tolerance.
        for difference in [shifted, recolored, missing] {
            assert!(!Tolerance::SAME_RENDERER.accepts(&difference), "{difference:?}");
            assert!(!Tolerance::OTHER_RENDERER.accepts(&difference), "{difference:?}");
        }
        // A colour changes much area and no form; a missing limb is worse than a shifted one, both
        // in form and locally.
        assert!(recolored.structure > 0.999, "{recolored:?}");
        assert!(shifted.structure < 0.99 && missing.structure < shifted.structure);
        assert!(missing.worst_block > 1.5 * shifted.worst_block, "{missing:?} {shifted:?}");
        assert!(recolored.mean > shifted.mean);
        // And they are where they are.
        assert!((45..62).contains(&missing.worst_at.0), "{missing:?}");
    }

    #[test]
    fn bytes_off_by_one_here_and_there_are_accepted() {
        let a = figure(60, 4, CLAY);
        let mut b = a.clone();
        for (index, pixel) in b.pixels_mut().iter_mut().enumerate() {
            if index * 2_654_435_761 % 97 < 9 {
                pixel[index % 3] -= 1;
            }
        }
        let difference = compare(&a, &b).unwrap();
        assert!(difference.mean > 0.0);
        assert!(Tolerance::SAME_RENDERER.accepts(&difference), "{difference:?}");
    }
}
