//! Output for users: results on stdout, messages on stderr.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use spikelet::lang::diagnostic::visible;

use crate::failure::Failure;
use crate::mistakes::{self, InputError};
use crate::startup;
use crate::text::screenful;

/// Prints a result. Control characters from files are escaped. If the reader closes the output (`| head`), the command ends without a
/// message.
pub(crate) fn print(text: &impl Display) -> Result<(), Failure> {
    if startup::stdout_is_closed() {
        return Err(Failure::Run("the output cannot be written: standard output is closed".into()));
    }
    let mut stdout = stdout().lock();
    writeln!(stdout, "{}", visible(&text.to_string())).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::Run(format!("the output cannot be written: {error}")),
    })
}

/// Prints a message. Has no effect if stderr is closed.
pub(crate) fn say(text: &impl Display) {
    _ = writeln!(stderr().lock(), "{}", screenful(&visible(&text.to_string())));
}

/// The same for a notice.
pub(crate) fn notice(text: &impl Display) {
    say(&format_args!("notice: {text}"));
}

/// Prints the error of a command; with `json`, also the errors in the input on stdout.
pub(crate) fn fail(failure: &Failure, json: bool) {
    let list = |found: &[InputError]| print(&format_args!("{:#}", mistakes::object(found)));
    let printed = match failure {
        Failure::Input(sentence) if json => list(&[InputError::of_arguments(sentence)]),
        Failure::Network(_, found) if json => list(found),
        _ => Ok(()),
    };
    for failure in [Some(failure), printed.as_ref().err()].into_iter().flatten() {
        match failure {
            Failure::Unread => {}
            Failure::Interrupted(..) => say(failure),
            Failure::Input(_) | Failure::Network(..) | Failure::Sentence(_) | Failure::Run(_) | Failure::Output(_) => {
                say(&format_args!("error: {failure}"));
            }
        }
    }
}
