//! Lines over a range of motion, as SVG that a page can hold.

use plotters::prelude::*;
use plotters::style::FontFamily;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

use crate::contestant::Contestant;
use crate::exit::Failure;

/// Wide enough for three beside each other on a desktop, and for one on a phone.
const SIZE: (u32, u32) = (440, 300);

/// A line's name, colour and points: degrees, and the figure there.
pub(super) struct Series {
    pub(super) contestant: Contestant,
    pub(super) points: Vec<(f64, f64)>,
}

/// What a plot shows.
pub(super) struct Plot<'a> {
    pub(super) title: &'a str,
    /// Of the upright axis.
    pub(super) y_label: &'a str,
    pub(super) x_label: &'a str,
    /// What lies outside is drawn at the edge: one exploding method must not flatten the others.
    pub(super) y_range: std::ops::Range<f64>,
    pub(super) series: &'a [Series],
}

/// Distinct in hue and in lightness, so that they can be told apart in grey and by most eyes;
/// Sinew's is the strongest.
pub(super) fn color(contestant: Contestant) -> (u8, u8, u8) {
    match (contestant.model, contestant.method.unwrap_or(SkinMethod::Linear)) {
        (Some(SpringModel::Anchored), _) => (16, 92, 196),
        (Some(SpringModel::Paper), _) => (83, 160, 196),
        (Some(SpringModel::DeltaMush), _) => (214, 126, 44),
        (None, SkinMethod::Rigid) => (150, 150, 156),
        (None, SkinMethod::Linear) => (214, 69, 65),
        (None, SkinMethod::DualQuat) => (58, 148, 84),
        (None, SkinMethod::CenterOfRotation) => (166, 118, 29),
        (None, SkinMethod::BoneSmooth) => (123, 104, 196),
    }
}

/// Draws it; the text is the browser's, so that it is as sharp as the page.
pub(super) fn svg(plot: &Plot<'_>) -> Result<String, Failure> {
    let mut svg = String::new();
    draw(plot, &mut svg).map_err(|error| Failure::Write(format!("cannot draw a plot: {error}")))?;
    Ok(svg)
}

fn draw(plot: &Plot<'_>, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let ink = RGBColor(52, 58, 68);
    let font = |size: i32| (FontFamily::SansSerif, size).into_font().color(&ink);
    let x_end = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(&area)
        .caption(plot.title, font(19))
        .margin(8)
        .margin_right(16)
        .x_label_area_size(46)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..x_end.max(1.0), plot.y_range.clone())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc(plot.x_label)
        .y_desc(plot.y_label)
        .axis_desc_style(font(15))
        .label_style(font(14))
        .x_labels(7)
        .y_labels(6)
        .x_label_formatter(&|degrees| format!("{degrees:.0}°"))
        .y_label_formatter(&|value| {
            if value.abs() < 10.0 { format!("{value:.2}") } else { format!("{value:.0}") }
        })
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(226, 230, 236))
        .axis_style(RGBColor(150, 158, 170))
        .draw()?;
    for Series { contestant, points } in plot.series {
        let (red, green, blue) = color(*contestant);
        let is_ours = contestant.model == Some(SpringModel::Anchored);
        let style =
            ShapeStyle::from(&RGBColor(red, green, blue)).stroke_width(if is_ours { 3 } else { 2 });
        let (low, high) = (plot.y_range.start, plot.y_range.end);
        let shown =
            points.iter().filter(|p| p.1.is_finite()).map(|&(x, y)| (x, y.clamp(low, high)));
        chart.draw_series(LineSeries::new(shown, style))?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use sinew::skin::SkinMethod;

    use super::*;

    #[test]
    fn a_plot_has_its_labels_and_a_line_a_series() {
        let series = |points: &[(f64, f64)]| Series {
            contestant: Contestant::of_method(SkinMethod::Linear),
            points: points.to_vec(),
        };
        let plot = Plot {
            title: "Volume",
            y_label: "over rest",
            x_label: "twist",
            y_range: 0.5..1.1,
            series: &[
                series(&[(0.0, 1.0), (100.0, 0.7)]),
                series(&[(0.0, 1.0), (100.0, f64::NAN)]),
            ],
        };
        let svg = svg(&plot).unwrap();
        for part in ["Volume", "over rest", "twist", "100°"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(svg.matches("<polyline").count() >= 1);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn every_contestant_has_a_colour_of_its_own() {
        let colors: std::collections::BTreeSet<_> =
            Contestant::all().into_iter().map(color).collect();
        assert_eq!(colors.len(), Contestant::all().len());
    }
}
