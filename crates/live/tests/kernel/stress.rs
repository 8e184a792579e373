//! Every control at once, under losses, undos, switches of control and unloads in use: the kernel gets a window
//! each time, one that there can be, and does not warn.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::Error;
use dumbbell_live::emulator::{Emulator, Options as Path};
use dumbbell_live::kernel::{self, Kind, Loaded, Options, Trace, controls};
use dumbbell_live::system;
use dumbbell_run::End;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use libbpf_rs::query::ProgInfoIter;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{Linger, SndBuf, TcpCongestion};

use crate::ground::{maps, name, ready, within};

/// The number of connections: several for each core of a usual machine.
const CONNECTIONS: usize = 48;
const PORT: u16 = 5004;

/// 48 Mb/s for 1.2 s, then nothing for 1.3 s, so that timers fire although nothing is lost, which is undone;
/// and 0.5 % loss.
fn path() -> String {
    let mut times = Vec::new();
    for ms in 1..=1200u32 {
        times.extend(std::iter::repeat_n(ms.to_string(), 4));
    }
    times.push("2500".to_owned());
    format!(
        r#"
duration = "1 s"
[dumbbell]
access = {{ rate = "1 Gb/s", delay = "1 ms" }}
bottleneck = {{ rate = {{ opportunities = [{}] }}, delay = "5 ms", reverse = {{ rate = "20 Mb/s" }}, queue = {{ droptail = 2000 }}, loss = {{ bernoulli = 0.005 }} }}
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#,
        times.join(", ")
    )
}

/// Loads every control, under names of its own.
fn load_all(mark: &str) -> Vec<Loaded> {
    let load = |(i, control): (usize, &kernel::KernelControl)| {
        let options = Options {
            name: Some(name(&format!("{mark}{i}"))),
            ..Options::default()
        };
        kernel::load(control.algorithm, &options).expect(control.algorithm)
    };
    controls().iter().enumerate().map(load).collect()
}

/// Seconds of stress, at least: a few, or DUMBBELL_KERNEL_STRESS.
fn seconds() -> f64 {
    let given = std::env::var("DUMBBELL_KERNEL_STRESS");
    given.map_or(6.0, |it| it.parse().expect("a number of seconds"))
}

/// Unloads of controls in use, at least: some, or DUMBBELL_KERNEL_LOADS.
fn unloads_wanted() -> usize {
    let given = std::env::var("DUMBBELL_KERNEL_LOADS");
    given.map_or(7, |it| it.parse().expect("a number"))
}

/// However slow the machine.
const MOST: Duration = Duration::from_secs(600);

#[test]
fn losses_undos_switches_and_unloads_leave_the_kernels_log_clean() {
    let Some(_log) = ready() else {
        return;
    };
    let scenario = Scenario::parse("test", &path(), &Controls::builtin()).expect("a scenario");
    let options = Path {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let path = Emulator::start(&scenario, options).expect("a path");
    let address = SocketAddr::from((Emulator::address(End::Receiver), PORT));
    let bind = || TcpListener::bind(address).map_err(|reason| Error::system("bind", reason));
    let listener = path.host(End::Receiver).run(bind).expect("a port");
    let stayed = load_all("s");
    // Beside those of Linux itself, which take over what ours leave.
    let ours = stayed.iter().map(|one| one.name().to_owned());
    let native = ["cubic".to_owned(), "reno".to_owned()];
    let names: Vec<String> = ours.chain(native).collect();
    let mut traces: Vec<Trace> = stayed
        .iter()
        .map(|one| Trace::of(one).expect("traced"))
        .collect();
    let stop = AtomicBool::new(false);
    let (switches, unloads) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (mut undone, mut wrong) = (0, None);
    thread::scope(|scope| {
        listener.set_nonblocking(true).expect("a flag");
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((end, _)) => drop(scope.spawn(|| swallow(end, &stop))),
                    Err(_) => thread::sleep(Duration::from_millis(2)),
                }
            }
        });
        for number in 0..CONNECTIONS {
            let (path, names, stop, switches) = (&path, &names, &stop, &switches);
            scope.spawn(move || {
                let work = || {
                    send(number, address, names, stop, switches);
                    Ok(())
                };
                path.host(End::Sender).run(work).expect("it is entered")
            });
        }
        // Others come and go, chosen by a connection each, which keeps a control that is unloaded.
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let passing = load_all("p");
                let dialled = passing.iter().map(|one| dial(&path, address, one.name()));
                let used: Vec<_> = dialled.collect();
                thread::sleep(Duration::from_millis(20));
                drop(passing);
                unloads.fetch_add(used.len(), Ordering::Relaxed);
                used.iter().for_each(abort);
            }
        });
        let began = Instant::now();
        // On a slow machine, all of it takes longer to happen.
        let lasts = |undone: usize| {
            began.elapsed().as_secs_f64() < seconds()
                || unloads.load(Ordering::Relaxed) < unloads_wanted()
                || undone == 0
        };
        while lasts(undone) && wrong.is_none() && began.elapsed() < MOST {
            for trace in &mut traces {
                let events = trace.poll(Duration::from_millis(5)).expect("polled");
                undone += events.iter().filter(|it| it.kind == Kind::Undo).count();
                let most = 10 + carried(began.elapsed());
                wrong = wrong.or(events.into_iter().find(|it| it.snd_cwnd > most));
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    path.stop().expect("its end");
    assert!(wrong.is_none(), "{wrong:?}");
    let switches = switches.into_inner();
    let unloads = unloads.into_inner();
    println!("{undone} undos, {switches} switches, {unloads} unloads in use");
    assert!(undone > 0 && switches > CONNECTIONS && unloads >= unloads_wanted());
    // A program that the kernel skips leaves its result to chance.
    let skipped: u64 = ProgInfoIter::default()
        .filter(|info| info.ty == libbpf_rs::ProgramType::StructOps)
        .map(|info| info.recursion_misses)
        .sum();
    assert_eq!(skipped, 0);
    drop((traces, stayed));
    // Neither a control that was unloaded in use nor one that was used to the end.
    for mark in ["s", "p"] {
        let mark = name(mark);
        let gone = within(Duration::from_secs(30), || maps(&mark) == 0);
        assert!(gone, "{} controls stay", maps(&mark));
    }
}

/// The segments that the path can have taken from all connections by now, those of its rate and those waiting. A window
/// begins with 10, and grows by one for each that is delivered, at most.
fn carried(time: Duration) -> u32 {
    let cycles = u32::try_from(time.as_millis() / 2500).expect("minutes") + 1;
    cycles * 4 * 1200 + 2000
}

/// Sends, and switches to the next control again and again; the window is always one.
fn send(
    number: usize,
    to: SocketAddr,
    names: &[String],
    stop: &AtomicBool,
    switches: &AtomicUsize,
) {
    let mut stream = TcpStream::connect(to).expect("connected");
    stream.set_nonblocking(true).expect("a flag");
    // Small flights, so that the queue does not overflow: what is lost cannot be undone.
    setsockopt(&stream, SndBuf, &(1 << 14)).expect("a buffer");
    let (began, data) = (Instant::now(), vec![7; 1 << 14]);
    let mut turn = 0;
    while !stop.load(Ordering::Relaxed) {
        // Every second connection keeps a control long enough for losses and undos.
        let each = [29, 1700][number % 2] * 1_000_000 + number as u64 * 100_003;
        if began.elapsed() >= Duration::from_nanos(each) * turn {
            let name = &names[(number + turn as usize) % names.len()];
            setsockopt(&stream, TcpCongestion, &name.into()).expect("it is there");
            switches.fetch_add(1, Ordering::Relaxed);
            turn += 1;
        }
        // A kernel that skipped a program may have set another than there can be, until ours hears of it.
        let window = system::tcp_info(&stream).expect("TCP_INFO").cwnd;
        assert!((1..=0x7fff_ffff).contains(&window), "{window}");
        match stream.write(&data) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => panic!("{error}"),
            Ok(_) => {}
        }
    }
    abort(&stream);
}

/// Opens a connection, and gives it a control.
fn dial(path: &Emulator, to: SocketAddr, control: &str) -> TcpStream {
    let dialled = path.host(End::Sender).run(|| {
        let refused = |reason| Error::system("connect", reason);
        let stream = TcpStream::connect(to).map_err(refused)?;
        setsockopt(&stream, TcpCongestion, &control.into()).expect("it is there");
        stream.set_nonblocking(true).map_err(refused)?;
        // Something is outstanding when it is unloaded.
        let _ = (&stream).write(&[7; 1 << 15]);
        Ok(stream)
    });
    dialled.expect("connected")
}

fn swallow(mut stream: TcpStream, stop: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    let nap = Some(Duration::from_millis(50));
    stream.set_nonblocking(false).expect("a flag");
    stream.set_read_timeout(nap).expect("a timeout");
    while !stop.load(Ordering::Relaxed) {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Err(e) if !matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
            _ => {}
        }
    }
    abort(&stream);
}

/// Closes with a reset, so that nothing lingers.
fn abort(stream: &TcpStream) {
    let linger = nix::libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    let _ = setsockopt(stream, Linger, &linger);
}
