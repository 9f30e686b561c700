//! The graph of packages as `cargo metadata` tells it: normal and build dependencies, all
//! platforms, all features.

use std::collections::{HashMap, HashSet, VecDeque};

use serde::Deserialize;

use crate::Failure;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Option<Resolve>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` for a normal one, else `"build"` or `"dev"`.
    kind: Option<String>,
}

/// Who depends on whom. Packages are indices into `names`.
pub(crate) struct Graph {
    names: Vec<String>,
    members: Vec<usize>,
    dependencies: Vec<Vec<usize>>,
}

impl Graph {
    /// From the output of `cargo metadata --format-version=1`.
    pub(crate) fn from_metadata(json: &[u8]) -> Result<Self, Failure> {
        let metadata: Metadata = serde_json::from_slice(json)
            .map_err(|error| format!("cannot read `cargo metadata`: {error}"))?;
        let resolve = metadata
            .resolve
            .ok_or("`cargo metadata` has no dependency graph; run it without --no-deps")?;
        let index_of: HashMap<&str, usize> =
            metadata.packages.iter().enumerate().map(|(i, p)| (p.id.as_str(), i)).collect();
        let find = |id: &str| {
            index_of
                .get(id)
                .copied()
                .ok_or_else(|| format!("`cargo metadata` names '{id}' but does not list it"))
        };
        let mut dependencies = vec![Vec::new(); metadata.packages.len()];
        for node in &resolve.nodes {
            for dependency in &node.deps {
                let is_dev = |kind: &DependencyKind| kind.kind.as_deref() == Some("dev");
                if !dependency.dep_kinds.iter().all(is_dev) {
                    dependencies[find(&node.id)?].push(find(&dependency.pkg)?);
                }
            }
        }
        let members =
            metadata.workspace_members.iter().map(|id| find(id)).collect::<Result<Vec<_>, _>>()?;
        let names = metadata.packages.into_iter().map(|package| package.name).collect();
        Ok(Self { names, members, dependencies })
    }

    /// The workspace's own crates.
    pub(crate) fn members(&self) -> impl Iterator<Item = usize> {
        self.members.iter().copied()
    }

    /// A package's name.
    pub(crate) fn name(&self, package: usize) -> &str {
        &self.names[package]
    }

    /// The workspace crates that `package` depends on directly.
    pub(crate) fn direct_members(&self, package: usize) -> impl Iterator<Item = usize> {
        self.dependencies[package].iter().copied().filter(|other| self.members.contains(other))
    }

    /// Every package that `package` pulls in, each with a shortest way to it: names from `package`
    /// to it.
    pub(crate) fn reachable(&self, package: usize) -> Vec<(usize, Vec<&str>)> {
        let mut seen = HashSet::from([package]);
        let mut queue = VecDeque::from([(package, vec![self.name(package)])]);
        let mut found = Vec::new();
        while let Some((here, way)) = queue.pop_front() {
            for &next in &self.dependencies[here] {
                if seen.insert(next) {
                    let mut way = way.clone();
                    way.push(self.name(next));
                    found.push((next, way.clone()));
                    queue.push_back((next, way));
                }
            }
        }
        found
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// `cargo metadata` of a made-up workspace: its members, then edges `(from, to, kind)`; who is
    /// no member is third-party.
    pub(crate) fn fake(members: &[&str], edges: &[(&str, &str, Option<&str>)]) -> Graph {
        let mut names: Vec<&str> = members.to_vec();
        for &(from, to, _) in edges {
            for name in [from, to] {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let nodes: Vec<_> = names
            .iter()
            .map(|name| {
                let deps: Vec<_> = edges
                    .iter()
                    .filter(|(from, _, _)| from == name)
                    .map(|(_, to, kind)| {
                        serde_json::json!({ "pkg": to, "dep_kinds": [{ "kind": kind }] })
                    })
                    .collect();
                serde_json::json!({ "id": name, "deps": deps })
            })
            .collect();
        let packages: Vec<_> =
            names.iter().map(|n| serde_json::json!({ "id": n, "name": n })).collect();
        let metadata = serde_json::json!({
            "packages": packages,
            "workspace_members": members,
            "resolve": { "nodes": nodes },
        });
        Graph::from_metadata(metadata.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn what_is_far_down_is_reached_with_its_way_and_dev_dependencies_are_not() {
        let graph = fake(
            &["sinew"],
            &[
                ("sinew", "a", None),
                ("a", "b", Some("build")),
                ("sinew", "c", Some("dev")),
                ("b", "a", None),
            ],
        );
        let ways: Vec<_> = graph.reachable(0).into_iter().map(|(_, way)| way.join(" ")).collect();
        assert_eq!(ways, ["sinew a", "sinew a b"]);
    }

    #[test]
    fn metadata_without_a_graph_is_an_error() {
        let json = br#"{ "packages": [], "workspace_members": [], "resolve": null }"#;
        assert!(Graph::from_metadata(json).is_err());
        assert!(Graph::from_metadata(b"not json").is_err());
    }
}
