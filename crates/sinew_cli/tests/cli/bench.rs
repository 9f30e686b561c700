//! `bench`: the harness, not the speed.

use crate::common::Folder;

#[test]
fn bench_prints_the_documented_keys_and_honest_ratios() {
    let folder = Folder::new();
    let run = folder.sinew_args(&["bench", "--json", "--budget", "0.001", "--filter", "rigid 10k"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let bench = run.json();
    for key in ["cpu", "cores", "simd", "bandwidth"] {
        assert!(!bench["machine"][key].is_null(), "{key}");
    }
    let cases = bench["cases"].as_array().unwrap();
    assert!(cases.len() >= 2);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        assert!(name.contains("rigid") && name.contains("10k"), "{name}");
        let number = |key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{key} of {name}"));
        assert!(number("median_ns") >= number("best_ns"));
        let per_vertex = number("median_ns") / number("size");
        assert!((per_vertex - number("ns_per_vertex")).abs() < 1e-9 * per_vertex);
        let ratio = number("best_ns_per_vertex") / number("limit_ns_per_vertex");
        assert!((ratio - number("ratio_to_limit")).abs() < 1e-9 * ratio);
    }
}

#[test]
fn bench_for_people_is_a_table_on_stdout() {
    let folder = Folder::new();
    let run = folder.ok("bench --budget 0 --filter palette --threads 2");
    assert!(run.stdout.contains("triad GB/s"), "{}", run.stdout);
    assert!(run.stdout.contains("forward kinematics"), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn springs_bench_has_the_papers_columns_and_the_iterations_to_come_near() {
    let folder = Folder::new();
    let words = ["bench", "--json", "--budget", "0", "--filter", "springs anchored box"];
    let run = folder.sinew_args(&words);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let bench = run.json();
    assert_eq!(bench["cases"].as_array().unwrap().len(), 0);
    let [row] = bench["springs"].as_array().unwrap().as_slice() else { panic!("{bench}") };
    assert_eq!(
        (row["name"].as_str(), row["size"].as_u64()),
        (Some("springs anchored box"), Some(1802))
    );
    let frames = row["frames"].as_array().unwrap();
    let iterations: Vec<u64> = frames.iter().map(|f| f["iterations"].as_u64().unwrap()).collect();
    assert_eq!(iterations, [25, 50, 100]);
    assert!(frames.iter().all(|frame| frame["best_ns"].as_f64().unwrap() > 0.0));
    // springs.md: 42 to 75 at this size, in other poses.
    let near = row["iterations_to_1e-3"].as_u64().unwrap();
    assert!((2..400).contains(&near), "{near}");
    assert!(row["ratio_to_limit"].as_f64().unwrap() > 0.0);
}

#[test]
fn springs_bench_takes_models_iterations_and_stretched_bones() {
    let folder = Folder::new();
    let row = |more: &[&str]| {
        let mut words = vec!["bench", "--json", "--budget", "0", "--filter", "box"];
        words.extend(more);
        let run = folder.sinew_args(&words);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let bench = run.json();
        assert_eq!(bench["cases"].as_array().unwrap().len(), 0, "springs alone");
        let [row] = bench["springs"].as_array().unwrap().as_slice() else { panic!("{bench}") };
        row.clone()
    };
    let plain = row(&["--springs", "anchored", "--iterations", "10,50"]);
    let residual = |row: &serde_json::Value, column: usize| {
        row["frames"][column]["residual"].as_f64().unwrap()
    };
    assert_eq!(plain["model"].as_str(), Some("anchored"));
    assert_eq!(plain["frames"].as_array().unwrap().len(), 2);
    assert!(plain["frames"][0]["paper_gtx_1070_ms"].is_null(), "the paper has no 10");
    assert!(plain["frames"][1]["paper_gtx_1070_ms"].is_number());
    assert!(residual(&plain, 1) < residual(&plain, 0), "{plain}");
    let long = row(&["--springs", "anchored", "--iterations", "10,50", "--stretch", "1.5"]);
    assert_ne!(residual(&long, 0), residual(&plain, 0), "another pose");

    let table = folder.ok("bench --budget 0 --filter box --springs paper --iterations 7 --stats");
    for word in ["springs paper box", " 7 ", "bind", "residuals"] {
        assert!(table.stdout.contains(word), "{word}: {}", table.stdout);
    }
    assert!(!table.stdout.contains("GTX"), "{}", table.stdout);
    for (words, part) in [
        ("bench --springs off", "--springs off times no springs"),
        ("bench --springs anchord", "anchored"),
        ("bench --filter palette --stats", "no case of springs is chosen"),
        ("bench --iterations 0", "invalid value '0'"),
        ("bench --stretch -1", "above zero"),
    ] {
        let line = folder.fails(words, 2);
        assert!(line.contains(part), "sinew {words}: {line}");
    }
}
