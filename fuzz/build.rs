//! Compiles the C code of the targets `twin` and `options`. Undefined behaviour in C ends the
//! program.

use std::path::Path;

fn main() {
    let bpf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bpf");
    println!("cargo::rerun-if-changed={}", bpf.display());
    cc::Build::new()
        .files(["twin.c", "helpers.c", "option.c"].map(|file| bpf.join("host").join(file)))
        .flags(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"])
        .flags(["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"])
        .compile("twin");
}
