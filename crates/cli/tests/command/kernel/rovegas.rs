//! A RoVegas in the kernel, which needs routers that report queueing times.

use super::loaded::{Loader, allowed, name};
use super::*;

/// 2 Mb/s, 20 ms.
const PATH: &str = r#"duration = "3 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "0 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 60 } }
[[flow]]
control  = "reno"
payload  = "1448 B"
"#;

/// Not a test: the program on the receiver's host.
#[test]
#[ignore = "run by a_loaded_rovegas_needs_reports_and_gets_them"]
fn receives() {
    if std::env::var_os("DUMBBELL_HERE").is_some() {
        let listener = TcpListener::bind("0.0.0.0:5006").expect("a port");
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.read_to_end(&mut Vec::new()).expect("data");
    }
}

/// Not a test: the program on the sender's host.
#[test]
#[ignore = "run by a_loaded_rovegas_needs_reports_and_gets_them"]
fn sends() {
    if let Ok(peer) = std::env::var("DUMBBELL_PEER") {
        let mut stream = TcpStream::connect((peer, 5006)).expect("connected");
        stream.write_all(&[7; 100_000]).expect("sent");
        stream.shutdown(std::net::Shutdown::Write).expect("an end");
        // The other end closes when it has everything; the emulation ends with this command.
        stream.read_to_end(&mut Vec::new()).expect("its end");
    }
}

/// `run`, `compare` and `emulate` follow one rule: without routers that report, it would be Vegas. With them, each of
/// its segments has the option: an IP header of eight words.
#[test]
fn a_loaded_rovegas_needs_reports_and_gets_them() {
    let Some(_log) = allowed() else {
        return;
    };
    // RoVegas is known by more than its name.
    let name = name();
    let (loader, _) = Loader::start(&["rovegas", "--as", &name]);
    let folder = crate::folder("kernel-emulate-rovegas");
    let path = crate::file(&folder, PATH);
    let capture = folder.join("out.pcap");
    for (part, command) in [
        (["emulate", "--control"], &["--", "true"][..]),
        (["compare", "--controls"], &[]),
    ] {
        let (code, _, err) = output(dumbbell().args(part).arg(&name).arg(&path).args(command));
        assert!(code == 2 && err.contains(r#"aqt = "all""#), "{err}");
    }
    let this = std::env::current_exe().expect("a test");
    let this = this.to_str().expect("its path");
    let part = |name: &str| format!("kernel::rovegas::{name}");
    let receiver = format!("{this} --exact {} --ignored", part("receives"));
    success(
        dumbbell()
            .args(["emulate", "--quiet", "--control", &name, "--ready", "5006"])
            .args([
                "--set",
                "bottleneck.aqt=true",
                "--receiver",
                &receiver,
                "--pcap",
            ])
            .arg(&capture)
            .arg(&path)
            .args(["--", this, "--exact", &part("sends"), "--ignored"]),
    );
    // The simulator does not know the name, which a note says.
    let (code, compared, err) = output(
        dumbbell()
            .args([
                "compare",
                "--controls",
                &name,
                "--set",
                "bottleneck.aqt=true",
            ])
            .args(["--for", "1s", "--repeat", "1"])
            .arg(&path),
    );
    assert_eq!(loader.end("-INT"), Some(0));
    assert!(code == 0 && compared.contains(&name), "{err}{compared}");

    // The format of libpcap: a header of 24 bytes, and one of 16 before each packet.
    let all = std::fs::read(capture).expect("a capture");
    let (mut rest, mut data) = (&all[24..], 0);
    while let Some((header, after)) = rest.split_at_checked(16) {
        let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        let (packet, after) = after.split_at(length as usize);
        rest = after;
        if packet[0] >> 4 == 4 && packet[12..16] == [10, 11, 12, 1] && packet.len() > 100 {
            assert_eq!(packet[0], 0x48);
            data += 1;
        }
    }
    assert!(data >= 100_000 / 1448, "{data} segments");
}
