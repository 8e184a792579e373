//! Transfers over QUIC on emulated paths, and controls behind all stacks.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::compare::Measure;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::parity::{Host, MTU, Plan, enter};
use dumbbell_live::quic::{PAYLOAD_LESS, QuicTransfer, TIMES, UDP_HEADERS};
use dumbbell_live::trials::Schedule;

use crate::hosts;

const CLEAN: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "4 Mb/s", delay = "8 ms", queue = { droptail = 40 } }
[[flow]]
control = "reno"
recovery = "sack"
"#;

/// Each stack fills the path with packets of its size. 4 Mb/s carry 4 * payload / size of goodput.
#[test]
fn connections_of_each_stack_fill_a_path_with_full_packets() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let scenario = hosts::scenario(CLEAN);
    for name in ["quinn:newreno", "noq:cubic", "veno", "timed:sarbe"] {
        let options = Options {
            flow: 0,
            seed: 1,
            mtu: Some(MTU),
        };
        let mut path = Emulator::prepare(&scenario, options).unwrap();
        let transfer = QuicTransfer {
            control: name.parse().unwrap(),
            duration: Duration::from_secs(3),
            interval: Duration::from_millis(20),
        };
        let measured = transfer
            .run_with_network(&mut path, &AtomicBool::new(false))
            .unwrap();
        let report = path.stop().unwrap();
        let times = if name.starts_with("timed:") { TIMES } else { 0 };
        assert_eq!(measured.payload, u32::from(MTU - UDP_HEADERS - times));
        let most = 4e6 * f64::from(MTU - PAYLOAD_LESS - times) / f64::from(MTU);
        let share = measured.goodput_bps / most;
        assert!((0.9..1.001).contains(&share), "{name}: {share}");
        assert_eq!(measured.limits, [], "{name}");
        // All but the packets of the handshake are full.
        let full = measured.goodput_bps * measured.elapsed_s / 8.0 / f64::from(MTU - PAYLOAD_LESS);
        let sent = report.from_sender as f64;
        assert!(sent < 1.2 * full + 50.0, "{name}: {sent} for {full}");
        let rtts = measured.rtt_mean_s.expect("samples");
        assert!((0.02..0.2).contains(&rtts), "{name}: {rtts}");
        assert!(measured.samples.len() > 100 && measured.samples[50].cwnd > 2);
    }
}

/// One control on all hosts, and a stack's own, which the kernel does not have.
#[test]
fn a_control_is_compared_behind_all_stacks() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let scenario = hosts::scenario(CLEAN);
    let names = ["reno", "quinn:newreno"].map(str::to_owned);
    let entered = enter(&names, &scenario).unwrap();
    assert!(entered.notes.is_empty(), "{:?}", entered.notes);
    let plan = Plan {
        scenario: &scenario,
        flow: 0,
        entries: entered.entries,
        schedule: Schedule {
            seed: 1,
            repeat: 2,
            duration: Duration::from_secs(3),
            jobs: 1,
            again: 1,
        },
        mtu: MTU,
        predicts: false,
        explains: false,
    };
    assert_eq!(plan.runs(), 6);
    let found = plan.run(&AtomicBool::new(false), || {}).unwrap();
    let hosts =
        |row: usize| -> Vec<Host> { found.rows[row].sides.iter().map(|it| it.host).collect() };
    let quic = [Host::SimulatedQuic, Host::QUINN];
    assert_eq!(hosts(0)[..2], quic);
    assert_eq!(hosts(0)[2..], [Host::SimulatedLinux, Host::Kernel]);
    assert_eq!(hosts(1), quic);
    // Without losses on the path, all fill it but for its last packets.
    for side in found.rows.iter().flat_map(|row| &row.sides) {
        let goodput = side.value(Measure::Goodput).expect("two runs").mean;
        assert!(
            goodput > 3.3e6 && goodput < 4e6,
            "{:?}: {goodput}",
            side.host
        );
    }
    let pairs: usize = found.rows.iter().map(|row| row.pairs().len()).sum();
    assert!(pairs >= 9, "{pairs}");
    let lines = found.runs_csv().lines().count();
    assert_eq!(lines, 1 + 2 * 6);
}
