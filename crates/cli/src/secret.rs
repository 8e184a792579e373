//! The token of an encrypted endpoint.

use dumbbell_pinned::{Token, Unusable};

use crate::exit::Exit;

/// The token, from the option or the environment.
pub fn token(given: Option<&str>) -> Result<Option<Token>, Exit> {
    let from_environment = || std::env::var("DUMBBELL_TOKEN").ok();
    let text = given.map(str::to_owned).or_else(from_environment);
    let token = text.map(|text| text.parse()).transpose();
    token.map_err(|why| Exit::BadInput(format!("{why}\n  = help: the server prints its token")))
}

/// The token that a client must have.
pub fn required(given: Option<&str>) -> Result<Token, Exit> {
    token(given)?.ok_or_else(|| {
        let help = "the server prints it; give it with --token or in the variable DUMBBELL_TOKEN";
        Exit::BadInput(format!("the token is missing\n  = help: {help}"))
    })
}

impl From<Unusable> for Exit {
    fn from(error: Unusable) -> Self {
        Self::Failed(error.to_string())
    }
}
