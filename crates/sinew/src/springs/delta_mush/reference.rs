//! Delta mush once more, in f64 and as plain as it can be: what the fast form is tested against.

use glam::{DMat3, DVec3, Vec3};

use super::{DeltaMushInput, DeltaMushSettings, edge_weight, ring_tangents};

/// Smooths `points` of a mesh.
fn smooth(input: &DeltaMushInput<'_>, settings: &DeltaMushSettings, points: &[Vec3]) -> Vec<DVec3> {
    let mut x: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
    for _ in 0..settings.iterations {
        x = (0..x.len())
            .map(|i| {
                let ring = input.adjacency.ring(i);
                let weight =
                    |&j: &u32| edge_weight(input.positions, i as u32, j, settings.weighting);
                let weights: Vec<f64> = ring.iter().map(weight).collect();
                let total: f64 = weights.iter().sum();
                if total == 0.0 {
                    return x[i];
                }
                let sum: DVec3 = ring.iter().zip(&weights).map(|(&j, &w)| x[j as usize] * w).sum();
                x[i].lerp(sum / total, f64::from(settings.factor))
            })
            .collect();
    }
    x
}

/// The deformation of `skinned`, from scratch.
pub(crate) fn reference_delta_mush(
    input: &DeltaMushInput<'_>,
    settings: &DeltaMushSettings,
    skinned: &[Vec3],
) -> Vec<Vec3> {
    let rest = smooth(input, settings, input.positions);
    let posed = smooth(input, settings, skinned);
    (0..skinned.len())
        .map(|i| {
            let delta = input.positions[i].as_dvec3() - rest[i];
            let in_model = match ring_tangents(&rest, input.adjacency, input.triangles, i as u32) {
                None => delta,
                Some((u, v)) => {
                    let cosines: Vec<[f64; 2]> = input
                        .adjacency
                        .ring(i)
                        .iter()
                        .map(|&j| (rest[j as usize] - rest[i]).normalize_or_zero())
                        .map(|along| [along.dot(u), along.dot(v)])
                        .collect();
                    let frame = |shape: &[DVec3]| {
                        let axis = |k: usize| -> DVec3 {
                            input
                                .adjacency
                                .ring(i)
                                .iter()
                                .zip(&cosines)
                                .map(|(&j, c)| (shape[j as usize] - shape[i]) * c[k])
                                .sum()
                        };
                        let u = axis(0).normalize_or_zero();
                        let normal = u.cross(axis(1)).normalize_or_zero();
                        DMat3::from_cols(u, normal.cross(u), normal)
                    };
                    frame(&posed) * (frame(&rest).transpose() * delta)
                }
            };
            (posed[i] + in_model).as_vec3()
        })
        .collect()
}
