//! Requests to the kernel over netlink, and its replies.

use std::convert::Infallible;
use std::io;

use netlink_packet_core::{
    DefaultNla, Emitable as _, NLA_TYPE_MASK, NLM_F_MULTIPART, NLM_F_REQUEST,
    NetlinkDeserializable, NetlinkHeader, NetlinkMessage, NetlinkPayload, NetlinkSerializable,
    NlasIterator,
};
use netlink_sys::Socket;

/// The contents of a message: a struct of the kernel, then attributes.
pub(crate) struct Message {
    kind: u16,
    body: Vec<u8>,
}

impl Message {
    pub(crate) fn new(kind: u16, fixed: &[u8]) -> Self {
        Self {
            kind,
            body: fixed.to_vec(),
        }
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, kind: u16, value: &[u8]) -> Self {
        self.body.extend(attribute(kind, value));
        self
    }

    /// Returns the struct and the bytes of the attributes after it.
    ///
    /// # Errors
    /// If the message is shorter than the struct.
    pub(crate) fn read<const LENGTH: usize>(&self) -> io::Result<(&[u8; LENGTH], &[u8])> {
        let parts = self.body.split_first_chunk();
        parts.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// The bytes of an attribute, for an attribute that contains others.
pub(crate) fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let attribute = DefaultNla::new(kind, value.to_vec());
    let mut bytes = vec![0; attribute.buffer_len()];
    attribute.emit(&mut bytes);
    bytes
}

/// The kinds and values of attributes, up to the first that is cut off.
pub(crate) fn attributes(bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    NlasIterator::new(bytes).map_while(Result::ok).map(|one| {
        let bytes = one.into_inner();
        let header = bytes.first_chunk::<4>().copied().unwrap_or_default();
        let length = usize::from(u16::from_ne_bytes([header[0], header[1]]));
        let kind = u16::from_ne_bytes([header[2], header[3]]) & NLA_TYPE_MASK;
        (kind, bytes.get(4..length).unwrap_or_default())
    })
}

/// Sends a request in the network namespace of the calling thread, and returns the replies. `flags` are
/// those besides NLM_F_REQUEST. There is no reply if the kernel only acknowledges the request.
pub(crate) fn request(protocol: isize, wanted: Message, flags: u16) -> io::Result<Vec<Message>> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(wanted));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    let mut socket = Socket::new(protocol)?;
    socket.bind_auto()?;
    socket.send(&bytes, 0)?;
    let mut told = Vec::new();
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        let mut rest = datagram.as_slice();
        while !rest.is_empty() {
            let message = NetlinkMessage::<Message>::deserialize(rest)
                .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason.to_string()))?;
            // Messages begin at multiples of four bytes.
            let length = (message.header.length as usize).next_multiple_of(4);
            rest = rest.get(length.max(1)..).unwrap_or_default();
            match message.payload {
                NetlinkPayload::InnerMessage(one) => {
                    told.push(one);
                    if message.header.flags & NLM_F_MULTIPART == 0 {
                        return Ok(told);
                    }
                }
                NetlinkPayload::Done(_) => return Ok(told),
                NetlinkPayload::Error(error) if error.code.is_none() => return Ok(told),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                _ => {}
            }
        }
    }
}

impl NetlinkSerializable for Message {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        self.body.len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.body);
    }
}

impl NetlinkDeserializable for Message {
    type Error = Infallible;

    fn deserialize(header: &NetlinkHeader, body: &[u8]) -> Result<Self, Infallible> {
        Ok(Self::new(header.message_type, body))
    }
}
