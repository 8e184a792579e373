//! A table of every type with missing values, for tests.

use super::{Builder, Cell, Head, Table, Type};

/// Three rows: one complete, two with missing values.
pub(super) fn table() -> Table {
    let heads = [
        Head::new("control", Type::Text, "the control"),
        Head::new("seed", Type::Whole, "the seed"),
        Head::new("goodput", Type::Number, "what arrives in order").unit("bit/s"),
        Head::new("finished", Type::Flag, "whether it finished"),
    ];
    let mut builder = Builder::new("groups", heads);
    use Cell::{Flag, Number, Text, Whole};
    builder.row([
        Some(Text("reno")),
        Some(Whole(1)),
        Some(Number(0.1)),
        Some(Flag(true)),
    ]);
    builder.row([
        Some(Text("a \"b\", c")),
        Some(Whole(u64::MAX)),
        None,
        Some(Flag(false)),
    ]);
    builder.row([None, Some(Whole(3)), Some(Number(1.5e6)), None]);
    builder.table()
}
