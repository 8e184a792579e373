//! Exit codes and errors of the command.

use std::io::{self, Write as _};
use std::process::ExitCode;

use dumbbell_lab::experiment::Malformed;
use dumbbell_lab::file::Unwritable;
use dumbbell_run::Failure;
use dumbbell_scenario::LoadError;

/// A reason why the command does not succeed.
#[derive(Debug)]
pub enum Exit {
    /// The scenario or the description cannot be read.
    Scenario(LoadError),
    /// The user's input is wrong; the text says why.
    BadInput(String),
    /// Ctrl-C.
    Interrupted,
    /// Something else failed; the text says what.
    Failed(String),
}

/// The exit code of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(u8);

impl Code {
    /// Success.
    pub const SUCCESS: Self = Self(0);
    /// A verdict differs from the one on record.
    pub const CHANGED: Self = Self(1);
    /// `store check`: rows are damaged.
    pub const DAMAGED: Self = Self(1);
    /// `kernel doctor`: something necessary is missing.
    #[cfg(target_os = "linux")]
    pub const LACKING: Self = Self(1);

    /// The exit code of a command that was run for the user.
    #[cfg(target_os = "linux")]
    pub fn of_command(code: u8) -> Self {
        Self(code)
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        code.0.into()
    }
}

impl Exit {
    /// Prints the error to standard error, and returns the exit code.
    pub fn report(self) -> Code {
        let (message, code) = match self {
            Self::Scenario(LoadError::Invalid(report)) => (report.render(true), 2),
            Self::Scenario(error) => (format!("error: {error}"), 2),
            Self::BadInput(message) => (format!("error: {message}"), 2),
            Self::Interrupted => ("interrupted".to_owned(), 130),
            Self::Failed(message) => (format!("error: {message}"), 3),
        };
        // If standard error is closed, the exit code still tells the result.
        let _ = writeln!(anstream::stderr(), "{message}");
        Code(code)
    }
}

#[cfg(target_os = "linux")]
impl From<dumbbell_live::Error> for Exit {
    fn from(error: dumbbell_live::Error) -> Self {
        match error {
            dumbbell_live::Error::Refused(why) => Self::BadInput(why),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<Malformed> for Exit {
    fn from(wrong: Malformed) -> Self {
        match wrong {
            Malformed::Text(report) => Self::Scenario(LoadError::Invalid(report)),
            Malformed::Words(what) => Self::BadInput(what),
        }
    }
}

impl From<Failure> for Exit {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.to_string())
    }
}

impl From<Unwritable> for Exit {
    fn from(file: Unwritable) -> Self {
        Self::Failed(file.to_string())
    }
}

impl From<io::Error> for Exit {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            // The reader has closed the pipe: `dumbbell run ... | head`.
            std::process::exit(0);
        }
        Self::Failed(error.to_string())
    }
}
