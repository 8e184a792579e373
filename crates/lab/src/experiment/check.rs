//! What is wrong with a description, found before anything runs.

use super::{Choice, Experiment, Malformed, Panel, Samples, Sweep, is_word, slug};
use crate::claim::Claim;
use crate::figure::Kind;

impl Experiment {
    pub(super) fn check(&self) -> Result<(), Malformed> {
        self.check_axis()?;
        self.check_names()?;
        self.check_measures()?;
        self.check_over()?;
        for panel in &self.panels {
            self.check_panel(panel)
                .map_err(|what| self.malformed(&format!("panel `{}`: {what}", panel.name)))?;
        }
        self.check_readings()?;
        for claim in &self.claims {
            self.check_claim(claim)
                .map_err(|what| self.malformed(&format!("claim {}: {what}", claim.id)))?;
        }
        Ok(())
    }

    fn check_axis(&self) -> Result<(), Malformed> {
        let all = self.xs();
        if self.repeat == 0 || self.quick.repeat == 0 {
            return Err(self.malformed("`repeat` is at least 1"));
        }
        if all.is_empty() || all.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(self.malformed("the values of x are not in order"));
        }
        if let Some(mistake) = self.x.as_ref().and_then(Sweep::mistake) {
            return Err(self.malformed(mistake));
        }
        let whole = self.x.as_ref().is_some_and(|x| x.whole);
        if let Some(part) = all.iter().find(|value| whole && value.fract() != 0.0) {
            return Err(self.malformed(&format!("{part} is no whole number")));
        }
        self.check_second_axis()
            .map_err(|what| self.malformed(&what))?;
        match self.quick.values.iter().find(|x| !all.contains(x)) {
            Some(stray) => Err(self.malformed(&format!("{stray} is not among the values of x"))),
            None => Ok(()),
        }
    }

    fn check_names(&self) -> Result<(), Malformed> {
        if !is_word(&self.name) || self.name == "settings" {
            return Err(self.malformed("a name has the letters a to z, digits and hyphens"));
        }
        if self.series.is_empty() {
            return Err(self.malformed("no curves: `series` or `factorial` is wanted"));
        }
        let curves = self.series.iter().map(|variant| slug(&variant.name));
        let panels = self.panels.iter().map(|panel| panel.name.clone());
        let claims = self.claims.iter().map(|claim| claim.id.clone());
        let places = self.x.iter().flat_map(|x| x.names.iter().map(|n| slug(n)));
        let panels = twice(panels).or(twice(places));
        match twice(curves).or(panels).or(twice(claims)) {
            Some(name) => Err(self.malformed(&format!("`{name}` is there twice"))),
            None => Ok(()),
        }
    }

    /// The curves that stand for those that measures are over.
    fn check_over(&self) -> Result<(), Malformed> {
        for variant in &self.series {
            let wrong = |what| self.malformed(&format!("curve {}: {what}", variant.name));
            let stand = variant.over.values().map(String::as_str);
            self.names_series(stand).map_err(wrong)?;
            let is_over = |name: &String| {
                let names = self.measures.iter().map(|m| m.over.as_ref());
                names.flatten().any(|over| over == name)
            };
            if let Some(name) = variant.over.keys().find(|name| !is_over(name)) {
                return Err(wrong(format!("no measure is over `{name}`")));
            }
        }
        Ok(())
    }

    fn check_measures(&self) -> Result<(), Malformed> {
        for measure in &self.measures {
            let wrong = |what| self.malformed(&format!("measure {}: {what}", measure.name));
            measure
                .check(self.reference.is_some())
                .map_err(|what| wrong(what.to_owned()))?;
            let parts = || measure.ratio.iter().flatten().map(String::as_str);
            self.names_measures(parts()).map_err(wrong)?;
            let stood_for = |name: &&String| self.series.iter().any(|s| s.over.contains_key(*name));
            let over = measure.over.iter().filter(|name| !stood_for(name));
            self.names_series(over.map(String::as_str)).map_err(wrong)?;
            let is_over = |name: &&str| {
                self.measures
                    .iter()
                    .any(|m| m.name == **name && m.over.is_some())
            };
            if let Some(part) = parts().find(is_over) {
                return Err(wrong(format!(
                    "`{part}` is over a curve, and a `ratio` is of one run: give the ratio an `over`"
                )));
            }
        }
        Ok(())
    }

    fn check_panel(&self, panel: &Panel) -> Result<(), String> {
        let kinds = [
            panel.measure.is_some(),
            panel.effects.is_some(),
            panel.samples.is_some(),
            !panel.table.is_empty(),
            panel.choice.is_some(),
        ];
        if kinds.iter().filter(|given| **given).count() != 1 {
            return Err(
                "one of `measure`, `effects`, `samples`, `table` and `choice` is wanted".to_owned(),
            );
        }
        if panel.effects.is_some() && self.factorial.is_none() {
            return Err("effects are those of a factorial's parts".to_owned());
        }
        let named = self.x.as_ref().is_some_and(|x| !x.names.is_empty());
        if named && panel.kind == Kind::Curves && panel.measure.is_some() {
            return Err("places with names are no axis: `kind = \"bars\"` is wanted".to_owned());
        }
        if panel.kind == Kind::Bars && panel.measure.is_none() && panel.effects.is_none() {
            return Err("bars are of a `measure` or of `effects`".to_owned());
        }
        self.check_map(panel)?;
        let named = panel.measure.iter().chain(&panel.effects);
        let named = named.chain(&panel.table).map(String::as_str);
        let choice = panel.choice.iter();
        self.names_measures(named.chain(choice.clone().flat_map(Choice::measures)))?;
        if let Some(mistake) = choice.filter_map(|choice| choice.mistake(self)).next() {
            return Err(mistake);
        }
        let made = |name: &&String| !self.declares(name);
        self.names_series(panel.series.iter().filter(made).map(String::as_str))?;
        match &panel.samples {
            Some(samples) => self.check_samples(panel, samples),
            None => Ok(()),
        }
    }

    fn check_samples(&self, panel: &Panel, samples: &Samples) -> Result<(), String> {
        if let Some(marking) = &samples.epochs {
            let curves = (0..self.series.len()).filter(|i| self.shows(panel, *i));
            let mistake = marking.mistake(samples, curves.count(), &self.scenario);
            mistake.map_or(Ok(()), Err)?;
        }
        if samples.reference && self.reference.is_none() {
            return Err("the experiment has no `reference` to draw".to_owned());
        }
        match samples.at.filter(|at| !self.xs().contains(at)) {
            Some(stray) => Err(format!("{stray} is not among the values of x")),
            None => Ok(()),
        }
    }

    fn check_claim(&self, claim: &Claim) -> Result<(), String> {
        if self.measure_of(claim.measure.as_deref()).is_none() {
            return Err("no such measure".to_owned());
        }
        if !is_word(&claim.id) {
            return Err("an id has the letters a to z, digits and hyphens".to_owned());
        }
        if let Some(mistake) = claim.test.mistake() {
            return Err(mistake.to_owned());
        }
        let (series, places) = claim.test.names();
        self.names_series(series.into_iter())?;
        match places.iter().find(|x| !self.xs().contains(x)) {
            Some(stray) => Err(format!("{stray} is not among the values of x")),
            None => Ok(()),
        }
    }

    fn names_measures<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        match names.find(|name| self.measure(name).is_none()) {
            Some(name) => Err(format!("no measure `{name}`")),
            None => Ok(()),
        }
    }

    fn names_series<'a>(&self, mut names: impl Iterator<Item = &'a str>) -> Result<(), String> {
        match names.find(|name| self.series.iter().all(|s| s.name != **name)) {
            Some(name) => Err(format!("no curve `{name}`")),
            None => Ok(()),
        }
    }
}

/// A name that is there twice.
fn twice(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = std::collections::BTreeSet::new();
    let mut names = names;
    names.find(|name| !seen.insert(name.clone()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DESCRIPTION, SCENARIO};
    use super::*;

    fn parse(from: &str, to: &str) -> Result<Experiment, Malformed> {
        assert!(DESCRIPTION.contains(from), "{from}");
        let description = DESCRIPTION.replacen(from, to, 1);
        Experiment::parse(&description, SCENARIO, &toml::Table::new())
    }

    #[test]
    fn mistakes_are_found_before_anything_runs() {
        assert!(parse("", "").is_ok());
        for (from, to, what) in [
            ("\"a-b\"", "\"a.b\"", "letters"),
            ("\"a-b\"", "\"settings\"", "letters"),
            ("repeat = 2", "repeat = 0", "at least 1"),
            ("values = [0.1, 0.2]", "values = [0.2, 0.1]", "in order"),
            ("values = [0.1] }", "values = [0.3] }", "0.3"),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "places = [{ \"duration\" = \"1 s\" }]",
                "as many",
            ),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\",",
                "",
                "`key` or `places`",
            ),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "names = [\"P\", \"Q\"], key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "`names` are those of `places`",
            ),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "names = [\"P\"], places = [{}, {}]",
                "as many `names`",
            ),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "names = [\"P\", \"p\"], places = [{}, {}]",
                "`p` is there twice",
            ),
            (
                "key = \"dumbbell.bottleneck.loss.bernoulli\"",
                "names = [\"P\", \"Q\"], places = [{}, {}]",
                "are no axis",
            ),
            ("\"B\", set", "\"a\", set", "`a` is there twice"),
            (
                "panel = [{ measure = \"t\" }",
                "panel = [{ measure = \"u\" }",
                "`u`",
            ),
            ("id = \"c\"", "id = \"c d\"", "letters"),
            ("over = \"B\"", "over = \"A\"", "itself"),
            ("over = \"B\"", "over = \"C\"", "`C`"),
            ("at = 0.1", "at = 0.15", "0.15"),
            ("paper = 9", "paper = 0", "number"),
            (
                "panel = [{ measure",
                "panel = [{ effects",
                "a factorial's parts",
            ),
            (
                "panel = [{ measure = \"t\" }",
                "panel = [{ table = [\"t\"], kind = \"bars\" }",
                "bars",
            ),
            (
                "series = [",
                "factorial = { without = \"P\", with = \"Q\", factor = [] }\n series = [",
                "wants factors",
            ),
            (
                "panel = [{ measure = \"t\" }",
                "panel = [{ samples = { quantity = \"rate\", label = \"r\", reference = true } }",
                "panel ``: the experiment has no `reference`",
            ),
            (
                "quantity = \"throughput\"",
                "quantity = \"rate\", window = { reduce = \"settle\" }",
                "measure t: `reach` and `settle` want a `within`",
            ),
            (
                "gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 }",
                "difference = { of = \"A\", over = \"B\", at = 0.1, least = 0 }",
                "above 0",
            ),
            (
                "gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 }",
                "difference = { of = \"A\", over = \"A\", at = 0.1, least = 1 }",
                "not above itself",
            ),
            (
                "quantity = \"throughput\"",
                "quantity = \"throughput\", over = \"C\"",
                "measure t: no curve `C`",
            ),
            (
                "quantity = \"throughput\" }",
                "quantity = \"throughput\", over = \"B\" }, { name = \"u\", label = \"u\", ratio = [\"t\", \"t\"] }",
                "measure u: `t` is over a curve",
            ),
            (
                "gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 }",
                "grows = { series = \"A\", over = [\"A\"] }",
                "nothing over itself",
            ),
            (
                "gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 }",
                "grows = { series = \"A\", over = [\"C\"] }",
                "no curve `C`",
            ),
            (
                "name = \"B\", set",
                "name = \"B\", over = { Z = \"A\" }, set",
                "curve B: no measure is over `Z`",
            ),
            (
                "name = \"B\", set",
                "name = \"B\", over = { Z = \"C\" }, set",
                "curve B: no curve `C`",
            ),
            ("repeat = 2", "repeat = 2\n        again = 3", "again"),
        ] {
            match parse(from, to) {
                Err(error) => assert!(error.to_string().contains(what), "{what}: {error}"),
                Ok(_) => panic!("{to} passes"),
            }
        }
    }
}
