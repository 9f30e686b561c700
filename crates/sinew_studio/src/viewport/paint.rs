//! What colours the skin, and the bar that says what the colours mean.

use std::sync::Arc;

use eframe::egui::{self, Color32};
use sinew::Character;
use sinew::frame::Frame;
use sinew::glam::Vec3;
use sinew::measure::ShellMeasure;
use sinew::mesh::Adjacency;
use sinew_editor::solver::Answer;
use sinew_view::color::bytes_from_linear;
use sinew_view::heat::{self, StretchOf};
use sinew_view::influences;
use sinew_view::legend::{Legend, Tick};
use sinew_view::scene::{Paint, Surface, Wireframe};

/// Where the colours of stretch end: twice as long, and half.
const MOST_STRETCH: f32 = 2.0;
/// Where the colours of difference end, over the diagonal of the character.
const MOST_DIFFERENCE: f32 = 0.02;

/// Where the colours of gaps end, over the diagonal of the character.
const MOST_GAP: f32 = 0.02;

/// Joints whose colours the legend says.
const MOST_NAMED: usize = 6;

/// What colours the skin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Coloring {
    #[default]
    Material,
    Stretch,
    /// Between shells that lie on one another.
    Gap,
    /// Which shells bend, are tied, rigid or ride.
    Shells,
    Weights,
    /// All joints at once, each in its colour.
    Influences,
    /// Distance from the first view.
    Difference,
}

impl Coloring {
    /// True if it depends on where points are.
    pub(crate) fn is_of_points(self) -> bool {
        match self {
            Self::Material | Self::Weights | Self::Influences => false,
            // Shells have marks, from point to point.
            Self::Stretch | Self::Gap | Self::Shells | Self::Difference => true,
        }
    }
}

/// What is coloured.
pub(crate) struct Colored<'a> {
    pub(crate) answer: &'a Answer,
    /// Its points, or the newest that came from the card; `None` before any have.
    pub(crate) points: Option<&'a Arc<Frame>>,
    /// Those of the first view, for the others.
    pub(crate) first: Option<&'a Arc<Frame>>,
    /// What the brush paints in place of weights, mesh by mesh: its name and the most of it.
    pub(crate) painted: Option<Painted>,
}

/// Values of points that a brush paints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Painted {
    pub(crate) name: &'static str,
    pub(crate) most: f32,
    pub(crate) of_part: Vec<Option<Vec<f32>>>,
}

/// What is found once a character.
#[derive(Default)]
pub(crate) struct Painter {
    neighbours: Option<(Arc<Character>, Vec<Adjacency>)>,
    shells: Option<Shells>,
}

/// The shells of a character at a rest.
struct Shells {
    character: Arc<Character>,
    rest: Vec<Vec3>,
    measure: ShellMeasure,
}

impl Painter {
    fn adjacencies(&mut self, character: &Arc<Character>) -> &[Adjacency] {
        if self.neighbours.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, character)) {
            self.neighbours = None;
        }
        let find = || {
            let of_part = |part: &sinew::Part| {
                Adjacency::of_triangles(part.mesh.points().len(), part.mesh.point_triangles())
            };
            (Arc::clone(character), character.parts.iter().map(of_part).collect())
        };
        &self.neighbours.get_or_insert_with(find).1
    }

    fn shells(&mut self, character: &Arc<Character>, rest: Vec<Vec3>) -> &ShellMeasure {
        let is_of = |known: &Shells| Arc::ptr_eq(&known.character, character) && known.rest == rest;
        if !self.shells.as_ref().is_some_and(is_of) {
            self.shells = None;
        }
        let find = || Shells {
            character: Arc::clone(character),
            measure: ShellMeasure::of_character(character, &rest),
            rest,
        };
        &self.shells.get_or_insert_with(find).measure
    }

    /// The surfaces of an answer in colour, with the legend to it.
    pub(crate) fn paint(
        &mut self,
        &Colored { answer, points, first, ref painted }: &Colored<'_>,
        coloring: Coloring,
        joint: Option<u32>,
    ) -> (Vec<Surface>, Option<Legend>) {
        let mut surfaces = answer.surfaces.clone();
        let character = &answer.job.character;
        let mut legend = None;
        match coloring {
            Coloring::Material => {}
            Coloring::Stretch => {
                let posed = points.map_or(&[][..], |frame| frame.parts());
                let parts = posed.iter().zip(&mut surfaces).zip(self.adjacencies(character));
                for ((part, surface), adjacency) in parts {
                    let (rest, posed, which) = (part.rest(), part.points(), StretchOf::Furthest);
                    let map = heat::stretch(rest, posed, adjacency, which, MOST_STRETCH);
                    surface.paint = map.paint;
                    legend = Some(map.legend);
                }
            }
            Coloring::Gap => {
                if let Some(points) = points {
                    let shells = self.shells(character, points.all_rest());
                    let gaps = shells.gaps_of_points(&points.all_points());
                    let mut first = 0;
                    for (surface, part) in surfaces.iter_mut().zip(points.parts()) {
                        let end = first + part.points().len();
                        surface.paint = heat::gap(&gaps[first..end], MOST_GAP).paint;
                        first = end;
                    }
                    legend = Some(heat::gap_legend(MOST_GAP));
                }
            }
            Coloring::Shells => {
                let parts = surfaces.iter_mut().zip(&character.parts);
                for (part, (surface, of_part)) in parts.enumerate() {
                    let num_points = of_part.mesh.points().len();
                    let map = sinew_view::shells::paint(&answer.springs, part, num_points);
                    surface.paint = map.paint;
                    legend = Some(map.legend);
                }
            }
            Coloring::Weights if painted.is_some() => {
                let Some(painted) = painted else { return (surfaces, None) };
                for (values, surface) in painted.of_part.iter().zip(&mut surfaces) {
                    let Some(values) = values else { continue };
                    let values = values.iter().map(|value| value / painted.most).collect();
                    surface.paint = Paint::Heat { values, ramp: heat::weight_ramp() };
                }
                legend = Some(painted_legend(painted));
            }
            Coloring::Weights => {
                let joint = joint.unwrap_or(0);
                let name = character.skeleton.joints().get(joint as usize);
                let name = name.map_or("no joint", |joint| &*joint.name);
                for (part, surface) in character.parts.iter().zip(&mut surfaces) {
                    let Some(weights) = &part.weights else { continue };
                    let map = heat::weights(weights, joint, name);
                    surface.paint = map.paint;
                    legend = Some(map.legend);
                }
            }
            Coloring::Influences => {
                for (part, surface) in character.parts.iter().zip(&mut surfaces) {
                    let Some(weights) = &part.weights else { continue };
                    surface.paint = influences::paint(weights);
                }
                legend = Some(influences::legend(&beside(character, joint)));
            }
            Coloring::Difference => {
                let of_first = first.filter(|f| f.parts().len() == character.parts.len());
                if let (Some(points), Some(first)) = (points, of_first) {
                    let most =
                        MOST_DIFFERENCE * character.bounds().diagonal().max(f32::MIN_POSITIVE);
                    let parts = points.parts().iter().zip(first.parts());
                    for (surface, (own, of_first)) in surfaces.iter_mut().zip(parts) {
                        let apart = |(a, b): (&Vec3, &Vec3)| a.distance(*b) / most;
                        let pairs = own.points().iter().zip(of_first.points());
                        let values = pairs.map(apart).collect();
                        surface.paint = Paint::Heat { values, ramp: heat::weight_ramp() };
                    }
                    legend = Some(difference_legend(most));
                }
            }
        }
        (surfaces, legend)
    }
}

/// A joint with its parent and children, whose colours the legend says.
fn beside(character: &Character, joint: Option<u32>) -> Vec<(u32, String)> {
    let joints = character.skeleton.joints();
    let joint = joint.filter(|&joint| (joint as usize) < joints.len()).unwrap_or(0);
    let Some(own) = joints.get(joint as usize) else { return Vec::new() };
    let children = (0u32..).zip(joints).filter(|(_, other)| other.parent == Some(joint));
    let all = own.parent.into_iter().chain([joint]).chain(children.map(|(child, _)| child));
    let named = |joint: u32| (joint, crate::panels::elided(&joints[joint as usize].name));
    all.take(MOST_NAMED).map(named).collect()
}

fn painted_legend(painted: &Painted) -> Legend {
    let tick = |step: u32| {
        let at = 0.25 * step as f32;
        Tick { at, text: format!("{:.2}", painted.most * at) }
    };
    Legend {
        title: painted.name.into(),
        ramp: heat::weight_ramp(),
        ticks: (0..=4).map(tick).collect(),
    }
}

fn difference_legend(most: f32) -> Legend {
    let tick = |step: u32| {
        let at = 0.25 * step as f32;
        Tick { at, text: format!("{:.1} mm", 1e3 * most * at) }
    };
    Legend {
        title: "apart from the first".into(),
        ramp: heat::weight_ramp(),
        ticks: (0..=4).map(tick).collect(),
    }
}

/// Edges of triangles.
pub(crate) fn wireframe(is_dark: bool) -> Wireframe {
    let color = if is_dark { Vec3::splat(0.01) } else { Vec3::new(0.05, 0.07, 0.10) };
    Wireframe { color, opacity: 0.55, width_px: 0.8 }
}

/// The bar, in a corner of a view.
pub(crate) fn show_legend(ui: &egui::Ui, view: egui::Rect, legend: &Legend) {
    const BAR: egui::Vec2 = egui::vec2(12.0, 110.0);
    let painter = ui.painter_at(view);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let corner = egui::pos2(view.left() + 14.0, view.bottom() - BAR.y - 14.0);
    let bar = egui::Rect::from_min_size(corner, BAR);
    let back =
        egui::Rect::from_min_max(bar.min - egui::vec2(8.0, 24.0), bar.max + egui::vec2(100.0, 8.0));
    painter.rect_filled(back, 5.0, ui.visuals().panel_fill.gamma_multiply(0.82));
    let steps = 44;
    for step in 0..steps {
        let [r, g, b] = bytes_from_linear(legend.ramp.at((step as f32 + 0.5) / steps as f32));
        let height = BAR.y / steps as f32;
        let top = bar.bottom() - height * (step + 1) as f32;
        let stripe =
            egui::Rect::from_min_size(egui::pos2(bar.left(), top), egui::vec2(BAR.x, height + 0.5));
        painter.rect_filled(stripe, 0.0, Color32::from_rgb(r, g, b));
    }
    let ink = ui.visuals().text_color();
    let title = egui::pos2(bar.left(), bar.top() - 7.0);
    painter.text(title, egui::Align2::LEFT_BOTTOM, &legend.title, font.clone(), ink);
    for tick in &legend.ticks {
        let at = egui::pos2(bar.right() + 6.0, bar.bottom() - tick.at * BAR.y);
        painter.text(at, egui::Align2::LEFT_CENTER, &tick.text, font.clone(), ink);
    }
}
