//! Every setting of the springs, live: the solver restarts as they move.

use eframe::egui::{self, DragValue, Slider};
use sinew::attach::{AttachSettings, Candidates};
use sinew::springs::{SpringModel, SpringPreset, SpringSettings};
use sinew_editor::RigEdit;

use super::named;
use super::skin::{METHODS, method_name, method_tip};
use crate::studio::Studio;

/// A window this high has room for everything.
const ROOMY: f32 = 900.0;

pub(crate) fn show(studio: &mut Studio, ui: &mut egui::Ui, now: &SpringSettings) {
    if now.model == SpringModel::Anchored {
        presets(studio, ui, now);
    }
    let mut fields = Fields { studio, now, next: now.clone() };
    egui::Grid::new("springs").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        fields.first_stage(ui);
        fields.iterations(ui);
    });
    let is_roomy = ui.ctx().content_rect().height() > ROOMY;
    let stiffness =
        egui::CollapsingHeader::new("Stiffness").default_open(is_roomy).show(ui, |ui| {
            egui::Grid::new("stiffness").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
                fields.stiffness(ui);
                if now.model == SpringModel::Anchored {
                    fields.anchored(ui);
                }
                fields.threshold(ui);
            });
        });
    stiffness.header_response.on_hover_text("How strong each force is, and when to stop");
    let attach = egui::CollapsingHeader::new("Where points hold on").show(ui, |ui| {
        egui::Grid::new("attach").num_columns(2).show(ui, |ui| fields.attach(ui));
    });
    attach
        .header_response
        .on_hover_text("Which bones a point may choose, and how the choice is smoothed");
    let reset = ui.button("Defaults").on_hover_text("All settings of these springs as they come");
    named(&reset, "Spring defaults");
    if reset.clicked() {
        let springs = Some(SpringSettings::new(now.model));
        studio.apply_all("Spring defaults", vec![RigEdit::SetSprings { springs }.into()]);
    }
}

/// Kinds of bodies, before any slider.
fn presets(studio: &mut Studio, ui: &mut egui::Ui, now: &SpringSettings) {
    let chosen = SpringPreset::of(now, &studio.document().rig().dynamics);
    ui.horizontal_wrapped(|ui| {
        for preset in SpringPreset::ALL {
            let mut label = preset.name().to_owned();
            label[..1].make_ascii_uppercase();
            let button = egui::Button::new(&label).small().selected(chosen == Some(preset));
            let button = ui.add(button).on_hover_text(preset.words());
            named(&button, &format!("Preset {}", preset.name()));
            if button.clicked() {
                let springs = RigEdit::SetSprings { springs: Some(preset.springs(now)) };
                let dynamics = RigEdit::SetDynamics { dynamics: preset.dynamics() };
                studio
                    .apply_all(&format!("{label} springs"), vec![springs.into(), dynamics.into()]);
            }
        }
    });
    let is_plain = *now == SpringSettings::new(SpringModel::Anchored);
    let own = match is_plain {
        true => "Standard settings; or begin with a kind of body",
        false => "Sliders of your own",
    };
    ui.weak(chosen.map_or(own, SpringPreset::words));
}

struct Fields<'a> {
    studio: &'a mut Studio,
    now: &'a SpringSettings,
    next: SpringSettings,
}

impl Fields<'_> {
    /// Takes what a field has done to the settings.
    fn finish(&mut self, response: &egui::Response, name: &str) {
        if self.next != *self.now || response.drag_stopped() {
            let edit = RigEdit::SetSprings { springs: Some(self.next.clone()) };
            self.studio.scrub(response, name, vec![edit.into()]);
            self.next.clone_from(self.now);
        }
    }

    fn slider(
        &mut self,
        ui: &mut egui::Ui,
        (name, tip): (&str, &str),
        range: std::ops::RangeInclusive<f32>,
        field: impl Fn(&mut SpringSettings) -> &mut f32,
    ) {
        ui.label(name).on_hover_text(tip);
        // The slider shows what is usual. What may be typed is what any project may have: the edit
        // says where it ends.
        let slider = Slider::new(field(&mut self.next), range)
            .clamping(egui::SliderClamping::Never)
            .max_decimals(3);
        let response = ui.add(slider).on_hover_text(tip);
        named(&response, name);
        ui.end_row();
        self.finish(&response, name);
    }

    fn count(
        &mut self,
        ui: &mut egui::Ui,
        (name, tip): (&str, &str),
        range: std::ops::RangeInclusive<u32>,
        field: impl Fn(&mut SpringSettings) -> &mut u32,
    ) {
        ui.label(name).on_hover_text(tip);
        let response = ui.add(DragValue::new(field(&mut self.next)).range(range).speed(0.5));
        let response = response.on_hover_text(tip);
        named(&response, name);
        ui.end_row();
        self.finish(&response, name);
    }

    fn check(
        &mut self,
        ui: &mut egui::Ui,
        (name, tip): (&str, &str),
        field: impl Fn(&mut SpringSettings) -> &mut bool,
    ) {
        ui.label("");
        let response = ui.checkbox(field(&mut self.next), name).on_hover_text(tip);
        ui.end_row();
        self.finish(&response, name);
    }

    fn first_stage(&mut self, ui: &mut egui::Ui) {
        ui.label("First stage").on_hover_text("The skin that the springs start from");
        let chosen = method_name(self.now.first_stage);
        let list = egui::ComboBox::from_id_salt("first stage").selected_text(chosen);
        let shown = list.show_ui(ui, |ui| {
            for method in METHODS {
                ui.selectable_value(&mut self.next.first_stage, method, method_name(method))
                    .on_hover_text(method_tip(method));
            }
        });
        named(&shown.response, "First stage");
        let response = shown.response.on_hover_text("The skin that the springs start from");
        ui.end_row();
        self.finish(&response, "First stage");
    }

    fn iterations(&mut self, ui: &mut egui::Ui) {
        let tip = "Steps of relaxation a frame: more are nearer to rest, and take longer";
        self.count(ui, ("Iterations", tip), SpringSettings::ITERATIONS, |s| &mut s.iterations);
    }

    fn stiffness(&mut self, ui: &mut egui::Ui) {
        if self.now.model == SpringModel::DeltaMush {
            return;
        }
        let most = 0.0..=4.0;
        let tip = "Folds and bumps keep their form (torque)";
        self.slider(ui, ("Keeps its form", tip), most.clone(), |s| &mut s.coefficients.torque);
        let tip = "Skin stays where the bones put it; less is looser (bone)";
        self.slider(ui, ("Follows the bones", tip), most.clone(), |s| &mut s.coefficients.bone);
        let tip = "Skin is not drawn out like rubber (edge)";
        self.slider(ui, ("Resists stretching", tip), most.clone(), |s| &mut s.coefficients.edge);
        let tip = "Limbs stay as thick as they are (length)";
        self.slider(ui, ("Keeps its thickness", tip), most.clone(), |s| &mut s.coefficients.length);
        let tip = "Skin on the inside of a bend is not crushed (compressed)";
        self.slider(ui, ("Resists crushing", tip), most.clone(), |s| {
            &mut s.coefficients.compressed
        });
        let tip = "Skin over a joint holds on to both sides (across bones)";
        self.slider(ui, ("Holds over joints", tip), most, |s| &mut s.coefficients.across_bones);
    }

    fn anchored(&mut self, ui: &mut egui::Ui) {
        let tip =
            "How far bends reach along the bones: below 1 tighter, above 1 rounder (influence)";
        self.slider(ui, ("Round bends", tip), AttachSettings::INFLUENCES, |s| {
            &mut s.attach.influence
        });
        let tip = "What bends squeeze away bulges out beside them: 1 all of it, 0 nothing (volume)";
        self.slider(ui, ("Bulges in bends", tip), 0.0..=1.0, |s| &mut s.coefficients.volume);
        let tip =
            "A stretched bone's limb: 1 thins so that it keeps its volume, 0 keeps its section";
        self.slider(ui, ("Thins when stretched", tip), SpringSettings::KEPT_VOLUMES, |s| {
            &mut s.keep_volume
        });
        let tip =
            "How strongly clothes, armour, pouches and hair hold together: 0 leaves each to itself";
        self.slider(ui, ("Clothes hold together", tip), 0.0..=1.0, |s| &mut s.shells);
        let tip = "Begin with a tenth of the points: nearer to rest after as many iterations";
        self.check(ui, ("Coarse start", tip), |s| &mut s.coarse_start);
    }

    fn threshold(&mut self, ui: &mut egui::Ui) {
        let tip =
            "End a frame's iterations once no point moves further than this; 0 runs all of them";
        self.slider(ui, ("Threshold", tip), 0.0..=0.01, |s| &mut s.threshold);
    }

    fn attach(&mut self, ui: &mut egui::Ui) {
        let tip = "Which bones a point may choose";
        ui.label("Candidates").on_hover_text(tip);
        let name = |candidates| match candidates {
            Candidates::All => "Closest of all bones",
            Candidates::Weighted => "Bones of its weights",
            Candidates::Dominant => "Bone of its largest weight",
        };
        let list = egui::ComboBox::from_id_salt("candidates")
            .selected_text(name(self.now.attach.candidates));
        let shown = list.show_ui(ui, |ui| {
            for kind in [Candidates::Weighted, Candidates::All, Candidates::Dominant] {
                ui.selectable_value(&mut self.next.attach.candidates, kind, name(kind))
                    .on_hover_text(tip);
            }
        });
        named(&shown.response, "Candidates");
        let response = shown.response.on_hover_text(tip);
        ui.end_row();
        self.finish(&response, "Candidates");
        let tip = "Rounds in which neighbours even out where they hold on";
        self.count(ui, ("Smoothings", tip), AttachSettings::SMOOTHINGS, |s| {
            &mut s.attach.smoothings
        });
        let tip = "Rounds of shrinking the mesh before points choose a bone";
        self.count(ui, ("Contractions", tip), AttachSettings::CONTRACTIONS, |s| {
            &mut s.attach.contractions
        });
        let tip = "A bone behind the surface is not chosen while one in sight is there";
        self.check(ui, ("Only in sight", tip), |s| &mut s.attach.visibility);
    }
}
