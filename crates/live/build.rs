//! With the feature `kernel`: compiles bpf/*.bpf.c to objects, which the crate embeds.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// What a build with the feature needs, in one line.
const SET_UP: &str =
    "apt-get install clang gcc make pkg-config libelf-dev zlib1g-dev linux-libc-dev";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=CLANG");
    let linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if env::var_os("CARGO_FEATURE_KERNEL").is_none() || !linux {
        return;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf");
    println!("cargo:rerun-if-changed={}", sources.display());
    let Ok(headers) = env::var("DEP_BPF_INCLUDE") else {
        fail("libbpf-sys did not say where its headers are");
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    // Only for measurements, the kernel's CUBIC behind counting programs; only for a test, a control that
    // sets a rate.
    let more = ["host/cubic.bpf.c", "host/paced.bpf.c"].map(|file| sources.join(file));
    for source in programs(&sources).into_iter().chain(more) {
        let name = source.file_stem().expect("it ends with .bpf.c");
        compile(
            &source,
            &out.join(name).with_extension("bpf.o"),
            &sources,
            &headers,
        );
    }
}

/// Returns the files that end with `.bpf.c`.
fn programs(directory: &Path) -> Vec<PathBuf> {
    let entries = directory.read_dir();
    let entries = entries.unwrap_or_else(|e| fail(&format!("{}: {e}", directory.display())));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .filter(|path| path.to_string_lossy().ends_with(".bpf.c"))
        .collect()
}

fn compile(source: &Path, object: &Path, sources: &Path, headers: &str) {
    let clang = env::var_os("CLANG").unwrap_or_else(|| OsString::from("clang"));
    let name = source.strip_prefix(sources).expect("it lies in it");
    let mut command = Command::new(&clang);
    command
        .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
        // Keeps absolute paths of the build machine out of the object.
        .current_dir(sources)
        .arg("-fdebug-compilation-dir=bpf")
        .arg(format!("-fdebug-prefix-map={headers}=libbpf"))
        .args(["-I", ".", "-I", headers]);
    // Debian and Ubuntu have <asm/types.h> in a directory per architecture.
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets it");
    command
        .arg("-idirafter")
        .arg(format!("/usr/include/{architecture}-linux-gnu"));
    command.arg("-c").arg(name).arg("-o").arg(object);
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => fail(&format!(
            "cannot run {}, which compiles {}: {e}",
            clang.to_string_lossy(),
            source.display()
        )),
    };
    if !output.status.success() {
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        fail(&format!(
            "clang refuses {}:\n{complaints}",
            source.display()
        ));
    }
}

fn fail(why: &str) -> ! {
    eprintln!("the feature `kernel` of dumbbell-live cannot be built: {why}");
    eprintln!("on Debian and Ubuntu it needs: {SET_UP}");
    eprintln!("(CLANG names another clang than the first in PATH)");
    exit(1);
}
