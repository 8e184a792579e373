//! Workloads: a pair of hosts between which connections come and go, and the application that opens them.

pub(crate) mod lines;
mod report;
mod requests;
mod size;
mod transfers;
mod video;

use crate::document::Table;
use crate::form::Form;
use crate::tcp::{Size, Tcp};
use crate::text::Lines;

pub use report::SizeClasses;
pub use requests::{Requests, Think};
pub use size::{BoundedPareto, Lognormal, SizeLaw, SizeList, Sizes};
pub use transfers::{Arrivals, Pace, Spacing, TransferTrace, Transfers};
pub use video::{Ladder, Video};

pub(crate) use size::SizeLaw as Laws;

/// An application that opens TCP connections between a sender and a receiver, one after the other or many at
/// the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The TCP of each connection; its `size` does not count.
    pub tcp: Tcp,
    /// What opens connections.
    pub application: Application,
}

/// What opens connections, and how much each carries.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// Transfers that arrive by themselves, each on its own connection.
    Transfers(Transfers),
    /// A client that requests responses from a server, one after the other.
    Requests(Requests),
    /// A client that plays a video, which it requests in chunks.
    Video(Video),
}

/// The keys that make a TCP flow a workload.
pub(crate) const KEYS: &[&str] = &[transfers::KEY, requests::KEY, video::KEY];

/// The entries of the catalogue: the notation in files, and a summary.
pub(crate) const ENTRIES: [(&str, &str); 3] = [transfers::ENTRY, requests::ENTRY, video::ENTRY];

impl Application {
    /// Returns the key in files, which is also the default name of a flow.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Transfers(_) => transfers::KEY,
            Self::Requests(_) => requests::KEY,
            Self::Video(_) => video::KEY,
        }
    }

    /// Returns the classes by which transfers are summarised, and whether each is listed.
    pub fn report(&self) -> (&SizeClasses, bool) {
        match self {
            Self::Transfers(it) => (&it.classes, it.list),
            Self::Requests(it) => (&it.classes, it.list),
            Self::Video(it) => (&it.classes, it.list),
        }
    }

    /// Reads the application of a flow; `None` if it has none, or a wrong one. Several are a mistake.
    pub(crate) fn read(table: &Table<'_>) -> Option<Self> {
        match table.present(KEYS)[..] {
            [] => None,
            [first, second, ..] => {
                table.find(second)?.wrong(
                    format!("a flow has both `{first}` and `{second}`"),
                    "keep one; two applications are two flows",
                );
                None
            }
            [key] => {
                let node = table.find(key)?;
                match key {
                    transfers::KEY => transfers::read(&node).map(Self::Transfers),
                    requests::KEY => requests::read(&node).map(Self::Requests),
                    _ => video::read(&node).map(Self::Video),
                }
            }
        }
    }
}

impl Workload {
    /// Makes a workload of a TCP flow with an application. Mistakes are recorded in the flow's table.
    pub(crate) fn new(tcp: Tcp, application: Application, table: &Table<'_>) -> Option<Self> {
        let key = application.key();
        let refuse = |of: &'static str, what: &str, help: &str| {
            let message = format!("a flow with `{key}` has no {what}");
            match table.find(of) {
                Some(node) => node.wrong(message, help),
                None => table.wrong(message, help),
            }
        };
        let mut valid = true;
        if tcp.size != Size::Unlimited {
            valid = false;
            refuse(
                "size",
                "`size` of its own",
                "the application determines what is sent; leave it out, or write size = \"unlimited\" if `[tcp]` sets another one",
            );
        }
        if tcp.is_quic() {
            valid = false;
            refuse(
                "stack",
                "stack = \"quic\"",
                "its connections are TCP; write stack = \"plain\" if `[tcp]` sets another one",
            );
        }
        if tcp.ack_control.is_some() {
            valid = false;
            refuse(
                "ack_control",
                "ACK congestion control",
                "leave it out, or write ack_control = \"off\" if `[tcp]` sets it",
            );
        }
        if !tcp.classify.is_empty() {
            valid = false;
            refuse(
                "classify",
                "loss classifiers",
                "classifiers run beside a connection that lasts; write classify = [] if `[tcp]` sets some",
            );
        }
        if let Application::Requests(requests) = &application
            && requests.request > tcp.payload
        {
            valid = false;
            refuse(
                key,
                "requests of more than one segment",
                "`request` is at most `payload`",
            );
        }
        valid.then_some(Self { tcp, application })
    }

    /// Writes the keys.
    pub(crate) fn write(&self, out: &mut Lines) {
        self.tcp.write(out);
        let (key, value) = match &self.application {
            Application::Transfers(it) => (transfers::KEY, transfers::write(it)),
            Application::Requests(it) => (requests::KEY, requests::write(it)),
            Application::Video(it) => (video::KEY, video::write(it)),
        };
        out.set(key, value);
    }
}

/// Returns the keys as schemas.
pub(crate) fn forms() -> Vec<(&'static str, Form)> {
    vec![
        (transfers::KEY, transfers::form()),
        (requests::KEY, requests::form()),
        (video::KEY, video::form()),
    ]
}
