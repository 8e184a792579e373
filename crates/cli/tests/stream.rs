//! `dumbbell stream`, with its feature: both ends on the loopback over UDP and QUIC, and mistakes. It runs the commands of docs/stream.md.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const CALL: &str = r#"
duration = "2 s"

[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "50 ms", queue = { droptail = 36 } }

[[flow]]
rate_control = "tfrc-veno"
encoder      = { sizes = { laplace = 0.1 } }
"#;

/// A temporary file, which is removed when the test ends.
struct Call(PathBuf);

impl Call {
    fn new(name: &str, text: &str) -> Self {
        let name = format!("dumbbell-stream-{name}-{}.toml", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, text).expect("a temporary file");
        Self(path)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn stream(task: &str, call: &Call) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dumbbell"));
    command.args(["stream", task]).arg(&call.0);
    command
}

fn json(out: &Output) -> Value {
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    serde_json::from_slice(&out.stdout).expect("JSON")
}

/// A port that was free a moment ago.
fn free() -> String {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.local_addr().expect("an address").to_string()
}

/// Runs both ends; returns what the sender and the receiver say at the end.
fn both(call: &Call) -> (Value, Value) {
    both_for(call, &[])
}

/// The same, with options of the sender.
fn both_for(call: &Call, options: &[&str]) -> (Value, Value) {
    let at = free();
    let mut receiver = stream("receive", call)
        .args(["--listen", &at, "--json", "--quiet"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The sender greets until it is welcome, so neither end has to be first.
    let sent = stream("send", call)
        .args([&at, "--json", "--quiet"])
        .args(options)
        .output()
        .expect("it runs");
    if !sent.status.success() {
        // It would wait for ever.
        receiver.kill().expect("it runs");
    }
    let sent = json(&sent);
    let got = json(&receiver.wait_with_output().expect("it ends"));
    (sent, got)
}

#[test]
fn frames_arrive_on_the_loopback() {
    let (sent, got) = both(&Call::new("loopback", CALL));
    assert_eq!(sent["frames"], 60, "{sent}");
    // While the receiver starts, the sender greets again, and each further welcome is ignored.
    assert!(sent["ignored"].as_u64().is_some_and(|it| it < 5), "{sent}");
    assert!(
        got["shown"].as_u64().is_some_and(|shown| shown > 40),
        "{got}"
    );
    assert_eq!(got["received"], sent["packets"], "{got} {sent}");
}

/// The first commands of docs/stream.md: what `new --kind media` writes can be streamed as it is.
#[test]
fn a_new_scenario_of_media_can_be_streamed() {
    let call = Call::new("new", "");
    let out = Command::new(env!("CARGO_BIN_EXE_dumbbell"))
        .args(["new", "--force", "--kind", "media"])
        .arg(&call.0)
        .output()
        .expect("it runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let (sent, got) = both_for(&call, &["--for", "1s"]);
    assert!(sent["frames"].as_u64() >= Some(20), "{sent}");
    assert!(got["shown"].as_u64() >= Some(10), "{got}");
}

/// Where there is no terminal, what an end shows meanwhile are lines, which a log can hold.
#[test]
fn what_is_shown_meanwhile_are_lines_without_a_terminal() {
    let call = Call::new("lines", CALL);
    let at = free();
    let receiver = stream("receive", &call)
        .args(["--listen", &at])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let sent = stream("send", &call).args([&at, "--for", "3s"]).output();
    let ends = [
        (sent.expect("it runs"), format!("waits for {at}\n")),
        (
            receiver.wait_with_output().expect("it ends"),
            format!("waits at {at}\n"),
        ),
    ];
    for (end, said) in ends {
        assert_eq!(end.status.code(), Some(0), "{end:?}");
        let shown = String::from_utf8_lossy(&end.stderr);
        assert!(shown.starts_with(&said), "{shown:?}");
        assert!(!shown.contains(['\r', '\x1b']), "{shown:?}");
        let figures = String::from_utf8_lossy(&end.stdout);
        assert_eq!(figures.lines().count(), 1, "{figures}");
        // The receiver's time begins with the first packet.
        let seconds = figures.split_once(" s: ").map(|(time, _)| time.parse());
        assert!(matches!(seconds, Some(Ok(1..=3_u32))), "{figures}");
    }
}

/// The parameters of a control that is told the fate of each packet are those of the file, and its figures are there.
#[test]
fn controls_that_hear_of_each_packet_send_on_the_loopback() {
    let nada = "{ name = \"nada\", rmax = 300_000, delta = \"50 ms\" }";
    let controls = [
        ("nada", nada),
        ("scream", "\"scream\""),
        #[cfg(feature = "gcc")]
        ("gcc", "\"gcc\""),
    ];
    for (name, control) in controls {
        let text = CALL.replace("\"tfrc-veno\"", control);
        let (sent, got) = both(&Call::new(name, &text));
        assert_eq!(
            (&sent["frames"], &sent["ignored"]),
            (&60.into(), &0.into()),
            "{sent}"
        );
        assert!(
            got["shown"].as_u64().is_some_and(|shown| shown > 40),
            "{got}"
        );
        assert_eq!(got["received"], sent["packets"], "{got} {sent}");
        assert_eq!(sent["loss_event_rate"], Value::Null, "{sent}");
        let known = &sent["control"];
        assert!(
            known["mode"].is_string() && known["rtt_s"].is_number(),
            "{sent}"
        );
        let rate = |key: &str| known[key].as_f64().expect("a rate");
        match name {
            // The loopback has no queue, so the ramp-up ends at the largest rate.
            "nada" => assert_eq!(rate("reference_rate_bps"), 300e3, "{sent}"),
            "gcc" => assert!(rate("estimate_bps") > 200e3, "{sent}"),
            _ => assert!(rate("target_rate_bps") > 200e3, "{sent}"),
        }
    }
}

/// The commands of docs/stream.md: the receiver prints what the sender must know, and its figures.
#[cfg(feature = "quic")]
#[test]
fn frames_arrive_over_quic() {
    use std::io::{BufRead as _, BufReader, Read as _};

    let call = Call::new("quic", CALL);
    let mut receiver = stream("receive", &call)
        .args([
            "--over",
            "quic",
            "--listen",
            "127.0.0.1:0",
            "--json",
            "--quiet",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(receiver.stdout.take().expect("piped"));
    let mut hello = String::new();
    said.read_line(&mut hello).expect("a line");
    let hello: Value = serde_json::from_str(&hello).expect("JSON");
    let word = |key: &str| hello[key].as_str().expect(key).to_owned();
    let (at, pin, token) = (word("address"), word("pin"), word("token"));
    let send = |pin: &str, token: &str| {
        let options = [
            "--over", "quic", "--pin", pin, "--token", token, "--for", "2s",
        ];
        stream("send", &call)
            .arg(&at)
            .args(options)
            .args(["--json", "--quiet"])
            .output()
            .expect("it runs")
    };
    let refused = send(&pin, "another-word-of-ours");
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("--token"), "{why}");
    let refused = send(&"0".repeat(64), &token);
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(
        refused.status.code() == Some(3) && why.contains("--pin"),
        "{why}"
    );
    let sent = send(&pin, &token);
    if !sent.status.success() {
        // It would wait for ever.
        receiver.kill().expect("it runs");
    }
    let sent = json(&sent);
    let mut got = String::new();
    said.read_to_string(&mut got).expect("text");
    assert!(receiver.wait().expect("it ends").success());
    let got: Value = serde_json::from_str(&got).expect("JSON");
    assert_eq!(
        (&sent["frames"], &sent["ignored"]),
        (&60.into(), &0.into()),
        "{sent}"
    );
    assert_eq!(got["received"], sent["packets"], "{got} {sent}");
    assert_eq!(sent["transport"]["over"], "quic", "{sent}");
    assert_eq!(sent["transport"]["withheld"], 0, "{sent}");
    assert_eq!(got["transport"]["refused"]["wrong_token"], 1, "{got}");
}

#[test]
fn what_belongs_to_quic_is_refused_over_udp_and_asked_for_over_quic() {
    let call = Call::new("secrets", CALL);
    let refused = |options: &[&str], words: &[&str]| {
        let out = stream("send", &call)
            .args([&free(), "--quiet"])
            .args(options)
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{options:?} {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    let pin = "0".repeat(64);
    refused(&["--pin", &pin], &["UDP has no", "--over quic"]);
    refused(&["--token", "a-word-of-our-own"], &["UDP has no"]);
    if cfg!(feature = "quic") {
        refused(&["--over", "quic"], &["fingerprint is missing"]);
        refused(
            &["--over", "quic", "--pin", "12"],
            &["64 hexadecimal digits"],
        );
        refused(&["--over", "quic", "--pin", &pin], &["token is missing"]);
        let short = ["--over", "quic", "--pin", &pin, "--token", "short"];
        refused(&short, &["12 to 128 characters"]);
    } else {
        refused(
            &["--over", "quic"],
            &["without QUIC", "--features stream,quic"],
        );
    }
}

#[test]
fn mistakes_are_pointed_out() {
    let refused = |call: &Call, words: &[&str]| {
        let out = stream("send", call)
            .args([&free(), "--quiet"])
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
    };
    let plain = CALL.replace("encoder      = { sizes = { laplace = 0.1 } }\n", "");
    refused(
        &Call::new("plain", &plain),
        &["has no frames", "encoder = {}"],
    );
    let marked = CALL.replace("\"tfrc-veno\"", "{ name = \"tfrc\", causes = \"ecn\" }");
    refused(
        &Call::new("marked", &marked),
        &["cannot send live", "tfrc-veno", "nada, scream"],
    );
    let tcp = CALL.replace("rate_control = \"tfrc-veno\"", "control = \"reno\"");
    refused(
        &Call::new("tcp", &tcp.replace("encoder", "#")),
        &["no such media flow"],
    );
}
