//! qlog files, as qvis reads them.
//!
//! quinn writes them, with some values that qlog 0.3 has otherwise. Each record is corrected on its way to the file:
//!
//! * round-trip times are in milliseconds, and quinn writes seconds;
//! * `group_id` goes: the file is of one connection, quinn writes the first packets with the identifier that the client made up
//!   and the rest with the server's, and qvis makes a trace of each group;
//! * the vantage point is the client or the server, and quinn writes `unknown`;
//! * the size of a packet is `raw.length`, and quinn writes it into the header;
//! * `trigger` of a lost packet goes: quinn writes `reordering_threshold`, whatever it was;
//! * a packet that came gets its size and its acknowledgements, of which quinn writes nothing.

mod frames;
mod keys;
mod tap;

use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use quinn::{QlogConfig, QlogStream};
use serde_json::{Value, json};

use crate::error::Error;

pub(crate) use tap::Heard;

/// The end that writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vantage {
    Client,
    Server,
}

/// A qlog file of one connection, whose TLS is wrapped ([`Heard::client`], [`Heard::server`]).
pub(crate) fn at(
    path: &Path,
    title: &str,
    vantage: Vantage,
    heard: &Heard,
) -> Result<QlogStream, Error> {
    let file = File::create(path).map_err(|error| Error::file(path, &error))?;
    let mut config = QlogConfig::default();
    config
        .writer(Box::new(Corrected {
            out: file,
            record: Vec::new(),
            vantage,
            heard: heard.clone(),
        }))
        .title(Some(title.to_owned()));
    let stream = config.into_stream();
    stream.ok_or_else(|| Error::Local(format!("{}: it cannot be written", path.display())))
}

/// A qlog file of one connection of a server, in a folder.
pub(crate) fn in_folder(
    folder: &Path,
    peer: SocketAddr,
    heard: &Heard,
) -> Result<QlogStream, Error> {
    static NUMBER: AtomicU64 = AtomicU64::new(1);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{}-{number}.qlog", std::process::id()));
    let title = format!("dumbbell transfer serve, with {peer}");
    at(&path, &title, Vantage::Server, heard)
}

/// Corrects the records that are written to it. Each is a line, with a record separator before it (RFC 7464).
struct Corrected<W: Write> {
    out: W,
    record: Vec<u8>,
    vantage: Vantage,
    heard: Heard,
}

impl<W: Write> Write for Corrected<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.record.extend(piece);
            if piece.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Corrected<W> {
    fn pass(&mut self) -> io::Result<()> {
        let text = self.record.strip_prefix(b"\x1e").unwrap_or(&self.record);
        let mut record: Value = serde_json::from_slice(text)?;
        correct(&mut record, self.vantage);
        if record["name"] == "transport:packet_received" {
            complete(&mut record["data"], &self.heard);
        }
        self.record.clear();
        self.record.push(b'\x1e');
        serde_json::to_writer(&mut self.record, &record)?;
        self.record.push(b'\n');
        // At once, so that the file is whole whenever the process ends.
        let written = self.out.write_all(&self.record);
        self.record.clear();
        written
    }
}

fn correct(record: &mut Value, vantage: Vantage) {
    if let Some(trace) = record.get_mut("trace") {
        trace["vantage_point"] = match vantage {
            Vantage::Client => json!({ "type": "client" }),
            Vantage::Server => json!({ "type": "server" }),
        };
    }
    if let Some(fields) = record.as_object_mut() {
        fields.remove("group_id");
    }
    let Some(data) = record.get_mut("data").and_then(Value::as_object_mut) else {
        return;
    };
    for key in ["min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"] {
        if let Some(seconds) = data.get(key).and_then(Value::as_f64) {
            data.insert(key.to_owned(), json!(seconds * 1e3));
        }
    }
    data.remove("trigger");
    let header = data.get_mut("header").and_then(Value::as_object_mut);
    if let Some(length) = header.and_then(|header| header.remove("length")) {
        data.insert("raw".to_owned(), json!({ "length": length }));
    }
}

/// Adds the size and the acknowledgements of a packet that came.
fn complete(data: &mut Value, heard: &Heard) {
    let header = &data["header"];
    let (kind, number) = (&header["packet_type"], &header["packet_number"]);
    let packet = kind.as_str().zip(number.as_u64());
    if let Some(packet) = packet.and_then(|(kind, number)| heard.take(kind, number)) {
        data["raw"] = json!({ "length": packet.length });
        if !packet.acks.is_empty() {
            data["frames"] = packet.acks.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_corrected_however_they_are_cut() {
        let text = "\x1e{\"trace\":{\"vantage_point\":{\"type\":\"unknown\"}}}\n\
            \x1e{\"data\":{\"min_rtt\":0.0625,\"pto_count\":1},\"group_id\":\"7f\"}\n\
            \x1e{\"data\":{\"header\":{\"packet_number\":7,\"length\":1200},\"trigger\":\"reordering_threshold\"}}\n";
        let right = "\x1e{\"trace\":{\"vantage_point\":{\"type\":\"server\"}}}\n\
            \x1e{\"data\":{\"min_rtt\":62.5,\"pto_count\":1}}\n\
            \x1e{\"data\":{\"header\":{\"packet_number\":7},\"raw\":{\"length\":1200}}}\n";
        for piece in [1, 7, 1000] {
            let mut out = Corrected {
                out: Vec::new(),
                record: Vec::new(),
                vantage: Vantage::Server,
                heard: Heard::default(),
            };
            for some in text.as_bytes().chunks(piece) {
                out.write_all(some).expect("memory");
            }
            assert_eq!(String::from_utf8_lossy(&out.out), right);
        }
    }
}
