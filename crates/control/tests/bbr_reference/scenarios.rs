//! The paths of the comparison. Together they show every event and every state, which a test checks.

use crate::path::{App, Scenario};

const PLAIN: Scenario = Scenario::PLAIN;

pub const ALL: &[Scenario] = &[
    PLAIN,
    Scenario {
        name: "random loss",
        loss: 10_000,
        ..PLAIN
    },
    Scenario {
        name: "much random loss",
        loss: 40_000,
        seed: 2,
        ..PLAIN
    },
    Scenario {
        name: "shallow queue",
        queue: 10,
        seconds: 60,
        ..PLAIN
    },
    Scenario {
        name: "no queue",
        queue: 1,
        ..PLAIN
    },
    Scenario {
        name: "delayed ACKs",
        ack_every: 2,
        mss: 1448,
        ..PLAIN
    },
    Scenario {
        name: "bursts of ACKs",
        ack_every: 2,
        hold: 15,
        ..PLAIN
    },
    Scenario {
        name: "chunks",
        app: App::Chunks {
            segments: 300,
            every: 700,
        },
        ack_every: 2,
        ..PLAIN
    },
    Scenario {
        name: "long idle times, losses",
        app: App::Chunks {
            segments: 3_000,
            every: 7_000,
        },
        loss: 2_000,
        seconds: 60,
        ..PLAIN
    },
    Scenario {
        name: "timeouts",
        dark: &[(5_000, 5_400), (9_000, 12_000)],
        ..PLAIN
    },
    Scenario {
        name: "timeouts at the start and in a shallow queue",
        dark: &[(3_030, 3_200), (11_000, 11_600)],
        queue: 20,
        ack_every: 2,
        ..PLAIN
    },
    Scenario {
        name: "reordering",
        late: 3_000,
        seed: 5,
        ..PLAIN
    },
    Scenario {
        name: "reordering, shallow queue",
        late: 1_000,
        queue: 25,
        seed: 6,
        ..PLAIN
    },
    Scenario {
        name: "the rate rises and falls",
        rates: &[(0, 1_250_000), (12_000, 6_250_000), (22_000, 600_000)],
        queue: 100,
        ..PLAIN
    },
    Scenario {
        name: "slow",
        rates: &[(0, 8_000)],
        delay: 20,
        ack_every: 2,
        ..PLAIN
    },
    Scenario {
        name: "fast",
        rates: &[(0, 25_000_000)],
        delay: 10,
        queue: 120,
        loss: 100,
        seconds: 10,
        mss: 1448,
        ..PLAIN
    },
    Scenario {
        name: "satellite",
        delay: 600,
        queue: 300,
        loss: 1_000,
        ..PLAIN
    },
];
