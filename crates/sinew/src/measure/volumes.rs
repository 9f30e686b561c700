//! The volume of each mesh of a character: of its shells, each about the mean of its own points, so
//! that of two open boots one may walk away from the other.

use glam::{DVec3, Vec3};

use super::{signed_volume, volume_at_rest};
use crate::Character;
use crate::mesh::Components;

/// What each mesh holds at rest.
#[derive(Clone, Debug)]
pub struct PartVolumes(Vec<PartVolume>);

#[derive(Clone, Debug)]
struct PartVolume {
    triangles: Vec<[u32; 3]>,
    shells: Components,
    /// `None` for what holds none.
    volume: Option<f64>,
}

impl PartVolumes {
    /// `rest` has the points of all meshes, one after the other.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn bind(character: &Character, mut rest: &[Vec3]) -> Self {
        let of_part = |part: &crate::Part| {
            let points;
            (points, rest) = rest.split_at(part.mesh.points().len());
            let triangles = part.mesh.point_triangles().to_vec();
            let shells = Components::of_triangles(points.len(), &triangles);
            let volume = volume_at_rest(&about_shells(points, &shells), &triangles);
            PartVolume { triangles, shells, volume }
        };
        Self(character.parts.iter().map(of_part).collect())
    }

    /// Of each mesh, its volume over that at rest; `None` for one that holds none.
    ///
    /// # Panics
    /// If `posed` has fewer points than the rest.
    pub fn ratios(&self, mut posed: &[Vec3]) -> Vec<Option<f64>> {
        let of_part = |part: &PartVolume| {
            let points;
            (points, posed) = posed.split_at(part.shells.of_point().len());
            let volume = part.volume.filter(|_| points.iter().all(|p| p.is_finite()))?;
            Some(signed_volume(&about_shells(points, &part.shells), &part.triangles) / volume)
        };
        self.0.iter().map(of_part).collect()
    }
}

/// Points about the means of their shells.
fn about_shells(points: &[Vec3], shells: &Components) -> Vec<DVec3> {
    let mut centered: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
    for shell in 0..shells.len() as u32 {
        let own = shells.points(shell);
        let finite = || own.iter().map(|&p| points[p as usize]).filter(|p| p.is_finite());
        let sum: DVec3 = finite().map(|p| p.as_dvec3()).sum();
        let mean = sum / finite().count().max(1) as f64;
        own.iter().for_each(|&point| centered[point as usize] -= mean);
    }
    centered
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};

    #[test]
    fn each_mesh_has_its_own() {
        let soldier = build(&SampleOptions::new(SampleKind::Soldier)).unwrap();
        let rest: Vec<Vec3> =
            soldier.parts.iter().flat_map(|part| part.mesh.points().to_vec()).collect();
        let volumes = PartVolumes::bind(&soldier, &rest);
        let at_rest = volumes.ratios(&rest);
        assert_eq!(at_rest.len(), soldier.parts.len());
        assert!(at_rest.iter().flatten().all(|ratio| (ratio - 1.0).abs() < 1e-9), "{at_rest:?}");
        let mut posed = rest.clone();
        let num_first = soldier.parts[0].mesh.points().len();
        posed[..num_first].iter_mut().for_each(|p| *p *= 2.0);
        posed[num_first] = Vec3::NAN;
        let ratios = volumes.ratios(&posed);
        assert!((ratios[0].unwrap() - 8.0).abs() < 1e-5, "{ratios:?}");
        assert_eq!(ratios[1], None, "a point that is no number");
        assert_eq!(ratios[2..], at_rest[2..]);
    }

    #[test]
    fn a_boot_that_walks_away_takes_none_with_it() {
        let soldier = build(&SampleOptions::new(SampleKind::Soldier)).unwrap();
        let boots = soldier.parts.iter().position(|part| part.mesh.name() == "boots").unwrap();
        let rest: Vec<Vec3> =
            soldier.parts.iter().flat_map(|part| part.mesh.points().to_vec()).collect();
        let step = |p: &Vec3| if p.x > 0.0 { *p + Vec3::Z } else { *p };
        let walked: Vec<Vec3> = rest.iter().map(step).collect();
        let ratio = PartVolumes::bind(&soldier, &rest).ratios(&walked)[boots].unwrap();
        assert!((ratio - 1.0).abs() < 1e-5, "{ratio}");
    }
}
