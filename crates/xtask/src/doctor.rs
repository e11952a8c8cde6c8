//! `cargo xtask doctor`: what is here, what is missing, what would be done.

use crate::tools::Need;
use crate::workspace::{Workspace, version_line, which};

pub(crate) fn report(workspace: &Workspace) {
    println!("{:<19} {}", "clone", workspace.root.display());
    println!("{:<19} {}", "tools", workspace.tools.display());
    for name in ["rustc", "cargo-clippy", "rustfmt", "rustup"] {
        let version = which(name).as_deref().and_then(version_line);
        match version {
            Some(version) => println!("✓ {name:<17} {version}"),
            None => println!("– {name:<17} not found"),
        }
    }
    let mut missing = 0;
    for need in Need::ALL {
        match need.find(workspace) {
            Some(found) => println!("✓ {:<17} {found}", need.title()),
            None => {
                missing += 1;
                println!("✗ {:<17} missing; to install: {}", need.title(), need.remedy(workspace));
            }
        }
    }
    match missing {
        0 => println!("Nothing is missing."),
        count => println!("{count} missing. `serve` and `test` install what they need."),
    }
}
