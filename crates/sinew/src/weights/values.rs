//! Painting of one value a point with the brush of the weights: the mask of a layer, the
//! stiffness of springs.

use super::along::ring_shares;
use super::paint::Brush;
use crate::mesh::{Adjacency, Mesh};

/// What a brush does to values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintValue<'a> {
    /// How.
    pub brush: Brush,
    /// What is painted: relax goes along it.
    pub mesh: &'a Mesh,
    /// What replace gives; the most that add and subtract change a value by in a stroke.
    pub value: f32,
    /// The least and the most that a value can be.
    pub range: [f32; 2],
}

/// The values of painted points that are others than before.
///
/// # Panics
/// If a point is not there.
pub fn paint_values(
    values: &[f32],
    adjacency: &Adjacency,
    amounts: &[(u32, f64)],
    paint: &PaintValue<'_>,
) -> Vec<(u32, f32)> {
    let [least, most] = paint.range;
    let new_value = |&(point, amount): &(u32, f64)| -> Option<(u32, f32)> {
        let before = values[point as usize];
        let amount = if amount.is_finite() { amount.clamp(0.0, 1.0) as f32 } else { 0.0 };
        let ring = adjacency.ring(point as usize);
        let around = || match ring.len() {
            0 => before,
            n => ring.iter().map(|&next| values[next as usize]).sum::<f32>() / n as f32,
        };
        let after = match paint.brush {
            Brush::Add => before + amount * paint.value,
            Brush::Subtract => before - amount * paint.value,
            Brush::Replace => before + amount * (paint.value - before),
            Brush::Smooth => before + amount * (around() - before),
            Brush::Sharpen => before - amount * (around() - before),
            Brush::Relax => {
                let shares = ring_shares(paint.mesh, adjacency, point);
                let around = ring.iter().zip(&shares);
                let around: f64 =
                    around.map(|(&next, share)| share * f64::from(values[next as usize])).sum();
                let around = if ring.is_empty() { before } else { around as f32 };
                before + amount * (around - before)
            }
        };
        let after = after.clamp(least, most);
        (after != before).then_some((point, after))
    };
    amounts.iter().filter_map(new_value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::RawMesh;

    #[test]
    fn brushes_change_values_within_their_range() {
        let positions = vec![glam::Vec3::ZERO, glam::Vec3::X, glam::Vec3::Y];
        let raw = RawMesh { positions, triangles: vec![[0, 1, 2]], ..RawMesh::default() };
        let mesh = raw.weld().unwrap().part.mesh;
        let adjacency = Adjacency::of(&mesh);
        let values = [0.0, 0.5, 1.0];
        let with = |brush, amount| {
            let paint = PaintValue { brush, mesh: &mesh, value: 0.8, range: [0.0, 1.0] };
            paint_values(&values, &adjacency, &[(1, amount)], &paint)
        };
        assert_eq!(with(Brush::Add, 1.0), [(1, 1.0)]);
        assert_eq!(with(Brush::Subtract, 0.5), [(1, 0.099_999_994)]);
        assert_eq!(with(Brush::Replace, 1.0), [(1, 0.8)]);
        // Its neighbours' mean is what it has.
        assert_eq!(with(Brush::Smooth, 1.0), []);
        assert_eq!(with(Brush::Add, f64::NAN), []);
    }
}
