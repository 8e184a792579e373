//! The word that a client must know.

use std::fmt;
use std::str::FromStr;

use ring::rand::{SecureRandom as _, SystemRandom};

use crate::Unusable;

/// A secret that server and clients share.
#[derive(Clone)]
pub struct Token(String);

/// The shortest and the longest token, in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 12..=128;

impl Token {
    /// A token of 128 random bits.
    ///
    /// # Errors
    /// If the machine has no random numbers.
    pub fn random() -> Result<Self, Unusable> {
        let mut bits = [0; 16];
        let drawn = SystemRandom::new().fill(&mut bits);
        drawn.map_err(|_| Unusable("the system gives no random numbers".to_owned()))?;
        Ok(Self(
            bits.iter().map(|byte| format!("{byte:02x}")).collect(),
        ))
    }

    /// The text that clients give.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a peer gave this token, in a time that does not depend on where they differ: what is compared are
    /// hashes, and blake3 compares them so. What a peer gave may be any bytes.
    pub fn is(&self, given: impl AsRef<[u8]>) -> bool {
        blake3::hash(self.0.as_bytes()) == blake3::hash(given.as_ref())
    }
}

impl FromStr for Token {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = text.len();
        if !LENGTHS.contains(&length) {
            let (least, most) = (LENGTHS.start(), LENGTHS.end());
            return Err(format!(
                "a token has {least} to {most} characters, and this one has {length}"
            ));
        }
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(
                "a token has letters, digits and signs of ASCII, without spaces".to_owned(),
            );
        }
        Ok(Self(text.to_owned()))
    }
}

// A token does not appear in logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_only_itself() {
        let token = Token::random().expect("random numbers");
        assert!(token.is(token.text()));
        assert!(!token.is(&token.text()[1..]));
        assert!(!token.is(""));
        assert!(!token.is([0xFF; 32]));
        assert!(!token.is(Token::random().expect("random numbers").text()));
        assert_eq!(token.text().len(), 32);
        assert!(token.text().parse::<Token>().is_ok());
    }

    #[test]
    fn short_and_odd_tokens_are_refused() {
        for text in [
            "",
            "short",
            "with some spaces",
            "zwölf Zeichen",
            &"a".repeat(129),
        ] {
            assert!(text.parse::<Token>().is_err(), "{text}");
        }
    }
}
