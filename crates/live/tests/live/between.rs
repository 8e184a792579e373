//! A box in the middle between two links, and its effects on them: none that stays.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::Error;
use dumbbell_live::device::Device;
use dumbbell_live::emulator::{Emulator, Options, Place, Report};
use dumbbell_live::namespace::{self, Namespace};
use dumbbell_live::system::packet::PacketSocket;

use crate::hosts;
use crate::veth::{Links, RECEIVER, RECEIVER6, SENDER, inside};

/// 40 Mb/s, 5 ms each way.
const PATH: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "10 Gb/s", delay = "0 ms" }
bottleneck = { rate = "40 Mb/s", delay = "5 ms", queue = { droptail = 200 } }
[[flow]]
control = "reno"
payload = "1460 B"
"#;

const OPTIONS: Options = Options {
    flow: 0,
    seed: 1,
    mtu: None,
};

fn between(links: &Links, names: [&str; 2], text: &str) -> Result<Emulator, Error> {
    let scenario = hosts::scenario(text);
    links.middle.run(|| {
        let place = Place::Between(names.map(str::to_owned));
        let mut path = Emulator::at(place, &scenario, OPTIONS)?;
        path.begin()?;
        Ok(path)
    })
}

/// Bytes that no shift or loss leaves the same.
fn pattern(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}

fn failed(what: &'static str) -> impl FnOnce(std::io::Error) -> Error {
    move |reason| Error::system(what, reason)
}

/// Sends bytes from one host to the other, and returns what came and how long it took.
fn transfer(from: &Namespace, to: &Namespace, address: IpAddr, bytes: &[u8]) -> (Vec<u8>, f64) {
    let address = SocketAddr::new(address, 7100);
    let listener = to.run(|| TcpListener::bind(address).map_err(failed("bind")));
    let listener = listener.unwrap();
    let receives = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        all
    });
    let begun = Instant::now();
    let connect = || {
        let limit = Duration::from_secs(10);
        TcpStream::connect_timeout(&address, limit).map_err(failed("connect"))
    };
    let mut stream = from.run(connect).unwrap();
    stream.write_all(bytes).unwrap();
    drop(stream);
    (receives.join().unwrap(), begun.elapsed().as_secs_f64())
}

/// The kernel sends segments of up to 64 kB with sums that are not made, which veth hands on as they are. The box
/// makes packets of them, of which each is counted, and that none of is damaged.
#[test]
fn connections_cross_a_box_in_the_middle() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let links = Links::new();
    let bytes = pattern(8_000_000);
    // Segments of 1448 bytes with IPv4, and of 1428 with IPv6.
    for (address, segment) in [(RECEIVER, 1448), (RECEIVER6, 1428)] {
        let path = between(&links, ["m0", "m1"], PATH).unwrap();
        let address = address.parse().unwrap();
        let (got, took) = transfer(&links.sender, &links.receiver, address, &bytes);
        assert!(got == bytes, "{} of {}", got.len(), bytes.len());
        let Report {
            network,
            refused,
            overflow,
            base_rtt_s,
            ..
        } = path.stop().unwrap();
        assert_eq!((refused, overflow), (0, 0));
        let bottleneck = &network.links[0];
        let segments = (bytes.len() / segment) as u64;
        let sent = bottleneck.sent - bottleneck.dropped;
        assert!(
            sent >= segments && sent < segments + segments / 20,
            "{sent} {segments}"
        );
        // 1.6 s at 40 Mb/s, and the headers; from the first SYN.
        let ideal = segments as f64 * 1500.0 * 8.0 / 40e6;
        assert!(took > ideal && took < 1.5 * ideal + 1.0, "{took} {ideal}");
        let rtt = base_rtt_s.unwrap();
        assert!(rtt > 0.010 && rtt < 0.012, "{rtt}");
    }
}

/// The kernel takes the tag out on receipt, at the box as at the receiver.
#[test]
fn tags_of_vlans_are_kept() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let links = Links::new();
    let path = between(&links, ["m0", "m1"], PATH).unwrap();
    let open = |host: &Namespace| {
        let open = || PacketSocket::open(Device::named("h0")?.index).map_err(failed("open"));
        host.run(open).unwrap()
    };
    let (from, to) = (open(&links.sender), open(&links.receiver));
    let addresses = [[2, 0, 0, 0, 0, 9], [2, 0, 0, 0, 0, 8]].concat();
    let packet = pattern(300);
    let frame = [&addresses, &[0x81, 0, 0x60, 7, 0x12, 0x34][..], &packet].concat();
    from.send(&frame).unwrap();
    let (begun, mut buffer) = (Instant::now(), [0; 2000]);
    let found = loop {
        match to.receive(&mut buffer) {
            Ok(found) if found.vlan.is_some() => break found,
            _ => thread::sleep(Duration::from_millis(1)),
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "it does not come");
    };
    assert_eq!(found.vlan, Some([0x8100, 0x6007]));
    let expected = [&addresses, &[0x12, 0x34][..], &packet].concat();
    assert_eq!(buffer[..found.length], expected);
    // Through the network, with what the frame contains.
    assert!(begun.elapsed() > Duration::from_millis(4));
    assert!(path.stop().unwrap().network.links[0].delivered >= 1);
}

/// Of datagrams from both sides, every second one or so is lost, with those of the seed; and finding the neighbour
/// is not.
#[test]
fn the_networks_losses_hit_packets_and_not_the_search_for_neighbours() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let lossy = PATH.replace(
        "droptail = 200 }",
        "droptail = 200 }, loss = { bernoulli = 0.5 }",
    );
    let arrived = || {
        let links = Links::new();
        for host in [&links.sender, &links.receiver] {
            // Which reports its groups to the link, at any time.
            host.run(|| namespace::set("ipv6/conf/all/disable_ipv6", "1"))
                .unwrap();
        }
        let path = between(&links, ["m0", "m1"], &lossy).unwrap();
        let bind = |host: &Namespace, address: &str| {
            let bind = || UdpSocket::bind((address, 7101)).map_err(failed("bind"));
            host.run(bind).unwrap()
        };
        let from = bind(&links.sender, SENDER);
        let to = bind(&links.receiver, RECEIVER);
        let nap = Some(Duration::from_millis(300));
        to.set_read_timeout(nap).unwrap();
        for number in 0..60u8 {
            from.send_to(&[number; 50], (RECEIVER, 7101)).unwrap();
            thread::sleep(Duration::from_millis(2));
        }
        let (mut numbers, mut buffer) = (Vec::new(), [0; 100]);
        while let Ok(length) = to.recv(&mut buffer) {
            assert_eq!(length, 50);
            numbers.push(buffer[0]);
        }
        let report = path.stop().unwrap();
        assert_eq!(report.network.links[0].sent, 60);
        numbers
    };
    let first = arrived();
    assert!((15..=45).contains(&first.len()), "{}", first.len());
    assert_eq!(arrived(), first);
}

/// The settings of the box's interfaces, without counters.
fn settings(links: &Links) -> String {
    inside(&links.middle, &["ip -d link show m0", "ip -d link show m1"])
}

#[test]
fn interfaces_are_as_before() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let links = Links::new();
    let before = settings(&links);
    assert!(before.contains("promiscuity 0"), "{before}");
    let path = between(&links, ["m0", "m1"], PATH).unwrap();
    assert!(settings(&links).contains("promiscuity 1"));
    path.stop().unwrap();
    assert_eq!(settings(&links), before);
}

#[test]
fn interfaces_that_cannot_be_used_are_refused() {
    let Some(_log) = hosts::allowed() else {
        return;
    };
    let links = Links::new();
    inside(
        &links.middle,
        &[
            "ip link add down0 type veth peer name down1",
            "ip link add bridge0 type bridge",
            "ip link add in0 type veth peer name in1",
            "ip link set in0 master bridge0",
            "ip link add large0 type veth peer name large1",
            "ip link set large0 mtu 9000 up",
        ],
    );
    for (names, what) in [
        (["m0", "m0"], "m0 is given twice"),
        (["m0", "lo"], "lo does not carry Ethernet frames"),
        (["m0", "nothing0"], "no network device \"nothing0\""),
        (["down0", "m1"], "set it up: ip link set down0 up"),
        (["m0", "in0"], "ip link set in0 nomaster"),
        (["large0", "m1"], "ip link set m1 mtu 9000"),
    ] {
        let said = between(&links, names, PATH).unwrap_err().to_string();
        assert!(said.contains(what), "{said}");
    }
}
