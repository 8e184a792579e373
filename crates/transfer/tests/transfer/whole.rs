//! Transfers that arrive, at once or in the end.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use dumbbell_transfer::{Error, Identity, put};

use crate::setting::{Setting, bytes, folder, impatient, name, options, serve};

const SIZE: usize = 3_000_000;

#[tokio::test]
async fn a_file_arrives_with_the_senders_statistics() {
    let setting = Setting::new("get", impatient());
    fs::write(setting.served("a"), bytes(SIZE)).expect("ours");
    let report = setting.get("a", "a").await.expect("it arrives");
    assert!(fs::read(setting.folder.join("a")).expect("it is there") == bytes(SIZE));
    assert!(!setting.folder.join("a.part").exists());
    assert_eq!(
        (report.size, report.transferred, report.resumed_from),
        (SIZE as u64, SIZE as u64, 0)
    );
    let hash = blake3::hash(&bytes(SIZE)).to_string();
    assert_eq!((report.complete, report.blake3), (true, Some(hash)));
    let sender = report.sender.expect("the server's");
    // The control of the end that sends.
    assert_eq!(sender.control, "veno");
    let least = (SIZE / usize::from(sender.mtu_bytes)) as u64;
    assert!(sender.sent_packets > least && sender.lost_packets < sender.sent_packets);
    assert!(sender.acked_bytes > SIZE as u64);
    let rtt = sender.rtt;
    assert!(
        rtt.count > 10 && rtt.min_s <= rtt.mean_s && rtt.mean_s < 1.0,
        "{rtt:?}"
    );
    setting
        .until("one transfer", |tally| tally.transfers == 1)
        .await;
    assert_eq!(setting.tally().bytes, SIZE as u64);
}

#[tokio::test]
async fn a_file_is_put_with_the_clients_control() {
    let setting = Setting::new("put", impatient());
    fs::create_dir(setting.served("sub")).expect("ours");
    fs::write(setting.folder.join("a"), bytes(SIZE)).expect("ours");
    let report = setting.put("a", "sub/b").await.expect("it arrives");
    assert!(fs::read(setting.served("sub/b")).expect("it is there") == bytes(SIZE));
    assert!(report.complete);
    assert_eq!(report.sender.expect("its own").control, "reno");
    // The very file once more: there is nothing to do. Another one is refused.
    let again = setting.put("a", "sub/b").await.expect("it is there");
    assert_eq!((again.complete, again.transferred), (true, 0));
    for other in [
        bytes(SIZE - 1),
        [bytes(SIZE), vec![7]].concat(),
        vec![7; SIZE],
    ] {
        fs::write(setting.folder.join("a"), other).expect("ours");
        let why = setting.put("a", "sub/b").await.expect_err("it is another");
        assert!(matches!(why, Error::Refused(_)), "{why}");
    }
    assert!(fs::read(setting.served("sub/b")).expect("it is there") == bytes(SIZE));
}

#[tokio::test]
async fn an_empty_file_arrives() {
    let setting = Setting::new("empty", impatient());
    fs::write(setting.served("a"), "").expect("ours");
    assert!(setting.get("a", "b").await.expect("it arrives").complete);
    assert!(setting.put("b", "c").await.expect("it arrives").complete);
    assert_eq!(fs::read(setting.served("c")).expect("it is there"), b"");
}

#[tokio::test]
async fn a_get_goes_on_where_it_ended_if_the_file_is_the_same() {
    let setting = Setting::new("resume-get", impatient());
    let whole = bytes(SIZE);
    fs::write(setting.served("a"), &whole).expect("ours");
    let mut changed = whole[..1_000_000].to_vec();
    changed[999_999] ^= 1;
    let longer = [whole.clone(), vec![1]].concat();
    for (part, from) in [
        (&whole[..1_000_000], 1_000_000),
        (&whole, SIZE as u64),
        (&changed, 0),
        (&longer, 0),
    ] {
        fs::write(setting.folder.join("a.part"), part).expect("ours");
        let report = setting.get("a", "a").await.expect("it arrives");
        assert_eq!((report.complete, report.resumed_from), (true, from));
        assert_eq!(report.transferred, SIZE as u64 - from);
        assert!(fs::read(setting.folder.join("a")).expect("it is there") == whole);
    }
}

#[tokio::test]
async fn a_put_goes_on_where_it_ended_if_the_file_is_the_same() {
    let setting = Setting::new("resume-put", impatient());
    let whole = bytes(SIZE);
    fs::write(setting.folder.join("a"), &whole).expect("ours");
    let mut changed = whole[..1_000_000].to_vec();
    changed[0] ^= 1;
    let longer = [whole.clone(), vec![1]].concat();
    for (part, from) in [
        (&whole[..1_000_000], 1_000_000),
        (&whole, SIZE as u64),
        (&changed, 0),
        (&longer, 0),
    ] {
        fs::write(setting.served("a.part"), part).expect("ours");
        let report = setting.put("a", "a").await.expect("it arrives");
        assert_eq!((report.complete, report.resumed_from), (true, from));
        assert!(fs::read(setting.served("a")).expect("it is there") == whole);
        fs::remove_file(setting.served("a")).expect("it is there");
    }
}

/// A file without end for a test: it takes no place on the disk.
fn endless(path: &std::path::Path) {
    let file = fs::File::create(path).expect("ours");
    file.set_len(1 << 40).expect("a sparse file");
}

#[tokio::test]
async fn a_put_that_stops_is_counted_by_what_has_arrived_and_can_go_on() {
    let setting = Setting::new("stop-put", impatient());
    let file = setting.folder.join("a");
    endless(&file);
    let mut options = options("reno");
    options.stop_after = Some(Duration::from_millis(300));
    options.sample_every = Some(Duration::from_millis(10));
    let mut told = 0;
    let report = put(&setting.peer, &file, &name("a"), &options, &mut |_| {
        told += 1
    })
    .await;
    let report = report.expect("it stops");
    assert!(!report.complete && report.transferred > 0);
    let stored = fs::metadata(setting.served("a.part"))
        .expect("it is there")
        .len();
    assert_eq!(stored, report.transferred);
    let samples = report.sender.expect("its own").samples;
    assert!(samples.len() > 5 && told > 0, "{} {told}", samples.len());
    assert!(samples.is_sorted_by(|a, b| a.at_s < b.at_s && a.acked_bytes <= b.acked_bytes));
    // Another one goes on there.
    options.stop_after = Some(Duration::from_millis(100));
    let next = put(&setting.peer, &file, &name("a"), &options, &mut |_| {}).await;
    assert_eq!(next.expect("it stops").resumed_from, stored);
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_does_not_arrive() {
    let setting = Setting::new("changed", impatient());
    let path = setting.served("a");
    endless(&path);
    let client = setting.get("a", "a");
    let truncated = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        fs::File::create(&path)
            .expect("ours")
            .set_len(10)
            .expect("ours");
    };
    let (report, ()) = tokio::join!(client, truncated);
    let why = report.expect_err("it changed").to_string();
    assert!(why.contains("changed"), "{why}");
    assert!(!setting.folder.join("a").exists());
}

#[tokio::test]
async fn a_newer_put_of_the_same_file_takes_over() {
    let setting = Setting::new("over", impatient());
    let file = setting.folder.join("a");
    endless(&file);
    let (first, second) = (options("reno"), {
        let mut options = options("veno");
        options.stop_after = Some(Duration::from_millis(100));
        options
    });
    let target = name("a");
    let (mut quiet, mut also) = (|_| {}, |_| {});
    let older = put(&setting.peer, &file, &target, &first, &mut quiet);
    let part = setting.served("a.part");
    let newer = async {
        while !fs::metadata(&part).is_ok_and(|part| part.len() > 0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        put(&setting.peer, &file, &target, &second, &mut also).await
    };
    let (older, newer) = tokio::join!(older, newer);
    assert!(
        older
            .expect_err("it is over")
            .to_string()
            .contains("another transfer")
    );
    assert!(newer.expect("it stops").resumed_from > 0);
}

#[tokio::test]
async fn one_file_is_served_alone_and_nothing_can_be_put_there() {
    let folder = folder("file");
    fs::write(folder.join("served/a"), "a").expect("ours");
    fs::write(folder.join("served/b"), "b").expect("ours");
    let mut serving = serve(&folder, impatient());
    serving.root = folder.join("served/a");
    assert!(dumbbell_transfer::Server::bind(serving).is_err());
    let mut serving = serve(&folder, impatient());
    serving.root = folder.join("served/a");
    serving.allow_put = false;
    let setting = Setting::of(folder, serving);
    assert!(setting.get("a", "a").await.expect("it arrives").complete);
    let why = setting.get("b", "b").await.expect_err("it is not served");
    assert!(matches!(why, Error::Refused(_)), "{why}");
    // What did not begin leaves nothing.
    assert!(!setting.folder.join("b.part").exists());
}

#[tokio::test]
async fn a_server_with_another_certificate_is_refused() {
    let mut setting = Setting::new("pin", impatient());
    setting.peer.pin = Identity::generate().expect("random numbers").pin();
    fs::write(setting.served("a"), "a").expect("ours");
    let why = setting
        .get("a", "a")
        .await
        .expect_err("it is another")
        .to_string();
    assert!(why.contains("fingerprint"), "{why}");
    assert_eq!(setting.tally().transfers, 0);
}

/// What qvis links: each packet that came has a size, and the ranges of its acknowledgements are of packets that were sent,
/// of the same kind. They cover those with the file, but for the last ones.
fn acknowledgements(records: &[serde_json::Value], vantage: &str) {
    let packet = |record: &serde_json::Value| {
        let header = &record["data"]["header"];
        let kind = header["packet_type"].as_str().expect("a type").to_owned();
        (kind, header["packet_number"].as_u64().expect("a number"))
    };
    let (mut sent, mut acked) = (BTreeSet::new(), BTreeSet::new());
    let (mut unsized_packets, mut delays) = (0, Vec::new());
    for record in records {
        match record["name"].as_str() {
            Some("transport:packet_sent") => drop(sent.insert(packet(record))),
            Some("transport:packet_received") => {
                unsized_packets += u32::from(record["data"]["raw"]["length"].as_u64() < Some(20));
                let frames = record["data"]["frames"].as_array();
                for frame in frames.into_iter().flatten() {
                    assert_eq!(frame["frame_type"], "ack");
                    delays.push(frame["ack_delay"].as_f64().expect("milliseconds"));
                    for range in frame["acked_ranges"].as_array().expect("ranges") {
                        let [start, end] = [0, 1].map(|at| range[at].as_u64().expect("a number"));
                        acked.extend((start..=end).map(|number| (packet(record).0, number)));
                    }
                }
            }
            _ => {}
        }
    }
    // At most 25 ms, and more where the machine is busy.
    delays.sort_by(f64::total_cmp);
    assert!(delays[delays.len() / 2] < 100.0, "{vantage}: {delays:?}");
    // quinn has decrypted a connection's first packet before it is one.
    assert!(unsized_packets <= 1, "{vantage}: {unsized_packets}");
    assert!(acked.is_subset(&sent), "{vantage}");
    let data = |all: &BTreeSet<(String, u64)>| all.iter().filter(|it| it.0 == "1RTT").count();
    let (acked, sent) = (data(&acked), data(&sent));
    // The client sends the file; the server little more than acknowledgements.
    let enough = if vantage == "client" { sent / 2 } else { 0 };
    assert!(acked > enough, "{vantage}: {acked} of {sent}");
}

/// Another reader of qlog 0.3 (quiche's) knows each record by its name, and all values in it have the types of that event.
fn read_by_others(text: &str, vantage: &str) {
    let bytes = std::io::Cursor::new(text.to_owned().into_bytes());
    let reader = qlog::reader::QlogSeqReader::new(Box::new(bytes)).expect("a header");
    assert_eq!(reader.qlog.qlog_version, "0.3");
    let end = format!("{:?}", reader.qlog.trace.vantage_point.ty);
    assert_eq!(end.to_lowercase(), vantage);
    let (mut known, mut acks) = (0, 0);
    for event in reader {
        let event = match event {
            qlog::reader::Event::Qlog(event) => event,
            qlog::reader::Event::Json(event) => panic!("{vantage}: {event:?}"),
        };
        known += 1;
        if let qlog::events::EventData::PacketReceived(packet) = &event.data {
            acks += packet.frames.iter().flatten().count();
        }
    }
    // The last record has no separator behind it, and that reader cuts its end off.
    let written = text.matches('\u{1e}').count() - 1;
    assert!(
        known >= written - 1 && known > 30,
        "{vantage}: {known} of {written}"
    );
    assert!(acks > 0, "{vantage}");
}

#[tokio::test]
async fn both_ends_write_qlog() {
    let folder = folder("qlog");
    let logs = folder.join("logs");
    fs::create_dir(&logs).expect("ours");
    let mut serving = serve(&folder, impatient());
    serving.qlog = Some(logs.clone());
    let setting = Setting::of(folder, serving);
    let file = setting.folder.join("a");
    fs::write(&file, bytes(SIZE)).expect("ours");
    let mut options = options("veno");
    let own = setting.folder.join("own.qlog");
    options.qlog = Some(own.clone());
    put(&setting.peer, &file, &name("a"), &options, &mut |_| {})
        .await
        .expect("it arrives");
    setting.until("it ends", |tally| tally.transfers == 1).await;
    let server = fs::read_dir(logs)
        .expect("ours")
        .next()
        .expect("one file")
        .expect("ours")
        .path();
    for (path, vantage) in [(own, "client"), (server, "server")] {
        let text = fs::read_to_string(&path).expect("it is written");
        // JSON text sequences (RFC 7464): each record begins with a record separator.
        let records: Vec<serde_json::Value> = text
            .split('\u{1e}')
            .skip(1)
            .map(|record| serde_json::from_str(record).expect("JSON"))
            .collect();
        read_by_others(&text, vantage);
        assert_eq!(records[0]["qlog_format"], "JSON-SEQ");
        assert_eq!(records[0]["trace"]["vantage_point"]["type"], vantage);
        let named = |name: &str| {
            records
                .iter()
                .filter(|record| record["name"] == name)
                .count()
        };
        assert!(named("transport:packet_sent") > 10, "{vantage}");
        assert!(named("transport:packet_received") > 10, "{vantage}");
        assert!(named("recovery:metrics_updated") > 10, "{vantage}");
        // qvis makes a trace of each group, and the file is of one connection.
        assert!(records.iter().all(|record| record["group_id"].is_null()));
        acknowledgements(&records, vantage);
        // A handshake over loopback takes some milliseconds at most in qlog's unit, and more than a microsecond.
        let rtts = records
            .iter()
            .filter_map(|record| record["data"]["latest_rtt"].as_f64());
        assert!(
            rtts.clone().skip(1).any(|ms| (0.01..300.0).contains(&ms)),
            "{vantage}"
        );
    }
}

/// Futures are moved, and nested ones are easily large: threads have stacks of 2 MB.
#[tokio::test]
async fn transfers_need_little_of_the_stack() {
    let setting = Setting::new("stack", impatient());
    let (file, out) = (name("a"), setting.folder.join("a"));
    let options = options("reno");
    let (mut quiet, mut also) = (|_| {}, |_| {});
    let get = dumbbell_transfer::get(&setting.peer, &file, &out, &options, &mut quiet);
    let put = put(&setting.peer, &out, &file, &options, &mut also);
    let sizes = [size_of_val(&get), size_of_val(&put)];
    assert!(sizes.iter().all(|size| *size < 2000), "{sizes:?}");
}
