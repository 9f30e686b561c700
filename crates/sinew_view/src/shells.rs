//! What holds a layered character together, as colours and marks: which shells bend, which keep
//! their shapes, and what is tied to what.

use std::sync::Arc;

use glam::Vec3;
use sinew::frame::SpringGroup;
use sinew::springs::ShellKind;

use crate::color::linear_from_hex;
use crate::heat::HeatMap;
use crate::legend::{Legend, Tick};
use crate::scene::{Line, Marks, Paint, Ramp};

/// Marks of ties: dark, so that they are seen on every colour of the skin.
const TIE_COLOR: [f32; 4] = [0.02, 0.03, 0.06, 0.9];
const TIE_WIDTH_PX: f32 = 1.2;

/// Grey for what bends by itself, green for what is tied, blue for what is rigid, orange for what
/// rides.
pub fn ramp() -> Ramp {
    let colors = [0xc9_c9_c6, 0x3f_a9_6b, 0x3b_6f_c4, 0xe8_8a_2e];
    Ramp { stops: colors.iter().map(|&color| linear_from_hex(color)).collect() }
}

/// A mesh's colours.
pub fn paint(groups: &[Arc<SpringGroup>], part: usize, num_points: usize) -> HeatMap {
    let mut values = vec![0.0f32; num_points];
    for group in groups {
        let Some(member) = group.members().iter().find(|member| member.part == part) else {
            continue;
        };
        let Some(shells) = group.rig().shells() else { continue };
        for (point, value) in member.points().zip(&mut values) {
            *value = match shells.kind_of(point as u32) {
                ShellKind::Soft => 0.0,
                ShellKind::Rigid => 2.0 / 3.0,
                ShellKind::Rider => 1.0,
            };
        }
        for bridge in shells.bridges() {
            let at = (bridge.point as usize).wrapping_sub(member.first_point);
            if let Some(value) = values.get_mut(at)
                && shells.kind_of(bridge.point) == ShellKind::Soft
            {
                *value = value.max(bridge.confidence as f32 / 3.0);
            }
        }
    }
    HeatMap { paint: Paint::Heat { values, ramp: ramp() }, legend: legend() }
}

/// What the colours of [`paint`] mean.
pub fn legend() -> Legend {
    let names = ["bends", "tied", "rigid", "rides"];
    let tick = |(step, text): (usize, &str)| Tick { at: step as f32 / 3.0, text: text.to_owned() };
    Legend {
        title: "shells".to_owned(),
        ramp: ramp(),
        ticks: names.into_iter().enumerate().map(tick).collect(),
    }
}

/// A line from each tied point to the place that it is tied to; `points` are a mesh's, posed.
pub fn ties<'a>(groups: &[Arc<SpringGroup>], points: impl Fn(usize) -> &'a [Vec3]) -> Marks {
    let mut marks = Marks::default();
    for group in groups {
        let Some(shells) = group.rig().shells() else { continue };
        let place = |point: u32| -> Option<Vec3> {
            let point = point as usize;
            let member = group.members().iter().find(|member| member.points().contains(&point))?;
            points(member.part).get(point - member.first_point).copied()
        };
        for bridge in shells.bridges() {
            let mut there = Some(Vec3::ZERO);
            for (corner, share) in bridge.corners.into_iter().zip(bridge.shares) {
                there = there.zip(place(corner)).map(|(sum, p)| sum + share as f32 * p);
            }
            if let Some((here, there)) = place(bridge.point).zip(there) {
                let [r, g, b, opacity] = TIE_COLOR;
                let color = [r, g, b, opacity * bridge.confidence as f32];
                marks.lines.push(Line { ends: [here, there], color, width_px: TIE_WIDTH_PX });
            }
        }
    }
    marks
}
