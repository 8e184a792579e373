//! Converts TOML values into values without positions.

use toml::Spanned;
use toml::de::DeValue;

/// The value without positions; `None` if a number has too many digits.
pub(super) fn plain(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => {
            toml::Value::Integer(i64::from_str_radix(number.as_str(), number.radix()).ok()?)
        }
        DeValue::Float(number) => toml::Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(flag) => toml::Value::Boolean(*flag),
        DeValue::Datetime(date) => toml::Value::Datetime(*date),
        DeValue::Array(items) => {
            let items = items.iter().map(|item| plain(item.get_ref()));
            toml::Value::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(entries) => {
            let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                Some((key.to_string(), plain(value.get_ref())?))
            };
            toml::Value::Table(entries.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}
