//! Scripts of edits: a JSON list, or an object with one under `edits`.

use serde_json::Value;

use crate::edit::Edit;
use crate::text::refuse_crowds;

/// The edits of a script's text.
///
/// # Errors
/// Says what is wrong, and in which edit.
pub fn read_edits(text: &str) -> Result<Vec<Edit>, String> {
    refuse_crowds(text.as_bytes())?;
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Some(edits) = value.get_mut("edits") {
        value = edits.take();
    }
    let Value::Array(edits) = value else {
        return Err("must be a list of edits, as in [{\"edit\": \"reset-pose\"}]".into());
    };
    let parse = |(index, edit): (usize, Value)| {
        serde_json::from_value(edit).map_err(|error| format!("edit {}: {error}", index + 1))
    };
    edits.into_iter().enumerate().map(parse).collect()
}
