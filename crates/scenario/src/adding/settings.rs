//! Parameters with their values.

use dumbbell_control::parameter::Setting;

/// Parameters by name, in the order of their registration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<(&'static str, Setting)>);

impl Settings {
    /// Adds a parameter.
    pub(crate) fn push(&mut self, name: &'static str, value: Setting) {
        self.0.push((name, value));
    }

    /// Returns the value of a parameter; `None` if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<Setting> {
        self.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    /// Returns all parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Setting)> {
        self.0.iter().copied()
    }

    /// Changes the value of an existing parameter.
    pub(crate) fn put(&mut self, name: &'static str, value: Setting) {
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| *known == name) {
            *known = value;
        }
    }
}
