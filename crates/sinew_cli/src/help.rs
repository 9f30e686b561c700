//! `sinew completions` and `sinew man`: what shells and `man` know of the command, made from the
//! same words as `--help`.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use sinew_io::write_atomically;

use crate::args::Cli;
use crate::console::Console;
use crate::exit::Failure;
use crate::names;
use crate::text::counted;

/// Print what a shell needs to complete verbs, flags and their values
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew completions bash > ~/.local/share/bash-completion/completions/sinew\n  \
    sinew completions zsh > ~/.zfunc/_sinew\n  \
    sinew completions fish > ~/.config/fish/completions/sinew.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual pages, or write them as files
///
/// All pages, one after the other, or that of one verb.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  sinew man render | man -l -\n  \
    sinew man -o ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Only this verb's page
    #[arg(value_name = "VERB")]
    verb: Option<String>,

    /// Write sinew.1, sinew-render.1 and so on into this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "verb")]
    output: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionsArgs, console: &Console) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sinew", &mut script);
    console.data(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(args: &ManArgs, console: &Console) -> Result<(), Failure> {
    let pages = pages();
    if let Some(verb) = &args.verb {
        let wanted = format!("sinew-{verb}");
        let page = pages.iter().find(|(name, _)| *name == wanted).ok_or_else(|| {
            let verbs = pages.iter().filter_map(|(name, _)| name.strip_prefix("sinew-"));
            Failure::Usage(names::unknown("verb", verb, verbs))
        })?;
        return console.data(&page.1);
    }
    let Some(folder) = &args.output else {
        return console.data(&pages.into_iter().map(|(_, page)| page).collect::<String>());
    };
    let failed = |path: &std::path::Path, error: std::io::Error| {
        Failure::Write(format!("cannot write '{}': {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    for (name, page) in &pages {
        let path = folder.join(format!("{name}.1"));
        write_atomically(&path, |file| std::io::Write::write_all(file, page.as_bytes()))
            .map_err(|error| failed(&path, error))?;
    }
    let num = counted(pages.len(), "page");
    console.say(&format!("wrote {num} into {}", folder.display()));
    Ok(())
}

/// The command's own page and that of every verb, by name.
fn pages() -> Vec<(String, String)> {
    let mut root = Cli::command();
    root.build();
    let of_verb = |verb: &Command| (format!("sinew-{}", verb.get_name()), verb.clone());
    let verbs = root.get_subcommands().filter(|verb| verb.get_name() != "help").map(of_verb);
    let all = std::iter::once(("sinew".to_owned(), root.clone())).chain(verbs);
    all.map(|(name, command)| {
        let mut page = Vec::new();
        // Writing into memory does not fail.
        _ = clap_mangen::Man::new(command).render(&mut page);
        (name, String::from_utf8_lossy(&page).into_owned())
    })
    .collect()
}
