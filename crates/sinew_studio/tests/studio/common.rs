//! A studio without a window, and someone who uses it.

use std::path::Path;
use std::time::{Duration, Instant};

use eframe::egui;
use egui_kittest::kittest::{NodeT, Queryable};
use egui_kittest::{Harness, HarnessBuilder};
use sinew::glam::Vec3;
use sinew_studio::{Dialogs, Studio, StudioOptions};

/// Binding the chibi's springs takes a second or two on a busy machine; what takes this long hangs.
const PATIENCE: Duration = Duration::from_secs(90);

/// Points of a control's shorter side.
const THINNEST_CONTROL: f64 = 12.0;

pub(crate) struct User<'a> {
    pub(crate) harness: Harness<'a, Studio>,
}

impl User<'_> {
    pub(crate) fn new() -> Self {
        Self::with(StudioOptions::default())
    }

    pub(crate) fn at_home(home: &Path) -> Self {
        Self::with(StudioOptions { home: Some(home.to_owned()), ..StudioOptions::default() })
    }

    pub(crate) fn with(options: StudioOptions) -> Self {
        Self::of_size([1280.0, 800.0], options)
    }

    pub(crate) fn of_size(size: [f32; 2], options: StudioOptions) -> Self {
        Self::before(Harness::builder().with_size(size), options)
    }

    /// Before a window that is made ready already.
    pub(crate) fn before(builder: HarnessBuilder<Studio>, options: StudioOptions) -> Self {
        let options = StudioOptions { dialogs: Dialogs::Answered, ..options };
        let harness = builder.with_step_dt(0.1).build_eframe(|cc| Studio::new(cc, options));
        let mut user = Self { harness };
        user.settle();
        user
    }

    pub(crate) fn studio(&self) -> &Studio {
        self.harness.state()
    }

    pub(crate) fn studio_mut(&mut self) -> &mut Studio {
        self.harness.state_mut()
    }

    /// Waits until nothing changes any more.
    pub(crate) fn settle(&mut self) {
        let start = Instant::now();
        let mut quiet = 0;
        while quiet < 3 {
            self.harness.step();
            // What plays never comes to rest.
            if self.studio().is_busy() && !self.studio().is_playing() {
                quiet = 0;
                // Between two looks: the cores are the solvers' for so long.
                std::thread::sleep(Duration::from_millis(5));
            } else {
                quiet += 1;
            }
            assert!(start.elapsed() < PATIENCE, "the studio does not come to rest");
        }
    }

    /// Clicks what has that name.
    pub(crate) fn click(&mut self, name: &str) {
        let rect = self.control(name).rect();
        let hit = self.harness.ctx.content_rect().intersect(rect);
        assert!(hit.is_positive(), "'{name}' is out of the window, at {rect:?}");
        self.control(name).click();
        self.settle();
    }

    /// What can be worked with and has that name; of several the last, which lies on top.
    pub(crate) fn control<'a>(&'a self, name: &'a str) -> egui_kittest::Node<'a> {
        let found = self.find(name);
        found.unwrap_or_else(|| panic!("there is no control '{name}'"))
    }

    fn find<'a>(&'a self, name: &'a str) -> Option<egui_kittest::Node<'a>> {
        let mut nodes = self.harness.query_all_by_label(name);
        nodes.rfind(|node| is_control(node.accesskit_node().role()))
    }

    /// Chooses an entry of a menu.
    pub(crate) fn menu(&mut self, menu: &str, entry: &str) {
        self.click(menu);
        self.click(entry);
    }

    /// Chooses an entry of a list.
    pub(crate) fn choose(&mut self, list: &str, entry: &str) {
        self.click(list);
        self.click(entry);
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(crate) fn press(&mut self, modifiers: egui::Modifiers, key: egui::Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.settle();
    }

    pub(crate) fn joint(&self, name: &str) -> u32 {
        let joints = self.studio().document().character().skeleton.joints();
        joints.iter().position(|joint| joint.name == name).expect("a joint of that name") as u32
    }

    /// The middle of a bone in the window.
    pub(crate) fn bone(&self, name: &str) -> egui::Pos2 {
        let [head, tail] = self.studio().bone_ends(self.joint(name));
        let place = self.studio().place_in_window(&self.harness.ctx, head.midpoint(tail));
        place.expect("in view")
    }

    /// Where a place of the model is in the window.
    pub(crate) fn in_window(&self, point: sinew::glam::Vec3) -> egui::Pos2 {
        self.studio().place_in_window(&self.harness.ctx, point).unwrap()
    }

    pub(crate) fn click_at(&mut self, at: egui::Pos2) {
        self.harness.hover_at(at);
        self.harness.step();
        self.harness.drag_at(at);
        self.harness.step();
        self.harness.drop_at(at);
        self.settle();
    }

    pub(crate) fn drag(&mut self, from: egui::Pos2, to: egui::Pos2) {
        self.drag_along(&[from, to]);
    }

    /// From place to place with the button held.
    pub(crate) fn drag_along(&mut self, way: &[egui::Pos2]) {
        self.harness.hover_at(way[0]);
        self.harness.step();
        self.harness.drag_at(way[0]);
        self.harness.step();
        for pair in way.windows(2) {
            for step in 1..=8 {
                self.harness.hover_at(pair[0] + (pair[1] - pair[0]) * (step as f32 / 8.0));
                self.harness.step();
            }
        }
        self.harness.drop_at(way[way.len() - 1]);
        self.settle();
    }

    /// A press and a release of a button.
    pub(crate) fn click_with(&mut self, at: egui::Pos2, button: egui::PointerButton) {
        self.harness.hover_at(at);
        self.harness.step();
        let event = |pressed| egui::Event::PointerButton {
            pos: at,
            button,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        for pressed in [true, false] {
            self.harness.event(event(pressed));
            self.harness.step();
        }
        self.settle();
    }

    /// What is written on a menu's entry, which is known by a shorter name.
    pub(crate) fn shown_text(&self, name: &str) -> String {
        let node = self.control(name);
        node.accesskit_node().data().description().unwrap_or_default().to_owned()
    }

    /// The name of what has the keyboard.
    pub(crate) fn focused(&self) -> Option<String> {
        let mut nodes = self.harness.root().children_recursive();
        nodes.find(|node| node.accesskit_node().is_focused())?.accesskit_node().label()
    }

    /// Names of controls that do nothing now.
    pub(crate) fn disabled(&self) -> std::collections::BTreeSet<String> {
        let nodes = self.harness.root().children_recursive();
        nodes
            .filter(|node| node.accesskit_node().is_disabled())
            .filter_map(|node| node.accesskit_node().label())
            .collect()
    }

    /// What takes a click or the keyboard without a name, or without a role: where it is.
    pub(crate) fn nameless(&self) -> Vec<String> {
        let nodes = self.harness.root().children_recursive();
        let acts = |node: &egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            // The bars that scroll are thinner than anything else.
            let is_bar = node
                .bounding_box()
                .is_none_or(|bounds| bounds.width().min(bounds.height()) < THINNEST_CONTROL);
            let clicks = node.data().supports_action(egui::accesskit::Action::Click);
            is_control(node.role()) || (clicks && !is_bar)
        };
        let lacks = |node: &egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            let has_role = !matches!(node.role(), egui::Role::Unknown);
            // Text that can be marked is its own name.
            let name = node.label().or_else(|| node.value());
            !has_role || name.is_none_or(|name| name.is_empty())
        };
        let tell = |node: egui_kittest::Node<'_>| {
            let node = node.accesskit_node();
            format!("{:?} at {:?}", node.role(), node.bounding_box())
        };
        nodes.filter(|node| acts(node) && lacks(node)).map(tell).collect()
    }

    /// Everything that can be worked with now: role and name.
    pub(crate) fn controls(&self) -> Vec<(egui::Role, Option<String>, egui::Rect)> {
        let root = self.harness.root();
        let nodes = root.children_recursive();
        nodes
            .filter(|node| is_control(node.accesskit_node().role()))
            .map(|node| (node.accesskit_node().role(), node.accesskit_node().label(), node.rect()))
            .collect()
    }
}

fn is_control(role: egui::Role) -> bool {
    use egui::Role as R;
    matches!(
        role,
        R::Button
            | R::CheckBox
            | R::ComboBox
            | R::Slider
            | R::SpinButton
            | R::TextInput
            | R::RadioButton
            | R::MenuItem
            | R::DisclosureTriangle
    )
}

/// A file with a cylinder that has two shapes.
pub(crate) fn shaped_file(folder: &std::path::Path) -> std::path::PathBuf {
    let options = sinew::sample::SampleOptions::new(sinew::sample::SampleKind::Cylinder);
    let mut character = sinew::sample::build(&options).unwrap();
    let points = character.parts[0].mesh.points().to_vec();
    let shape = |name: &str, delta: Vec3| sinew::shape::BlendShape {
        name: name.into(),
        deltas: points.iter().map(|point| delta * point.length_squared()).collect(),
        rest_weight: 0.0,
    };
    character.parts[0].shapes = vec![shape("puff", Vec3::X), shape("dent", Vec3::Z)];
    let path = folder.join("shaped.glb");
    sinew_io::write_character(&path, &character, &sinew_io::WriteOptions::default()).unwrap();
    path
}
