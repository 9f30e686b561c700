//! Which keys and buttons do what: two habits that people come with.

use eframe::egui::{Key, KeyboardShortcut, Modifiers, PointerButton};
use serde::{Deserialize, Serialize};

use crate::command::Command;

/// A set of keys and buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keymap {
    /// Alt and the mouse move the camera; Q, W, E, R are the tools.
    #[default]
    Industry,
    /// The middle button moves the camera; G, R, S grab, then an axis and a number.
    Blender,
}

/// What a drag of the mouse does to the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CameraDrag {
    Orbit,
    Pan,
    Dolly,
}

impl Keymap {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Industry, Self::Blender];

    /// Its name in menus and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Industry => "Industry (Alt + mouse, Q W E R)",
            Self::Blender => "Blender-like (middle button, G R S)",
        }
    }

    /// What a drag with that button does, if it is the camera's.
    pub(crate) fn camera_drag(
        self,
        button: PointerButton,
        modifiers: Modifiers,
    ) -> Option<CameraDrag> {
        use CameraDrag::{Dolly, Orbit, Pan};
        match (self, button, modifiers.alt) {
            (Self::Industry, PointerButton::Primary, true) => Some(Orbit),
            (Self::Industry, PointerButton::Middle, true) => Some(Pan),
            (Self::Industry, PointerButton::Secondary, true) => Some(Dolly),
            // Without Alt, too: nothing else wants these buttons.
            (_, PointerButton::Middle, _) if modifiers.shift => Some(Pan),
            (_, PointerButton::Middle, _) if modifiers.command => Some(Dolly),
            (_, PointerButton::Middle, _) => Some(Orbit),
            (_, PointerButton::Secondary, _) if modifiers.shift => Some(Pan),
            (_, PointerButton::Secondary, _) => Some(Orbit),
            _ => None,
        }
    }

    /// The keys of a command.
    pub(crate) fn shortcut(self, command: Command) -> Option<KeyboardShortcut> {
        use Command as C;
        let command_key = Modifiers::COMMAND;
        let with_shift = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        let shared = match command {
            C::Open => Some((command_key, Key::O)),
            C::Save => Some((command_key, Key::S)),
            C::SaveAs => Some((with_shift, Key::S)),
            C::Export => Some((command_key, Key::E)),
            C::Quit => Some((command_key, Key::Q)),
            C::Undo => Some((command_key, Key::Z)),
            C::Redo => Some((with_shift, Key::Z)),
            C::PlayPause => Some((Modifiers::NONE, Key::Space)),
            C::StepBack => Some((Modifiers::NONE, Key::Comma)),
            C::StepForward => Some((Modifiers::NONE, Key::Period)),
            C::ToStart => Some((Modifiers::NONE, Key::Home)),
            C::ToEnd => Some((Modifiers::NONE, Key::End)),
            C::SetKeys => Some((Modifiers::NONE, Key::K)),
            C::AutoKey => Some((Modifiers::SHIFT, Key::K)),
            C::DeleteKeys => Some((Modifiers::NONE, Key::Delete)),
            C::MirrorPose => Some((command_key, Key::M)),
            C::ResetJoints => Some((Modifiers::ALT, Key::R)),
            C::SelectParent => Some((Modifiers::NONE, Key::OpenBracket)),
            C::SelectChild => Some((Modifiers::NONE, Key::CloseBracket)),
            C::PickJoints => Some((Modifiers::NONE, Key::F8)),
            C::PickPoints => Some((Modifiers::NONE, Key::F9)),
            C::SelectBox => Some((Modifiers::NONE, Key::B)),
            C::SelectLasso => Some((Modifiers::NONE, Key::L)),
            C::SelectThrough => Some((Modifiers::ALT, Key::Z)),
            // Where < and > are; with Ctrl, plus and minus are the size of the whole window.
            C::GrowPoints => Some((Modifiers::SHIFT, Key::Period)),
            C::ShrinkPoints => Some((Modifiers::SHIFT, Key::Comma)),
            C::WholeMeshes => Some((command_key, Key::L)),
            C::CompareOne => Some((Modifiers::ALT, Key::Num1)),
            C::CompareTwo => Some((Modifiers::ALT, Key::Num2)),
            C::CompareThree => Some((Modifiers::ALT, Key::Num3)),
            C::CompareFour => Some((Modifiers::ALT, Key::Num4)),
            C::CompareWipe => Some((Modifiers::ALT, Key::Num5)),
            C::ShowLists => Some((Modifiers::NONE, Key::F6)),
            C::ShowSettings => Some((Modifiers::NONE, Key::F7)),
            C::Shortcuts => Some((Modifiers::NONE, Key::F1)),
            C::CageTool => Some((Modifiers::NONE, Key::C)),
            C::NextBones => Some((Modifiers::NONE, Key::D)),
            C::PaintTool => Some((Modifiers::NONE, Key::P)),
            C::DrawTool => Some((Modifiers::NONE, Key::J)),
            C::DragTool => Some((Modifiers::NONE, Key::V)),
            C::PinJoints => Some((Modifiers::SHIFT, Key::P)),
            C::MirrorJoints => Some((with_shift, Key::M)),
            C::BeforeAfter => Some((Modifiers::NONE, Key::Slash)),
            C::SculptTool => Some((Modifiers::NONE, Key::U)),
            C::SurfaceTool => Some((Modifiers::NONE, Key::N)),
            C::GrabTool => Some((Modifiers::SHIFT, Key::G)),
            C::ShowAllMeshes => Some((Modifiers::ALT, Key::H)),
            C::BrushAdd => Some((command_key, Key::Num1)),
            C::BrushSubtract => Some((command_key, Key::Num2)),
            C::BrushReplace => Some((command_key, Key::Num3)),
            C::BrushSmooth => Some((command_key, Key::Num4)),
            C::BrushSharpen => Some((command_key, Key::Num5)),
            C::BrushRelax => Some((command_key, Key::Num6)),
            _ => None,
        };
        let own = match (self, command) {
            (Self::Industry, C::SelectTool) => Some((Modifiers::NONE, Key::Q)),
            (Self::Industry, C::MoveTool) => Some((Modifiers::NONE, Key::W)),
            (Self::Industry, C::RotateTool) => Some((Modifiers::NONE, Key::E)),
            (Self::Industry, C::StretchTool) => Some((Modifiers::NONE, Key::R)),
            (Self::Industry, C::ReachTool) => Some((Modifiers::NONE, Key::I)),
            (Self::Industry, C::FrameSelected) => Some((Modifiers::NONE, Key::F)),
            (Self::Industry, C::FrameAll) => Some((Modifiers::NONE, Key::A)),
            (Self::Industry, C::SelectAll) => Some((command_key, Key::A)),
            (Self::Industry, C::ViewFront) => Some((Modifiers::NONE, Key::Num1)),
            (Self::Industry, C::ViewRight) => Some((Modifiers::NONE, Key::Num3)),
            (Self::Industry, C::ViewTop) => Some((Modifiers::NONE, Key::Num7)),
            (Self::Industry, C::Orthographic) => Some((Modifiers::NONE, Key::Num5)),
            (Self::Blender, C::MoveTool) => Some((Modifiers::NONE, Key::G)),
            (Self::Blender, C::RotateTool) => Some((Modifiers::NONE, Key::R)),
            (Self::Blender, C::StretchTool) => Some((Modifiers::NONE, Key::S)),
            (Self::Blender, C::SelectTool) => Some((Modifiers::NONE, Key::W)),
            (Self::Blender, C::ReachTool) => Some((Modifiers::NONE, Key::I)),
            (Self::Blender, C::FrameSelected) => Some((Modifiers::NONE, Key::F)),
            (Self::Blender, C::SelectAll) => Some((Modifiers::NONE, Key::A)),
            (Self::Blender, C::SelectNone) => Some((Modifiers::ALT, Key::A)),
            (Self::Blender, C::FrameAll) => Some((Modifiers::SHIFT, Key::A)),
            (Self::Blender, C::ViewFront) => Some((Modifiers::NONE, Key::Num1)),
            (Self::Blender, C::ViewRight) => Some((Modifiers::NONE, Key::Num3)),
            (Self::Blender, C::ViewTop) => Some((Modifiers::NONE, Key::Num7)),
            (Self::Blender, C::Orthographic) => Some((Modifiers::NONE, Key::Num5)),
            _ => None,
        };
        shared.or(own).map(|(modifiers, key)| KeyboardShortcut::new(modifiers, key))
    }

    /// Other keys of a command, for who tries those first.
    pub(crate) fn also(self, command: Command) -> Option<KeyboardShortcut> {
        let key = match command {
            Command::StepBack => Key::ArrowLeft,
            Command::StepForward => Key::ArrowRight,
            _ => return None,
        };
        Some(KeyboardShortcut::new(Modifiers::NONE, key))
    }

    /// True if a tool's key begins it at once, with no button held.
    pub(crate) fn grabs(self) -> bool {
        self == Self::Blender
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_a_shortcut() {
        for keymap in Keymap::ALL {
            let mut taken: Vec<(KeyboardShortcut, Command)> = Vec::new();
            for command in Command::ALL {
                let all = [keymap.shortcut(command), keymap.also(command)];
                for shortcut in all.into_iter().flatten() {
                    let other = taken.iter().find(|(known, _)| *known == shortcut);
                    assert_eq!(other, None, "{keymap:?}: {command:?} has the same keys");
                    taken.push((shortcut, command));
                }
            }
        }
    }
}
