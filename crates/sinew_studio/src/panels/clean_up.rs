//! What is done to the weights of whole meshes, or of the chosen points of all meshes.

use eframe::egui::{self, DragValue};
use sinew::skeleton::Side;
use sinew::weights::mirror::MirrorBy;
use sinew_editor::{Edit, Keeping, MeshRef, WeightEdit};

use super::{elided, named};
use crate::studio::Studio;

/// A button, what it says of itself, and what it does.
struct Entry {
    words: &'static str,
    tip: String,
    edits: Vec<Edit>,
}

impl Entry {
    fn new(words: &'static str, tip: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self { words, tip: tip.into(), edits }
    }
}

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui) {
    let mut entries = of_points(studio);
    entries.extend(of_meshes(studio));
    let mut wanted: Option<Entry> = None;
    ui.horizontal_wrapped(|ui| {
        for entry in entries {
            let response = ui.button(entry.words);
            named(&response, &format!("Weights: {}", entry.words));
            if response.on_hover_text(&entry.tip).clicked() {
                wanted = Some(entry);
            }
        }
    });
    let tools = &mut studio.session.weights;
    ui.horizontal(|ui| {
        ui.label("Mirror by");
        for (by, words, tip) in [
            (MirrorBy::Position, "place", "Points are partners where they mirror at rest"),
            (MirrorBy::Topology, "topology", "Points are partners by the triangles around them"),
        ] {
            let response = ui.selectable_label(tools.mirror_by == by, words);
            named(&response, &format!("Mirror by {words}"));
            if response.on_hover_text(tip).clicked() {
                tools.mirror_by = by;
            }
        }
        ui.label("Prune below");
        let field = DragValue::new(&mut tools.least).range(0.0..=0.5).speed(0.0005);
        let field = ui.add(field.max_decimals(4));
        named(&field, "Prune threshold");
        field.on_hover_text("Influences that are smaller are taken away");
    });
    match wanted {
        Some(Entry { mut edits, .. }) if edits.len() == 1 => {
            edits.drain(..).for_each(|edit| studio.apply(edit));
        }
        Some(Entry { words, edits, .. }) => studio.apply_all(&format!("{words} weights"), edits),
        None => {}
    }
}

/// What is done to the chosen points, mesh by mesh.
fn of_points(studio: &Studio) -> Vec<Entry> {
    let document = studio.document();
    let character = document.character();
    let (keep, tools) = (studio.keeping(), &studio.session.weights);
    let has_weights = |part: usize| character.parts.get(part).is_some_and(|p| p.weights.is_some());
    let chosen: Vec<(MeshRef, Vec<u32>)> = (studio.session.selection.points.iter())
        .filter(|(part, points)| has_weights(**part) && !points.is_empty())
        .map(|(&part, points)| {
            (MeshRef::of(character, part), points.iter().copied().collect::<Vec<u32>>())
        })
        .collect();
    if chosen.is_empty() {
        return Vec::new();
    }
    let each = |edit: &dyn Fn(MeshRef, Vec<u32>, Keeping) -> WeightEdit| -> Vec<Edit> {
        let edit = |(mesh, points): &(MeshRef, Vec<u32>)| {
            edit(mesh.clone(), points.clone(), keep.clone()).into()
        };
        chosen.iter().map(edit).collect()
    };
    let smooth = each(&|mesh, points, keep| WeightEdit::SmoothWeights {
        mesh,
        points,
        times: 3,
        share: 0.5,
        keep,
    });
    let fill = each(&|mesh, points, keep| WeightEdit::FillWeights { mesh, points, keep });
    let average = each(&|mesh, points, keep| WeightEdit::AverageWeights { mesh, points, keep });
    let mut entries = vec![
        Entry::new("Smooth", "Make the chosen points' weights more like their neighbours'", smooth),
        Entry::new("Hammer", "Give the chosen points the weights of what is around them", fill),
        Entry::new(
            "Average",
            "Give the chosen points of a mesh one row, the mean of theirs",
            average,
        ),
    ];
    let Some(active) = studio.session.selection.active else { return entries };
    let joint = document.joint_ref(active);
    let flood = each(&|mesh, points, keep| WeightEdit::FloodWeights {
        mesh,
        points,
        joint: joint.clone(),
        brush: tools.brush,
        value: tools.value,
        share: tools.strength,
        keep,
    });
    let without = each(&|mesh, points, keep| WeightEdit::PruneWeights {
        meshes: vec![mesh],
        points,
        least: 0.0,
        without: vec![joint.clone()],
        keep,
    });
    let name = elided(&joint.0);
    entries.extend([
        Entry::new("Flood", "Do to all chosen points at once what the brush does", flood),
        Entry::new("Without", format!("Take {name} out of the chosen points"), without),
    ]);
    entries
}

/// What is done to all meshes.
fn of_meshes(studio: &Studio) -> Vec<Entry> {
    let (keep, tools) = (studio.keeping(), &studio.session.weights);
    let mirror = |from: Side| -> Vec<Edit> {
        vec![WeightEdit::MirrorWeights { from, by: tools.mirror_by, keep: keep.clone() }.into()]
    };
    let prune = WeightEdit::PruneWeights {
        meshes: Vec::new(),
        points: Vec::new(),
        least: tools.least,
        without: Vec::new(),
        keep: keep.clone(),
    };
    let repair = WeightEdit::RepairWeights { mends: Vec::new(), keep: keep.clone() };
    let reset = WeightEdit::ResetWeights { meshes: Vec::new() };
    let least = tools.least;
    vec![
        Entry::new("Mirror left", "Give the right side the left one's weights", mirror(Side::Left)),
        Entry::new(
            "Mirror right",
            "Give the left side the right one's weights",
            mirror(Side::Right),
        ),
        Entry::new(
            "Prune",
            format!("Take away influences below {least} and beyond the budget"),
            vec![prune.into()],
        ),
        Entry::new("Repair", "Mend what a check finds in the weights", vec![repair.into()]),
        Entry::new("Reset", "Bring back the weights of the file", vec![reset.into()]),
    ]
}
