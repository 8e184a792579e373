//! How fast a TCP of given loss rate and round-trip time would be.
