//! `sinew edit`: the studio's edits with no window.

use std::path::{Path, PathBuf};

use clap::Args;
use sinew_editor::{
    Document, Edit, Editor, ExportError, Source, export_character, export_posed, project,
    read_edits,
};

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::text::counted;

/// The ending of project files.
const PROJECT_EXTENSION: &str = "sinew";

/// Run a script of edits on a character, without a window
///
/// The script is a JSON list of edits; docs/edits.md lists them. OUT is a project (.sinew), or the
/// skin in the pose that the edits leave (.obj, .ply, .glb, .gltf).
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    sinew edit human.glb wave.json -o human.sinew\n  \
    sinew edit human.sinew more.json -o posed.obj\n  \
    sinew edit human.glb keys.json -o human-keyed.glb --character\n  \
    echo '[{\"edit\": \"mirror-pose\"}]' | sinew edit human.sinew - -o mirrored.sinew")]
pub(crate) struct EditArgs {
    /// A character or a project
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The edits, as JSON; - reads them from the standard input
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,

    /// Where to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Write the character itself (.glb, .gltf), with its skeleton and its motions as clips,
    /// instead of the posed skin
    #[arg(long)]
    character: bool,
}

pub(crate) fn run(args: &EditArgs, console: &Console) -> Result<(), Failure> {
    // Reading a large project and binding ask nobody for seconds.
    let (args, own) = (args.clone(), console.clone());
    console.until_interrupted(move || replay(&args, &own))?
}

fn replay(args: &EditArgs, console: &Console) -> Result<(), Failure> {
    let writes_project = is_project(&args.output);
    if args.character && !is_gltf(&args.output) {
        let fault = format!(
            "'{}' holds no skeleton; --character writes .glb or .gltf",
            args.output.display()
        );
        return Err(Failure::Usage(fault));
    }
    if !writes_project {
        files::check_output(&args.output)?;
    }
    let edits = read_script(&args.script)?;
    let document = open(&args.file)?;
    let mut editor = Editor::new(document);
    for (index, edit) in edits.iter().enumerate() {
        editor.apply(edit.clone()).map_err(|error| {
            let script = args.script.display();
            Failure::Input(format!("'{script}', edit {} ({}): {error}", index + 1, edit.label()))
        })?;
    }
    console.check_interrupted()?;
    let document = editor.document();
    if writes_project {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::Write(format!("cannot write '{}': {error}", args.output.display()))
        };
        let bytes = project::to_bytes(document).map_err(|error| failed(&error))?;
        files::write_bytes(&args.output, &bytes, console)?;
    } else if args.character {
        let exported = export_character(document, &args.output, console.read_only);
        for note in exported.map_err(export_failure)? {
            console.warn_once(&note.words);
        }
    } else {
        write_posed(&args.output, document, console)?;
    }
    let done = counted(edits.len(), "edit");
    console.say(&format!("wrote {} after {done}", args.output.display()));
    Ok(())
}

pub(crate) fn is_project(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(PROJECT_EXTENSION))
}

/// A character or a project.
pub(crate) fn open(path: &Path) -> Result<Document, Failure> {
    let in_file =
        |error: &dyn std::fmt::Display| Failure::Input(format!("'{}': {error}", path.display()));
    if !is_project(path) {
        let source = Source::embed(path).map_err(|error| Failure::Input(error.to_string()))?;
        return Document::open(source, None).map_err(|error| Failure::Input(error.to_string()));
    }
    let bytes = std::fs::read(path).map_err(|error| in_file(&error))?;
    let folder = path.parent().map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    project::from_bytes(&bytes, folder).map_err(|error| in_file(&error))
}

/// A list of edits, or an object with one under `edits`.
fn read_script(path: &Path) -> Result<Vec<Edit>, Failure> {
    let in_script =
        |error: &dyn std::fmt::Display| Failure::Input(format!("'{}': {error}", path.display()));
    let text = if path == Path::new("-") {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|error| in_script(&error))?;
    read_edits(&text).map_err(|error| in_script(&error))
}

fn export_failure(error: ExportError) -> Failure {
    match error {
        _ if error.is_cancelled() => Failure::Interrupted,
        ExportError::NoMesh | ExportError::Bind(_) | ExportError::Surface(_) => {
            Failure::Input(error.to_string())
        }
        ExportError::Write(error) => files::write_failure(&error),
    }
}

fn is_gltf(path: &Path) -> bool {
    matches!(
        path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref(),
        Some("glb" | "gltf")
    )
}

fn write_posed(path: &Path, document: &Document, console: &Console) -> Result<(), Failure> {
    let exported = export_posed(document, path, console.read_only, &console.bar());
    let notes = exported.map_err(export_failure)?;
    for note in notes {
        console.warn_once(&note.words);
    }
    Ok(())
}
