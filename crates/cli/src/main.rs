//! The command `dumbbell`.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    dumbbell::main()
}
