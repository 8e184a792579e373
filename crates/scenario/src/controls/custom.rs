//! An added control with values of its parameters.

use std::sync::Arc;

use dumbbell_control::controller::Controller;
use dumbbell_control::event::Path;
use dumbbell_control::parameter::{Refused, Setting};

use super::Added;
use crate::adding::{Alarm, Settings};

/// A congestion control that was added at run time, with its parameters.
///
/// Two values are equal if their names, their parameters and the identities of their code are equal.
#[derive(Clone, Debug)]
pub struct Custom {
    pub(super) added: Arc<Added>,
    pub(super) settings: Settings,
}

impl Custom {
    pub(super) fn new(added: &Arc<Added>) -> Self {
        Self {
            added: added.clone(),
            settings: added.declaration.defaults.clone(),
        }
    }

    /// Makes the controller of a new connection. If it fails, it raises the alarm.
    pub fn build(&self, path: &Path, alarm: &Alarm) -> Box<dyn Controller + Send> {
        self.added.build(&self.settings, path, alarm)
    }

    /// Returns the hash that identifies the control's code, if it is known: see
    /// [`Added::identified`].
    pub fn code(&self) -> Option<[u8; 32]> {
        self.added.declaration.code()
    }

    pub(super) fn set(&mut self, name: &str, value: Setting) -> Result<(), Refused> {
        let declaration = &self.added.declaration;
        declaration.set(&mut self.settings, name, value)
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.added.declaration.is_same(&other.added.declaration) && self.settings == other.settings
    }
}
