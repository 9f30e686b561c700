//! Who may know whom: the arrows of ARCHITECTURE.md as tables.

use super::graph::Graph;

/// A crate of the workspace, and the crates of the workspace that it may depend on. Crates that are
/// still planned have their line already, so that the first commit of one is held to it.
pub(super) const LAYERS: &[(&str, &[&str])] = &[
    ("sinew", &[]),
    ("sinew_fbx", &[]),
    ("sinew_io", &["sinew", "sinew_fbx"]),
    ("sinew_view", &["sinew"]),
    ("sinew_gpu", &["sinew", "sinew_view"]),
    ("sinew_editor", &["sinew", "sinew_io", "sinew_view"]),
    ("sinew_studio", &["sinew", "sinew_io", "sinew_view", "sinew_gpu", "sinew_editor"]),
    (
        "sinew_cli",
        &["sinew", "sinew_io", "sinew_view", "sinew_gpu", "sinew_editor", "sinew_studio"],
    ),
    ("sinew_py", &["sinew", "sinew_io", "sinew_view", "sinew_editor"]),
    ("sinew_study", &["sinew", "sinew_io", "sinew_view"]),
    ("sinew_examples", &["sinew", "sinew_io", "sinew_view"]),
    ("xtask", &[]),
];

/// Third-party crates that only some of our crates may pull in, directly or through others.
struct Ban {
    /// Names; a final `*` stands for any ending.
    crates: &'static [&'static str],
    /// The crates that may depend on it.
    allowed_in: &'static [&'static str],
    /// The rule, for the message.
    rule: &'static str,
}

/// What comes only through these is not looked at: faer asks Apple machines for the sizes of their
/// caches through `sysctl`, which lists folders that nothing of ours has a say in.
const HARMLESS: &[&str] = &["sysctl"];

const BANS: &[Ban] = &[
    Ban {
        crates: &["wgpu*", "naga*"],
        allowed_in: &["sinew_gpu", "sinew_studio", "sinew_cli"],
        rule: "no GPU below sinew_gpu",
    },
    Ban {
        crates: &["egui*", "eframe", "rfd", "winit"],
        allowed_in: &["sinew_studio", "sinew_cli"],
        rule: "no window below sinew_studio",
    },
    Ban {
        crates: &["tempfile", "memmap2", "walkdir"],
        allowed_in: &[
            "sinew_io",
            "sinew_view",
            "sinew_gpu",
            "sinew_editor",
            "sinew_studio",
            "sinew_cli",
            "sinew_py",
            "sinew_study",
            "sinew_examples",
            "xtask",
        ],
        rule: "no file system in sinew",
    },
];

/// Every edge that the tables do not allow, each as a sentence that names both crates and the rule.
pub(super) fn violations(graph: &Graph) -> Vec<String> {
    let mut violations = Vec::new();
    for member in graph.members() {
        let name = graph.name(member);
        let Some(&(_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            violations.push(format!(
                "{name} has no layer: give it a line in LAYERS (xtask/src/layers/rules.rs) and in ARCHITECTURE.md"
            ));
            continue;
        };
        for other in graph.direct_members(member).map(|other| graph.name(other)) {
            if !allowed.contains(&other) {
                let list = if allowed.is_empty() { "none".into() } else { allowed.join(", ") };
                violations.push(format!(
                    "{name} depends on {other}: of this workspace it may depend on {list} (LAYERS, xtask/src/layers/rules.rs)"
                ));
            }
        }
        for (package, way) in graph.reachable(member) {
            let found = graph.name(package);
            if way.iter().any(|step| HARMLESS.contains(&&**step)) {
                continue;
            }
            for ban in BANS.iter().filter(|ban| !ban.allowed_in.contains(&name)) {
                if ban.crates.iter().any(|pattern| matches(pattern, found)) {
                    violations.push(format!(
                        "{name} pulls in {found} ({}): {}",
                        way.join(" ─▶ "),
                        ban.rule
                    ));
                }
            }
        }
    }
    violations
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::fake;
    use super::*;

    #[test]
    fn the_arrows_as_drawn_are_allowed() {
        let graph = fake(
            &["sinew", "sinew_io", "sinew_gpu", "sinew_editor", "sinew_studio", "sinew_cli"],
            &[
                ("sinew_io", "sinew", None),
                ("sinew_gpu", "sinew", None),
                ("sinew_gpu", "wgpu", None),
                ("wgpu", "naga", None),
                ("sinew_editor", "sinew_io", None),
                ("sinew_studio", "sinew_gpu", None),
                ("sinew_studio", "sinew_editor", None),
                ("sinew_studio", "egui-wgpu", None),
                ("sinew_cli", "sinew_studio", None),
                ("sinew", "sinew_io", Some("dev")),
            ],
        );
        assert_eq!(violations(&graph), [""; 0]);
    }

    #[test]
    fn an_arrow_against_the_layers_names_both_crates_and_the_rule() {
        let graph = fake(&["sinew", "sinew_io"], &[("sinew", "sinew_io", None)]);
        let found = violations(&graph);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("sinew depends on sinew_io: "), "{}", found[0]);
        assert!(found[0].contains("may depend on none"), "{}", found[0]);
    }

    #[test]
    fn a_build_dependency_counts_as_an_arrow() {
        let graph = fake(&["sinew_io", "sinew_gpu"], &[("sinew_gpu", "sinew_io", Some("build"))]);
        assert_eq!(violations(&graph).len(), 1);
    }

    #[test]
    fn the_gpu_far_below_a_crate_that_must_not_know_it_is_found_with_the_way_to_it() {
        let graph = fake(
            &["sinew", "sinew_io"],
            &[("sinew_io", "innocent", None), ("innocent", "wgpu-core", None)],
        );
        assert_eq!(
            violations(&graph),
            [
                "sinew_io pulls in wgpu-core (sinew_io ─▶ innocent ─▶ wgpu-core): no GPU below sinew_gpu"
            ]
        );
    }

    #[test]
    fn a_window_is_found_below_the_studio() {
        for window in ["egui", "egui_extras", "eframe", "rfd", "winit"] {
            let graph = fake(&["sinew_gpu"], &[("sinew_gpu", window, None)]);
            let found = violations(&graph);
            assert_eq!(found.len(), 1, "{window}");
            assert!(found[0].contains(window) && found[0].contains("below sinew_studio"));
        }
    }

    #[test]
    fn a_crate_without_a_layer_is_asked_for_one() {
        let graph = fake(&["sinew_extra"], &[]);
        assert!(violations(&graph)[0].starts_with("sinew_extra has no layer"));
    }

    #[test]
    fn a_pattern_without_a_star_matches_the_whole_name_only() {
        assert!(matches("eframe", "eframe") && !matches("rfd", "rfdx"));
        assert!(matches("naga*", "naga") && matches("naga*", "naga_oil"));
    }

    #[test]
    fn the_table_has_no_cycle_and_names_only_its_own_crates() {
        let names: Vec<_> = LAYERS.iter().map(|(name, _)| *name).collect();
        let graph = fake(
            &names,
            &LAYERS
                .iter()
                .flat_map(|(from, to)| to.iter().map(|to| (*from, *to, None)))
                .collect::<Vec<_>>(),
        );
        assert_eq!(graph.members().count(), LAYERS.len());
        for member in graph.members() {
            for (other, _) in graph.reachable(member) {
                assert!(names.contains(&graph.name(other)));
                let back = graph.reachable(other);
                assert!(back.iter().all(|(package, _)| *package != member), "{}", names[member]);
            }
        }
    }
}
