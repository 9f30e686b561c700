//! Text from files: what it may cost.

/// What a value of JSON takes while it is understood: itself, in a list that grows by doubling.
const BYTES_PER_VALUE: usize = 80;
/// What an object takes besides: a map with its first key.
const BYTES_PER_OBJECT: usize = 700;
/// Twenty bytes a byte and fifty megabytes is what reading may take; here it is what a text means.
const BYTES_PER_BYTE: usize = 16;
const FREE_BYTES: usize = 32_000_000;

/// Refuses a text of little but numbers and brackets: `0,` takes two bytes, and dozens in memory.
pub(crate) fn refuse_crowds(json: &[u8]) -> Result<(), String> {
    let (mut num_values, mut num_objects) = (0_usize, 0_usize);
    for &byte in json {
        num_values += usize::from(matches!(byte, b',' | b'[' | b'{'));
        num_objects += usize::from(byte == b'{');
    }
    let cost = num_values * BYTES_PER_VALUE + num_objects * BYTES_PER_OBJECT;
    if cost > json.len().saturating_mul(BYTES_PER_BYTE).saturating_add(FREE_BYTES) {
        return Err(format!(
            "{num_values} values in {} bytes of text are more than this can mean",
            json.len()
        ));
    }
    Ok(())
}
