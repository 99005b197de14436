//! The SQLite telemetry both processes write.
