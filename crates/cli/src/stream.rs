//! `dumbbell stream`: a scenario's media flow, live over UDP or QUIC.

mod line;
#[cfg(feature = "quic")]
mod quic;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::net::{SocketAddr, ToSocketAddrs as _, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Subcommand;
use dumbbell_media::player::{Clock as PeerClock, PlayerConfig};
use dumbbell_media::source::Uniform;
use dumbbell_scenario::{Frames, Instant, Media, Traffic, named_flows};
use dumbbell_sim::random::{Component, Random, stream};
use dumbbell_stream::receiving::{Receiving, ReceivingReport};
use dumbbell_stream::sending::{
    Phase, RateControl, Sending, SendingConfig, SendingReport, Value as Known,
};
use dumbbell_stream::socket::{self, Clock};
use dumbbell_tfrc::receiver::ReceiverConfig;
use serde_json::{Map, Value, json};

use line::Line;

use crate::exit::{Code, Exit};
use crate::{help, input, interrupt};

/// Sends a scenario's media flow live over UDP or QUIC, and plays it at the other end.
///
/// Both ends have the same scenario file: the sender takes the rate control and the encoder of its media flow, the
/// receiver the player. `dumbbell run` simulates the same file. Frames are zeros. Over UDP nothing is encrypted; over QUIC
/// (--over quic) all is, and the receiver plays for those alone who know its token, which it prints.
#[derive(clap::Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub struct Args {
    #[command(subcommand)]
    command: Task,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell stream receive call.toml --listen 0.0.0.0:4500
  dumbbell stream send call.toml 192.0.2.1:4500
  dumbbell stream send call.toml 192.0.2.1:4500 --set flow.0.rate_control=tfrc-veno --for 60s --json
  dumbbell stream receive call.toml --over quic
  dumbbell stream send call.toml 192.0.2.1:4500 --over quic --pin 5f3a... --token 90c1...";

#[derive(Subcommand)]
enum Task {
    Send(SendArgs),
    Receive(ReceiveArgs),
    Help(help::Args),
}

/// Sends the frames of a scenario's media flow.
///
/// The rate control is one of tfrc, tfrc-veno, aio-tfrc and multfrc, with a receiver by RFC 5348, or nada or scream (or gcc, in
/// a build with the feature of that name), whose receiver reports on each packet (RFC 8888).
#[derive(clap::Args)]
struct SendArgs {
    /// The scenario file.
    file: PathBuf,
    /// The receiver: HOST:PORT.
    #[arg(value_name = "HOST:PORT")]
    to: String,
    #[command(flatten)]
    common: Common,
    /// Send for this time, such as "20 s"; without it, for the scenario's duration.
    #[arg(long = "for", value_name = "TIME", value_parser = input::time)]
    lasts: Option<Duration>,
    /// The seed of the sizes of frames; without it, the scenario's.
    #[arg(long)]
    seed: Option<u64>,
    /// The fingerprint of the receiver's certificate (SHA-256), which it prints; for --over quic.
    #[arg(long, value_name = "FINGERPRINT")]
    pin: Option<String>,
}

/// Plays the frames of the first sender that says hello, and prints what was seen.
///
/// The sender's clock is unknown: delays are measured from that of the fastest packet.
#[derive(clap::Args)]
struct ReceiveArgs {
    /// The scenario file.
    file: PathBuf,
    #[command(flatten)]
    common: Common,
    /// The address to listen at.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:4500")]
    listen: SocketAddr,
}

/// The options of both ends.
#[derive(clap::Args)]
struct Common {
    /// The media flow, if the scenario has several.
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,
    #[command(flatten)]
    set: input::Set,
    /// What carries the packets. Datagrams of QUIC are encrypted; the build needs the feature `quic`.
    #[arg(long, value_enum, default_value_t = Over::Udp)]
    over: Over,
    /// What a sender must know, 12 to 128 characters; for --over quic. Without it, the value of the variable
    /// DUMBBELL_TOKEN, or at the receiver a random one.
    #[arg(long)]
    token: Option<String>,
    /// Print the figures at the end as one JSON object.
    #[arg(long)]
    json: bool,
    /// Show no figures meanwhile.
    #[arg(long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Over {
    /// Datagrams of UDP.
    Udp,
    /// Datagrams of QUIC (RFC 9221).
    Quic,
}

impl Common {
    /// Refuses what UDP does not have.
    fn without_secrets(&self, pin: Option<&String>) -> Result<(), Exit> {
        if self.token.is_none() && pin.is_none() {
            return Ok(());
        }
        Err(Exit::BadInput(
            "UDP has no fingerprints and tokens\n  = help: write --over quic, or leave --pin and --token out".to_owned(),
        ))
    }
}

#[cfg(not(feature = "quic"))]
fn no_quic() -> Exit {
    Exit::BadInput(
        "this dumbbell was built without QUIC\n  = help: cargo build --release --features stream,quic".to_owned(),
    )
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    match &args.command {
        Task::Send(args) => send(args),
        Task::Receive(args) => receive(args),
        Task::Help(args) => help::run(&["stream"], args),
    }
}

struct Draws(Random);

impl Uniform for Draws {
    fn positive_uniform(&mut self) -> f64 {
        self.0.positive_uniform()
    }
}

/// What a scenario says about a stream.
struct Chosen {
    media: Media,
    frames: Frames,
    duration: dumbbell_scenario::Duration,
    seed: u64,
}

fn send(args: &SendArgs) -> Result<Code, Exit> {
    let chosen = choose(&args.common, &args.file)?;
    let segment = segment(&chosen.media)?;
    let control = control(&chosen.media, segment)?;
    let peer = resolve(&args.to)?;
    let lasts = args
        .lasts
        .map_or(chosen.duration, dumbbell_scenario::Duration::from);
    let config = SendingConfig {
        // A hash with keys that the system drew: nobody else knows it.
        session: RandomState::new().build_hasher().finish(),
        encoder: chosen.frames.encoder.config(),
        segment,
        drain: chosen.frames.encoder.drain,
        patience: chosen.frames.encoder.patience,
        lasts,
    };
    let random = stream(args.seed.unwrap_or(chosen.seed), Component::host(1, 0));
    let clock = Clock::start();
    let mut session = Sending::new(config, control, Draws(random), clock.now());
    let flag = interrupt::flag();
    let mut line = Line::new(args.common.quiet);
    let each = |session: &Sending<Draws>, now| {
        line.show(now, || match session.phase() {
            Phase::Greeting => format!("waits for {peer}"),
            _ => sender_line(session, now),
        });
        !flag.load(Ordering::Relaxed)
    };
    let transport: Option<Value> = match args.common.over {
        Over::Udp => {
            args.common.without_secrets(args.pin.as_ref())?;
            send_over_udp(peer, clock, &mut session, each)?;
            None
        }
        #[cfg(feature = "quic")]
        Over::Quic => Some(quic::send(args, peer, clock, &mut session, each)?),
        #[cfg(not(feature = "quic"))]
        Over::Quic => return Err(no_quic()),
    };
    line.end();
    if session.phase() == Phase::Alone {
        return Err(Exit::Failed(format!(
            "nobody answers at {peer}: is `dumbbell stream receive` running there, with the same --over?"
        )));
    }
    let now = clock.now();
    let mut json = sender_json(&session, now);
    if let Some(transport) = transport {
        json["transport"] = transport;
    }
    show(args.common.json, json, sender_line(&session, now))
}

fn send_over_udp(
    peer: SocketAddr,
    clock: Clock,
    session: &mut Sending<Draws>,
    each: impl FnMut(&Sending<Draws>, Instant) -> bool,
) -> Result<(), Exit> {
    let failed = |error| Exit::Failed(format!("{peer}: {error}"));
    let any: SocketAddr = if peer.is_ipv4() {
        ([0, 0, 0, 0], 0).into()
    } else {
        ([0_u16; 8], 0).into()
    };
    let socket = UdpSocket::bind(any).and_then(|socket| socket.connect(peer).map(|()| socket));
    socket::send(socket.map_err(failed)?, clock, session, each).map_err(failed)
}

fn receive(args: &ReceiveArgs) -> Result<Code, Exit> {
    let chosen = choose(&args.common, &args.file)?;
    let player = PlayerConfig {
        clock: PeerClock::Unknown,
        ..chosen.frames.player.config()
    };
    let failed = |error| Exit::Failed(format!("{}: {error}", args.listen));
    let socket = match args.common.over {
        Over::Udp => {
            args.common.without_secrets(None)?;
            Some(UdpSocket::bind(args.listen).map_err(failed)?)
        }
        Over::Quic => None,
    };
    // With port 0, the system chooses one.
    let bound = socket.as_ref().and_then(|it| it.local_addr().ok());
    let listen = bound.unwrap_or(args.listen);
    let clock = Clock::start();
    let mut session = Receiving::new(player);
    let flag = interrupt::flag();
    let mut line = Line::new(args.common.quiet);
    if socket.is_some() {
        // A sender may be there already.
        line.show(clock.now(), || format!("waits at {listen}"));
    }
    let each = |session: &Receiving, now| {
        line.show(now, || {
            session.report(now).map_or_else(
                || format!("waits at {listen}"),
                |report| receiver_line(&report),
            )
        });
        !flag.load(Ordering::Relaxed)
    };
    let transport: Option<Value> = match socket {
        Some(socket) => {
            socket::receive(socket, clock, &mut session, each).map_err(failed)?;
            None
        }
        #[cfg(feature = "quic")]
        None => quic::receive(args, clock, &mut session, each)?,
        #[cfg(not(feature = "quic"))]
        None => return Err(no_quic()),
    };
    line.end();
    match session.report(clock.now()) {
        Some(report) => {
            let mut json = receiver_json(&report);
            if let Some(transport) = transport {
                json["transport"] = transport;
            }
            show(args.common.json, json, receiver_line(&report))
        }
        None => Err(Exit::Interrupted),
    }
}

/// Returns the media flow of a scenario that has frames.
fn choose(common: &Common, file: &Path) -> Result<Chosen, Exit> {
    let scenario = common.set.scenario(file)?;
    let mut found = named_flows(&scenario).filter_map(|(flow, name)| match &flow.traffic {
        Traffic::Media(media) if common.flow.as_ref().is_none_or(|wanted| *wanted == name) => {
            Some((**media).clone())
        }
        _ => None,
    });
    let (first, second) = (found.next(), found.next());
    let media = match (first, second, &common.flow) {
        (Some(media), None, _) | (Some(media), _, Some(_)) => media,
        (Some(_), Some(_), None) => {
            return Err(Exit::BadInput(format!(
                "{} has several media flows\n  = help: name one with --flow",
                file.display()
            )));
        }
        (None, ..) => {
            return Err(Exit::BadInput(format!(
                "{} has no such media flow\n  = help: a media flow has a `rate_control`",
                file.display()
            )));
        }
    };
    let frames = media.frames.clone().ok_or_else(|| {
        Exit::BadInput(format!(
            "the media flow of {} has no frames\n  = help: write encoder = {{}} in it",
            file.display()
        ))
    })?;
    Ok(Chosen {
        media,
        frames,
        duration: scenario.duration,
        seed: scenario.seed,
    })
}

/// The rate control of a flow; those that need help from the network cannot send live.
fn control(media: &Media, segment: u16) -> Result<RateControl, Exit> {
    let (control, bytes) = (&media.control, u32::from(segment));
    if let Some(told) = control.told() {
        return Ok(RateControl::Told(told.control(), told.interval()));
    }
    let names = ["tfrc", "tfrc-veno", "aio-tfrc", "multfrc"];
    if !names.contains(&control.name()) || control.receiver(bytes) != ReceiverConfig::rfc5348(bytes)
    {
        return Err(Exit::BadInput(format!(
            "`{}`, as this flow has it, cannot send live\n  = help: the rate controls are {}, with the receiver of RFC 5348, and nada, scream, and gcc if it is built in",
            control.name(),
            names.join(", ")
        )));
    }
    let sender = control.sender(bytes);
    Ok(match control.several() {
        Some(parallel) => RateControl::Several(sender, parallel),
        None => RateControl::One(sender),
    })
}

/// The payload of a full packet, which must fit into a datagram.
fn segment(media: &Media) -> Result<u16, Exit> {
    u16::try_from(media.segment.0)
        .ok()
        .filter(|bytes| usize::from(*bytes) + dumbbell_stream::packet::HEADER <= 65_507)
        .ok_or_else(|| Exit::BadInput("`segment` is larger than a datagram".to_owned()))
}

fn resolve(place: &str) -> Result<SocketAddr, Exit> {
    let found = place.to_socket_addrs().map(|mut all| all.next());
    match found {
        Ok(Some(address)) => Ok(address),
        Ok(None) => Err(Exit::BadInput(format!("{place}: it has no address"))),
        Err(error) => Err(Exit::BadInput(format!(
            "{place}: {error}\n  = help: write HOST:PORT, such as 192.0.2.1:4500"
        ))),
    }
}

fn show(json: bool, value: Value, line: String) -> Result<Code, Exit> {
    let text = if json { value.to_string() } else { line };
    writeln!(std::io::stdout(), "{text}")?;
    Ok(Code::SUCCESS)
}

fn sender_line(session: &Sending<Draws>, now: Instant) -> String {
    let report = session.report(now);
    format!(
        "{:.0} s: allowed {:.0} kb/s, encoded {:.0} kb/s, RTT {:.0} ms, {}{} B wait, {} of {} frames discarded",
        report.elapsed.as_secs_f64(),
        report.allowed / 1e3,
        report.encoded / 1e3,
        1e3 * report.rtt.unwrap_or_default(),
        congestion(session, &report),
        report.queue,
        report.discarded,
        report.frames,
    )
}

/// What the rate control knows of congestion: TFRC's loss event rate, or else its mode and the queueing delay.
fn congestion(session: &Sending<Draws>, report: &SendingReport) -> String {
    if let Some(rate) = report.loss_event_rate {
        return format!("loss events {:.3} %, ", 100.0 * rate);
    }
    let mut text = String::new();
    session.explain(&mut |name, value| match (name, value) {
        ("mode", Known::State(mode)) => text.push_str(&format!("mode {mode}, ")),
        ("queueing", Known::Seconds(delay)) => {
            text.push_str(&format!("queueing {:.0} ms, ", 1e3 * delay));
        }
        _ => {}
    });
    text
}

fn sender_json(session: &Sending<Draws>, now: Instant) -> Value {
    let report = session.report(now);
    let mut value = json!({
        "elapsed_s": report.elapsed.as_secs_f64(),
        "frames": report.frames,
        "discarded": report.discarded,
        "packets": report.packets,
        "encoded_bps": report.made,
        "rtt_s": report.rtt,
        "loss_event_rate": report.loss_event_rate,
        "ignored": report.ignored,
        "expiries": report.expiries,
        "late_mean_s": report.late.mean().as_secs_f64(),
        "late_max_s": report.late.most.as_secs_f64(),
    });
    let mut known = Map::new();
    session.explain(&mut |name, value| {
        let (unit, value) = match value {
            Known::Number(number) | Known::Segments(number) => ("", json!(number)),
            Known::Seconds(seconds) => ("_s", json!(seconds)),
            Known::BitRate(rate) => ("_bps", json!(rate)),
            Known::State(state) => ("", json!(state)),
            Known::Rule(_) => return,
        };
        known.insert(format!("{name}{unit}"), value);
    });
    if !known.is_empty() {
        value["control"] = Value::Object(known);
    }
    value
}

fn receiver_line(report: &ReceivingReport) -> String {
    let player = &report.player;
    format!(
        "{:.0} s: {:.0} kb/s shown, {} frames, {} late, {} lost, frozen {:.1} s, delay {:.0} ms beyond the fastest packet's",
        report.elapsed.as_secs_f64(),
        player.rate / 1e3,
        player.shown,
        player.shown_late + player.late,
        player.lost,
        player.frozen.as_secs_f64(),
        1e3 * player.delay.map_or(0.0, |delay| delay.mean),
    )
}

fn receiver_json(report: &ReceivingReport) -> Value {
    let player = &report.player;
    let delay = player.delay;
    json!({
        "elapsed_s": report.elapsed.as_secs_f64(),
        "received": report.received,
        "loss_events": report.loss_events,
        "goodput_bps": player.payload as f64 * 8.0 / report.elapsed.as_secs_f64().max(1e-9),
        "shown": player.shown,
        "shown_late": player.shown_late,
        "late": player.late,
        "undecodable": player.undecodable,
        "lost": player.lost,
        "requests": player.requests,
        "shown_bps": player.rate,
        "shown_variation": player.rate_variation,
        "startup_s": player.startup.map(dumbbell_scenario::Duration::as_secs_f64),
        "played_s": player.played.as_secs_f64(),
        "frozen_s": player.frozen.as_secs_f64(),
        "freezes": player.freezes,
        "delay_mean_s": delay.map(|delay| delay.mean),
        "delay_p95_s": delay.map(|delay| delay.p95),
        "ignored": report.ignored,
        "late_mean_s": report.late.mean().as_secs_f64(),
        "late_max_s": report.late.most.as_secs_f64(),
    })
}
