//! How the studio looks: quiet panels around a character, in light and dark.

use eframe::egui::{self, Color32, CornerRadius, FontFamily, FontId, TextStyle, Visuals};
use sinew::glam::Vec3;
use sinew_view::look::Look;

use crate::settings::Theme;

/// What is chosen, and what is on.
const ACCENT: Color32 = Color32::from_rgb(226, 138, 36);

/// How many times coarser quick shadows are.
const QUICK_SHADOWS: u32 = 4;

pub(crate) fn apply(ctx: &egui::Context, theme: Theme) {
    ctx.set_theme(match theme {
        Theme::System => egui::ThemePreference::System,
        Theme::Light => egui::ThemePreference::Light,
        Theme::Dark => egui::ThemePreference::Dark,
    });
}

/// Once, at the start.
pub(crate) fn install(ctx: &egui::Context) {
    ctx.set_visuals_of(egui::Theme::Dark, tuned(Visuals::dark(), true));
    ctx.set_visuals_of(egui::Theme::Light, tuned(Visuals::light(), false));
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(7.0, 5.0);
        style.spacing.button_padding = egui::vec2(7.0, 3.0);
        style.spacing.interact_size.y = 22.0;
        style.spacing.slider_width = 110.0;
        style.text_styles.insert(TextStyle::Small, FontId::new(11.0, FontFamily::Proportional));
        style.text_styles.insert(TextStyle::Body, FontId::new(13.0, FontFamily::Proportional));
        style.text_styles.insert(TextStyle::Button, FontId::new(13.0, FontFamily::Proportional));
        style.text_styles.insert(TextStyle::Heading, FontId::new(16.0, FontFamily::Proportional));
    });
}

fn tuned(mut visuals: Visuals, is_dark: bool) -> Visuals {
    let radius = CornerRadius::same(4);
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
        &mut visuals.widgets.noninteractive,
    ] {
        widget.corner_radius = radius;
    }
    if is_dark {
        visuals.panel_fill = Color32::from_rgb(35, 37, 41);
        visuals.window_fill = Color32::from_rgb(41, 43, 48);
        visuals.extreme_bg_color = Color32::from_rgb(24, 25, 28);
        visuals.faint_bg_color = Color32::from_rgb(43, 45, 50);
        visuals.selection.bg_fill = Color32::from_rgb(132, 82, 22);
        visuals.selection.stroke.color = Color32::from_rgb(255, 226, 186);
    } else {
        visuals.panel_fill = Color32::from_rgb(244, 245, 247);
        visuals.window_fill = Color32::from_rgb(252, 252, 253);
        visuals.faint_bg_color = Color32::from_rgb(234, 236, 240);
        visuals.selection.bg_fill = Color32::from_rgb(250, 211, 160);
        visuals.selection.stroke.color = Color32::from_rgb(92, 52, 4);
    }
    visuals.hyperlink_color = ACCENT;
    visuals
}

/// The light in the viewport: the same studio as in every picture of Sinew, before a darker wall in
/// the dark. A quick one has coarser shadows of the same softness: while something moves on the
/// processor.
pub(crate) fn look(is_dark: bool, is_quick: bool) -> Look {
    let mut look = Look::default();
    if is_dark {
        look.background_top = Vec3::new(0.235, 0.247, 0.267);
        look.background_bottom = Vec3::new(0.150, 0.157, 0.172);
    }
    if is_quick {
        for map in [&mut look.key_shadow, &mut look.sky_shadow] {
            map.resolution /= QUICK_SHADOWS;
            map.blur_texels /= QUICK_SHADOWS as f32;
        }
    }
    look
}
