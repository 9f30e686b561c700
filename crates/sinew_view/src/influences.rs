//! All influences at once: each joint has a colour, each point the mix of its joints'.

use glam::Vec3;
use sinew::weights::SkinWeights;

use crate::color::linear_from_srgb;
use crate::legend::{Legend, Tick};
use crate::scene::{Paint, Ramp};

/// Of the golden ratio: hues that follow one another are far apart.
const HUE_STEP: f32 = 0.618_034;
/// Lightness goes round by joint, so that near hues differ in it.
const VALUES: [f32; 3] = [0.95, 0.72, 0.84];
const SATURATION: f32 = 0.72;
/// A colour keeps its part of the bar; between two there is a short way.
const STOPS_PER_JOINT: usize = 8;

/// The colour of a joint, linear. The same for as long as it has its number.
pub fn joint_color(joint: u32) -> Vec3 {
    let hue = (joint as f32 * HUE_STEP).fract() * 6.0;
    let value = VALUES[joint as usize % VALUES.len()];
    let channel = |offset: f32| {
        let k = (offset + hue) % 6.0;
        let srgb = value - value * SATURATION * k.min(4.0 - k).clamp(0.0, 1.0);
        linear_from_srgb(srgb)
    };
    Vec3::new(channel(5.0), channel(3.0), channel(1.0))
}

/// The mix of its joints' colours at each point.
pub fn paint(weights: &SkinWeights) -> Paint {
    let mix = |row: &[sinew::weights::Influence]| -> Vec3 {
        row.iter().map(|i| i.weight * joint_color(i.joint)).sum()
    };
    Paint::Colors(weights.rows().map(mix).collect())
}

/// What the colours of some joints are, from the bottom up.
pub fn legend(joints: &[(u32, String)]) -> Legend {
    let stops = joints.iter().flat_map(|&(joint, _)| [joint_color(joint); STOPS_PER_JOINT]);
    let mut stops: Vec<Vec3> = stops.collect();
    if stops.is_empty() {
        stops = vec![Vec3::splat(0.5); 2];
    }
    let middle = |place: usize| (place as f32 + 0.5) / joints.len() as f32;
    let tick = |(place, (_, name)): (usize, &(u32, String))| Tick {
        at: middle(place),
        text: name.clone(),
    };
    Legend {
        title: "influences".into(),
        ramp: Ramp { stops },
        ticks: joints.iter().enumerate().map(tick).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_follow_one_another_are_told_apart_and_points_mix_them() {
        for joint in 0..100 {
            let apart = joint_color(joint).distance(joint_color(joint + 1));
            assert!(apart > 0.2, "{joint}: {apart}");
        }
        let (weights, _) = SkinWeights::from_rows([[(0, 0.5), (1, 0.5)]], 2);
        let Paint::Colors(colors) = paint(&weights) else { panic!("colours") };
        assert_eq!(colors, [0.5 * joint_color(0) + 0.5 * joint_color(1)]);
    }
}
