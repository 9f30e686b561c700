//! Two studios side by side, one on the card, and the pictures that they save.

use std::path::Path;

use eframe::egui::TexturesDelta;
use eframe::egui_wgpu::{
    RenderState, RendererOptions, WgpuConfiguration, WgpuSetup, WgpuSetupCreateNew,
};
use egui_kittest::{Harness, TestRenderer};
use sinew::glam::Vec3;
use sinew_studio::{Command, DrawnBy, StudioOptions};
use sinew_view::camera::Size;
use sinew_view::perceptual::{self, Difference, Tolerance};
use sinew_view::picture::Picture;

use crate::common::User;

/// Small: a rasteriser draws half of the pictures.
pub(crate) const WINDOW: [f32; 2] = [900.0, 600.0];

/// Two renderers of one frame; the card lays its shadow maps around a box that it has estimated, so
/// that a shadow's edge may fall beside the rasteriser's by a pixel of the map.
const OTHER_DEVICE: Tolerance = Tolerance { mean: 3e-3, worst_block: 6e-2, structure: 5e-3 };

/// A card without a window.
struct Card(RenderState);

impl Card {
    fn new() -> Self {
        let setup = WgpuSetup::CreateNew(WgpuSetupCreateNew::without_display_handle());
        let instance = pollster::block_on(setup.new_instance());
        let configuration = WgpuConfiguration { wgpu_setup: setup, ..Default::default() };
        let options = RendererOptions::PREDICTABLE;
        let state = RenderState::create(&configuration, &instance, None, options);
        Self(pollster::block_on(state).expect("there is an adapter"))
    }
}

impl TestRenderer for Card {
    fn setup_eframe(&self, cc: &mut eframe::CreationContext<'_>, frame: &mut eframe::Frame) {
        cc.wgpu_render_state = Some(self.0.clone());
        frame.wgpu_render_state = Some(self.0.clone());
    }

    /// Nobody looks at the window itself.
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        delta.clear();
    }
}

/// A user of a studio on the card.
pub(crate) fn on_card(size: [f32; 2], options: StudioOptions) -> User<'static> {
    let builder = Harness::builder().with_size(size).renderer(Card::new());
    User::before(builder, StudioOptions { drawn_by: DrawnBy::Card, ..options })
}

/// The same document in two studios: on the processor, and on the card.
pub(crate) struct Pair {
    users: [User<'static>; 2],
    folder: tempfile::TempDir,
    num_pictures: usize,
}

impl Pair {
    pub(crate) fn new(file: Option<&Path>) -> Self {
        let options =
            || StudioOptions { file: file.map(Path::to_owned), ..StudioOptions::default() };
        let users = [User::of_size(WINDOW, options()), on_card(WINDOW, options())];
        let folder = tempfile::tempdir().unwrap();
        Self { users, folder, num_pictures: 0 }
    }

    pub(crate) fn on_card(&mut self) -> &mut User<'static> {
        &mut self.users[1]
    }

    /// Does the same in both.
    pub(crate) fn both(&mut self, act: impl Fn(&mut User<'static>)) {
        for user in &mut self.users {
            act(user);
            user.settle();
        }
    }

    /// Where both have the points of a view.
    pub(crate) fn points(&self, view: usize) -> [Vec<Vec3>; 2] {
        self.users.each_ref().map(|user| user.studio().points_of_view(view).unwrap().concat())
    }

    /// Both pictures are the same to the eye; the one of the card.
    pub(crate) fn assert_same_picture(&mut self, of: &str) -> Picture {
        assert_eq!(self.users[1].studio().is_on_card(0), Some(true), "{of}: made on the card");
        let [here, on_card] = self.pictures();
        let difference = perceptual::compare(&here, &on_card).expect("views of one size");
        assert!(OTHER_DEVICE.accepts(&difference), "{of}: {difference:?}");
        on_card
    }

    /// What both save of their first view.
    pub(crate) fn pictures(&mut self) -> [Picture; 2] {
        self.num_pictures += 1;
        let number = self.num_pictures;
        let folder = self.folder.path().to_owned();
        self.users.each_mut().map(|user| {
            let device = user.studio().traffic().map_or("processor", |_| "card");
            let path = folder.join(format!("{number}-{device}.png"));
            user.studio_mut().answer_next_dialog(&path);
            user.studio_mut().queue(Command::SavePicture);
            user.settle();
            assert_eq!(user.studio().last_failure(), None);
            let image = image::open(&path).expect("a picture was saved").to_rgba8();
            let size = Size { width: image.width(), height: image.height() };
            Picture::from_pixels(size, image.pixels().map(|pixel| pixel.0).collect())
        })
    }
}

/// Two pictures of one view are not the same: what came between them is to be seen.
pub(crate) fn assert_other(a: &Picture, b: &Picture, what: &str) -> Difference {
    let difference = perceptual::compare(a, b).expect("views of one size");
    assert!(!OTHER_DEVICE.accepts(&difference), "{what}: {difference:?}");
    difference
}

/// The first of a character's bones of that name, turned.
pub(crate) fn turn(user: &mut User<'static>, joint: &str, axis: sinew_editor::Axis, degrees: f64) {
    let joint = user.studio().document().joint_ref(user.joint(joint));
    user.studio_mut().edit(sinew_editor::PoseEdit::RotateJoint { joint, axis, degrees });
}
