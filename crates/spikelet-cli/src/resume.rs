//! `spikelet resume`: continues a run.

use std::fs;
use std::path::{Component, Path, absolute};
use std::sync::Arc;

use clap::Parser;
use serde_json::Value;

use crate::args::{Arguments, Command, ResumeArguments, RunArguments};
use crate::failure::Failure;
use crate::run_description::RunDescription;
use crate::{run, terminal, unfinished};

pub(crate) fn run(args: &ResumeArguments) -> Result<(), Failure> {
    let out = absolute(&args.folder).unwrap_or_else(|_| args.folder.clone());
    let Some(description) = RunDescription::read(&out)? else { return finished(args) };
    unfinished::check_links(&out)?;
    let mut run = original(&description, args)?;
    run.out = Some(out);
    run.json = args.json;
    run.quiet |= args.quiet;
    if let Some(backend) = args.backend {
        (run.backend, run.adapter) = (backend, None);
    }
    run.adapter = args.adapter.clone().or(run.adapter);
    run.threads = args.threads.or(run.threads);
    run.memory = args.memory.or(run.memory);
    run.format = args.format.unwrap_or(run.format);
    (run.refuse_allocation, run.panic_at, run.hang_at) = (None, None, None);
    if !args.allow_outside {
        check_inside(&run, &description.folder)?;
    }
    // Relative paths in the arguments are of the folder in which the run was started.
    if std::env::set_current_dir(&description.folder).is_err() && !run.quiet {
        let folder = description.folder.display();
        terminal::notice(&format_args!("{folder} does not exist any more: relative paths of the run are now of this folder"));
    }
    run.resumed = Some(Arc::new(description));
    run::run(&run)
}

/// The arguments of the run.
fn original(description: &RunDescription, args: &ResumeArguments) -> Result<RunArguments, Failure> {
    let words = std::iter::once("spikelet").chain(description.arguments.iter().map(String::as_str));
    match Arguments::try_parse_from(words).map(|arguments| arguments.command) {
        Ok(Command::Run(run)) => Ok(*run),
        _ => {
            let (folder, found) = (args.folder.display(), description.arguments.join(" "));
            let sentence = "this version does not know the arguments of its run";
            Err(Failure::Input(format!("{folder}: {sentence}: {found}; resume it with the version that started it")))
        }
    }
}

/// Rejects files outside the folder of the run, which it would write: their paths are those of a file that others may have made.
fn check_inside(run: &RunArguments, started_in: &Path) -> Result<(), Failure> {
    let Some(out) = &run.out else { return Ok(()) };
    let written = [(&run.save_weights, "--save-weights"), (&run.save_synapses, "--save-synapses"), (&run.trace, "--trace")];
    let outside = written.into_iter().find_map(|(path, option)| {
        let path = started_in.join(path.as_ref()?);
        (!is_inside(&path, out)).then_some((path, option))
    });
    let Some((path, option)) = outside else { return Ok(()) };
    let (path, out) = (path.display(), out.display());
    Err(Failure::Input(format!(
        "the run in {out} writes {path} ({option}), which is outside this folder; add --allow-outside if that is right"
    )))
}

/// Whether a file is in a folder, or in one that would be made there, if links are followed.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    // What does not exist has no links; a `..` in it could lead anywhere.
    let existing = path.ancestors().find(|part| fs::symlink_metadata(part).is_ok());
    let Some((existing, rest)) = existing.and_then(|existing| Some((existing, path.strip_prefix(existing).ok()?))) else {
        return false;
    };
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && fs::canonicalize(existing).is_ok_and(|existing| existing.starts_with(folder))
}

/// A run that has ended already: its report again.
fn finished(args: &ResumeArguments) -> Result<(), Failure> {
    let path = args.folder.join("report.json");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let folder = args.folder.display();
    if report["completed"] != true {
        let way_out = "name the folder of --out of a run with --checkpoint-every";
        return Err(Failure::Input(format!("{folder} has no run to continue; {way_out}")));
    }
    unfinished::remove_rest(&args.folder)?;
    if args.json {
        return terminal::print(&text.trim_end());
    }
    if !args.quiet {
        terminal::notice(&format_args!("the run in {folder} has ended; its results are complete"));
    }
    Ok(())
}
