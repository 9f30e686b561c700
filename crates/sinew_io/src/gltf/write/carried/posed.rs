//! A posed character in the document that it came from: every material, texture, extra and node
//! stays; meshes are written as they stand, and what would move them again is left out.
//!
//! Nodes stay where they rest, joints too: meshes are written so that they lie where the pose has
//! them.

use glam::DAffine3;
use serde_json::Value;
use sinew::Part;

use super::super::Finished;
use super::super::mesh::Surface;
use super::super::quantized::hang_mesh;
use super::Carrier;
use super::part::{bring_to_mesh, has_same_vertices};
use crate::error::WriteError;
use crate::posed::PosedPart;

impl Carrier<'_> {
    pub(super) fn run_posed(mut self, posed: &[PosedPart<'_>]) -> Result<Finished, WriteError> {
        self.write_asset();
        self.copier.images(&mut self.writer);
        self.match_materials();
        let instance_of_part = self.match_parts();
        for (index, instance) in self.instances.iter().enumerate() {
            if !instance_of_part.contains(&Some(index)) {
                self.take_mesh_off(instance.node);
            }
        }
        self.writer.document.remove("skins");
        for node in self.writer.array("nodes") {
            if let Some(node) = node.as_object_mut() {
                node.remove("skin");
            }
        }
        let parts = self.character.parts.iter().zip(posed);
        for ((part, posed), instance) in parts.zip(instance_of_part) {
            let node = self.write_posed_part(part, posed, instance);
            self.writer.node_of_part.push(node);
        }
        self.copy_other_meshes();
        self.name_parts();
        self.copier.extensions(&mut self.writer);
        self.tell_extensions();
        self.say_what_is_gone();
        self.writer.finish(self.options)
    }

    fn write_posed_part(
        &mut self,
        part: &Part,
        posed: &PosedPart<'_>,
        instance: Option<usize>,
    ) -> Option<usize> {
        let instance = instance.map(|index| &self.instances[index]);
        if let Some(instance) = instance {
            self.take_mesh_off(instance.node);
        }
        if part.mesh.triangles().is_empty() {
            return None;
        }
        let mut surface = Surface::posed(posed);
        let world = instance.map(|instance| self.nodes.world_from_node[instance.node]);
        let world = world.filter(|world| world.is_finite() && world.inverse().is_finite());
        let node = match (instance, world) {
            (Some(instance), Some(_)) => instance.node,
            _ => self.add_part_node(part),
        };
        bring_to_mesh(&mut surface, part, None, &world.unwrap_or(DAffine3::IDENTITY));
        let kept = instance.filter(|instance| has_same_vertices(part, instance));
        let mesh = match kept {
            Some(kept) => self.write_kept_mesh(part, &mut surface, kept),
            None => self.write_new_mesh(part, &mut surface, instance),
        };
        // Names of shapes that are part of the points now.
        let written = self.writer.object("meshes", mesh);
        if let Some(Value::Object(extras)) = written.and_then(|mesh| mesh.get_mut("extras")) {
            extras.remove("targetNames");
        }
        hang_mesh(&mut self.writer, node, mesh, None);
        Some(node)
    }

    /// What a posed character cannot have, in one note.
    fn say_what_is_gone(&mut self) {
        let root = &self.source.root;
        let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let num_tangents = primitives.filter(|p| p.attributes.contains_key("TANGENT")).count();
        let num_shapes: usize = self.character.parts.iter().map(|part| part.shapes.len()).sum();
        let counted = [
            (root.skins.len(), "skins"),
            (root.animations.len(), "animations"),
            (num_shapes, "blend shapes"),
            (num_tangents, "sets of tangents (readers make them from the texture coordinates)"),
        ];
        let gone: Vec<String> = counted
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        if !gone.is_empty() {
            let what = format!("a posed character has none of the source's {}", gone.join(", "));
            let mend = "keep the source file to pose it again";
            self.writer.report.note("posed", "document", what, mend);
        }
    }
}
