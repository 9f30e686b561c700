//! The names nearest to a mistyped one.

/// How many are worth listing in one line.
const MAX_SUGGESTIONS: usize = 5;

/// Below this similarity (Jaro–Winkler, 0 to 1) two names have nothing to do with each other.
const MIN_SIMILARITY: f64 = 0.6;

/// The names nearest to `wanted`, best first; the first few names at all if none is near.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted_lower = wanted.to_lowercase();
    let similarity = |name: &str| {
        let name = name.to_lowercase();
        // `elbow` for `mixamorig:LeftElbow`: a part typed right is nearer than any misspelling.
        let bonus =
            if !wanted_lower.is_empty() && name.contains(&wanted_lower) { 1.0 } else { 0.0 };
        bonus + strsim::jaro_winkler(&wanted_lower, &name)
    };
    let mut ranked: Vec<(f64, &str)> =
        names.into_iter().map(|name| (similarity(name), name)).collect();
    let first_few: Vec<&str> = ranked.iter().take(MAX_SUGGESTIONS).map(|&(_, name)| name).collect();
    // Stable, so that equals keep the file's order.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = ranked
        .iter()
        .filter(|&&(similarity, _)| similarity >= MIN_SIMILARITY)
        .map(|&(_, name)| name)
        .take(MAX_SUGGESTIONS)
        .collect();
    if near.is_empty() { first_few } else { near }
}

/// `no joint 'x'; the nearest of 85 are: 'a', 'b'`, or what to say where there is none at all.
pub fn unknown<'a>(kind: &str, wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    if names.is_empty() {
        let plural = if kind.ends_with("sh") { "es" } else { "s" };
        return format!("there is no {kind} '{wanted}': the file has no {kind}{plural} at all");
    }
    let suggestions = nearest(wanted, names.iter().copied());
    let listed = suggestions.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    if suggestions.len() == names.len() {
        format!("there is no {kind} '{wanted}'; there are: {listed}")
    } else {
        format!("there is no {kind} '{wanted}'; the nearest of {} are: {listed}", names.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOINTS: [&str; 7] =
        ["hips", "spine", "elbow_left", "elbow_right", "wrist_left", "wrist_right", "head"];

    #[test]
    fn a_mistyped_name_finds_its_neighbours_first() {
        assert_eq!(nearest("elbow_lft", JOINTS)[..2], ["elbow_left", "elbow_right"]);
    }

    #[test]
    fn a_part_of_a_name_finds_every_name_with_it() {
        assert_eq!(nearest("right", JOINTS)[..2], ["wrist_right", "elbow_right"]);
    }

    #[test]
    fn a_name_like_no_other_lists_the_first_few() {
        assert_eq!(nearest("qqq", JOINTS), JOINTS[..5]);
    }

    #[test]
    fn a_file_without_any_says_so() {
        assert!(unknown("clip", "walk", []).contains("no clips at all"));
    }
}
