//! Two frames of the same character, and what lies between them: a shape that was nearly right goes
//! over into the right one.

use std::sync::Arc;

use glam::Vec3;

use super::{Frame, PartFrame};

/// How far one frame is from another, mesh by mesh.
#[derive(Clone, Debug)]
pub struct Apart {
    parts: Vec<PartApart>,
}

#[derive(Clone, Debug)]
struct PartApart {
    points: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Frame {
    /// How far `other` is from this one; `None` if it is the same, or not of the same meshes.
    pub fn apart(&self, other: &Self) -> Option<Apart> {
        let is_alike = |(a, b): (&PartFrame, &PartFrame)| {
            a.points.len() == b.points.len() && a.normals.len() == b.normals.len()
        };
        let mut pairs = self.parts.iter().zip(&other.parts);
        if self.parts.len() != other.parts.len() || !pairs.clone().all(is_alike) {
            return None;
        }
        if pairs.all(|(a, b)| a.points == b.points) {
            return None;
        }
        let difference = |own: &[Vec3], other: &[Vec3]| {
            own.iter().zip(other).map(|(own, other)| *other - *own).collect()
        };
        let of_part = |(own, other): (&PartFrame, &PartFrame)| PartApart {
            points: difference(&own.points, &other.points),
            normals: difference(&own.normals, &other.normals),
        };
        Some(Apart { parts: self.parts.iter().zip(&other.parts).map(of_part).collect() })
    }

    /// This frame, moved by a share of how far it was from another. The rest, and everything but
    /// points and normals, is its own.
    #[must_use]
    pub fn towards(&self, apart: &Apart, share: f32) -> Self {
        let mut moved = self.clone();
        for (part, apart) in moved.parts.iter_mut().zip(&apart.parts) {
            let points = part.points.iter().zip(&apart.points).map(|(p, d)| *p + share * *d);
            part.points = Arc::new(points.collect());
            let normals = part.normals.iter().zip(&apart.normals);
            let normals = normals.map(|(n, d)| (*n + share * *d).normalize_or(*n));
            part.normals = Arc::new(normals.collect());
        }
        // Nobody's: a plan must not take it for its own last frame.
        moved.made_by = [0; 2];
        moved
    }
}

#[cfg(test)]
mod tests {
    use crate::frame::{Controls, Plan, Rig};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};

    #[test]
    fn a_frame_goes_over_into_another_by_shares() {
        let character = std::sync::Arc::new(build(&SampleOptions::new(SampleKind::Box)).unwrap());
        let plan = Plan::bind(&character, &Rig::default(), &Silent).unwrap();
        let mut scratch = plan.scratch();
        let (mut rest, mut posed) = (plan.frame(), plan.frame());
        let mut controls = Controls::rest(&character);
        plan.run(&controls, &mut scratch, &mut rest);
        controls.pose.joints[0].translation.x = 0.5;
        plan.run(&controls, &mut scratch, &mut posed);
        let apart = posed.apart(&rest).unwrap();
        let worst = |share: f32, wanted: f32| {
            let moved = posed.towards(&apart, share);
            let points = moved.parts()[0].points().iter().zip(rest.parts()[0].points());
            points.map(|(a, b)| (a.distance(*b) - wanted).abs()).fold(0.0, f32::max)
        };
        assert!(worst(1.0, 0.0) < 1e-6 && worst(0.5, 0.25) < 1e-6 && worst(0.0, 0.5) < 1e-6);
        assert!(rest.apart(&rest.clone()).is_none());
    }
}
