//! `dumbbell transfer`, as processes: its commands, its files, its exit codes. What peers may do to each other is tested
//! in the crate `dumbbell-transfer`.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

const TOKEN: &str = "a-word-of-our-own";

fn dumbbell() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dumbbell"));
    command.env_remove("DUMBBELL_TOKEN");
    command
}

/// The exit code, standard output, standard error.
fn output(command: &mut Command) -> (i32, String, String) {
    let done = command.output().expect("the command");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = done.status.code().expect("it was not killed");
    (code, text(done.stdout), text(done.stderr))
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("transfer-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("results")).expect("a folder of our own");
    path
}

/// A server, and what it says.
struct Server {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    address: String,
    pin: String,
}

impl Server {
    fn new(folder: &Path, more: &[&str]) -> Self {
        let mut command = dumbbell();
        command.args([
            "transfer",
            "serve",
            "results",
            "--listen",
            "127.0.0.1:0",
            "--json",
        ]);
        command.args(["--token", TOKEN]).args(more);
        let mut child = command
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let hello = lines.next().expect("a line").expect("text");
        let hello: Value = serde_json::from_str(&hello).expect("JSON");
        let word = |key: &str| hello[key].as_str().expect(key).to_owned();
        assert_eq!(word("token"), TOKEN);
        Self {
            child,
            lines,
            address: word("address"),
            pin: word("pin"),
        }
    }

    fn client(&self, folder: &Path, what: &[&str]) -> Command {
        let mut command = dumbbell();
        command
            .arg("transfer")
            .args(what)
            .args(["--pin", &self.pin]);
        command.env("DUMBBELL_TOKEN", TOKEN).current_dir(folder);
        command
    }

    fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }

    /// The next line.
    fn said(&mut self) -> Value {
        let line = self.lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Ends it by Ctrl-C. Returns the last line.
    fn end(mut self) -> Value {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &pid]).status();
        assert!(killed.expect("kill").success());
        let last = self.said();
        assert!(self.child.wait().expect("it ends").success());
        last
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn files_go_both_ways_with_statistics_samples_and_qlog() {
    let folder = folder("both");
    let data: Vec<u8> = (0..2_000_000_u32).map(|n| (n ^ (n >> 8)) as u8).collect();
    fs::write(folder.join("results/a.bin"), &data).expect("ours");
    let mut server = Server::new(&folder, &["--allow-put", "--control", "westwood+"]);
    let at = server.at("a.bin");
    let get = [
        "get",
        &at,
        "--json",
        "--samples",
        "s.csv",
        "--sample-every",
        "1 ms",
    ];
    let (code, out, err) = output(&mut server.client(&folder, &get));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(fs::read(folder.join("a.bin")).expect("it is there") == data);
    let report = parse(&out);
    assert_eq!(report["complete"], true);
    assert_eq!(report["sender"]["control"], "westwood+");
    assert!(report["goodput_bps"].as_f64().expect("a rate") > 0.0);
    assert!(report["sender"]["samples"].is_null());
    let samples = fs::read_to_string(folder.join("s.csv")).expect("it is written");
    assert!(samples.starts_with("at_s,window_bytes,"), "{samples}");
    assert!(samples.lines().count() > 2, "{samples}");
    assert_eq!(server.said()["report"]["complete"], true);

    let at = server.at("");
    let put = [
        "put",
        "b.bin",
        &at,
        "--control",
        "quinn:cubic",
        "--samples",
        "s.json",
        "--qlog",
        "b.qlog",
    ];
    fs::rename(folder.join("a.bin"), folder.join("b.bin")).expect("ours");
    let (code, out, err) = output(&mut server.client(&folder, &put));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.contains("b.bin: 2000000 bytes, complete") && out.contains("quinn:cubic: "),
        "{out}"
    );
    assert!(fs::read(folder.join("results/b.bin")).expect("it is there") == data);
    let samples = fs::read_to_string(folder.join("s.json")).expect("it is written");
    assert!(parse(&samples)[0]["window_bytes"].as_u64() > Some(0));
    assert!(
        fs::metadata(folder.join("b.qlog"))
            .expect("it is written")
            .len()
            > 10_000
    );
    server.said();
    let tally = server.end();
    assert_eq!(tally["tally"]["transfers"], 2);
    assert_eq!(tally["tally"]["bytes"], 4_000_000);
}

#[test]
fn a_file_is_not_replaced_unless_it_may_be() {
    let folder = folder("force");
    fs::write(folder.join("results/a"), "new").expect("ours");
    fs::write(folder.join("a"), "old").expect("ours");
    let server = Server::new(&folder, &[]);
    let at = server.at("a");
    let (code, _, err) = output(&mut server.client(&folder, &["get", &at]));
    assert_eq!(code, 2);
    assert!(
        err.contains("a is there already") && err.contains("--force"),
        "{err}"
    );
    let (code, _, err) = output(&mut server.client(&folder, &["get", &at, "--force"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::read(folder.join("a")).expect("it is there"), b"new");
}

#[test]
fn a_server_that_refuses_says_why() {
    let folder = folder("refused");
    let server = Server::new(&folder, &[]);
    let at = server.at("none");
    let (code, _, err) = output(&mut server.client(&folder, &["get", &at]));
    assert_eq!(code, 3);
    assert!(err.contains("there is no file `none`"), "{err}");
    let get = ["get", &at, "--token", "not-the-token"];
    let (code, _, err) = output(&mut server.client(&folder, &get));
    assert_eq!(code, 3);
    assert!(err.contains("--token"), "{err}");
    fs::write(folder.join("a"), "a").expect("ours");
    let (code, _, err) = output(&mut server.client(&folder, &["put", "a", &server.at("")]));
    assert_eq!(code, 3);
    assert!(err.contains("--allow-put"), "{err}");
    let tally = server.end();
    assert_eq!(tally["tally"]["wrong_tokens"], 1);
}

#[test]
fn bad_input_is_told_with_code_2() {
    let folder = folder("bad");
    let pin = "0".repeat(64);
    let get = |more: &[&str]| {
        let mut command = dumbbell();
        command
            .args(["transfer", "get"])
            .args(more)
            .current_dir(&folder);
        output(&mut command)
    };
    let place = "127.0.0.1:9/a";
    let token = ["--token", TOKEN];
    let cases: [(&[&str], &str); 8] = [
        (&["no-place", "--pin", &pin], "HOST:PORT/NAME"),
        (&["127.0.0.1:9/../a", "--pin", &pin], "`.` or `..`"),
        (
            &["127.0.0.1:9/", "--pin", &pin, token[0], token[1]],
            "name of the file is missing",
        ),
        (&[place, "--pin", "0123"], "64 hexadecimal digits"),
        (&[place, "--pin", &pin], "DUMBBELL_TOKEN"),
        (
            &[place, "--pin", &pin, "--token", "short"],
            "12 to 128 characters",
        ),
        (
            &[place, "--pin", &pin, token[0], token[1], "--control", "bbr"],
            "it can run",
        ),
        (
            &[
                place,
                "--pin",
                &pin,
                token[0],
                token[1],
                "--samples",
                "s.txt",
            ],
            ".csv or .json",
        ),
    ];
    // Where the file cannot be written, nobody is asked for it.
    let out = |path: &'static str| {
        [
            place, "--pin", &pin, token[0], token[1], "--force", "--out", path,
        ]
    };
    let outs = [
        (out("no/such/folder/a"), "there is no folder no/such/folder"),
        (out("."), "it is a folder"),
        (out("/dev/null"), "a pipe or a device"),
    ];
    let outs = outs.iter().map(|(arguments, part)| (&arguments[..], *part));
    for (arguments, part) in cases.into_iter().chain(outs) {
        let (code, out, err) = get(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
    let (code, _, err) = output(dumbbell().args(["transfer", "serve", "no/such/folder"]));
    assert_eq!(code, 2);
    assert!(err.contains("no/such/folder"), "{err}");
    let serve = ["transfer", "serve", "results", "--qlog", "no/such/folder"];
    let (code, _, err) = output(dumbbell().args(serve).current_dir(&folder));
    assert_eq!(code, 2);
    assert!(err.contains("is not there: make it first"), "{err}");
    let put = ["transfer", "put", "no-file", "127.0.0.1:9/", "--pin", &pin];
    let (code, _, err) = output(dumbbell().args(put).args(token).current_dir(&folder));
    assert_eq!(code, 2);
    assert!(err.contains("there is no file no-file"), "{err}");
    assert!(
        fs::read_dir(&folder).expect("ours").count() == 1,
        "nothing is left behind"
    );
}

#[test]
fn ctrl_c_keeps_what_has_arrived() {
    let folder = folder("ctrl-c");
    let large = fs::File::create(folder.join("results/large")).expect("ours");
    large.set_len(1 << 40).expect("a sparse file");
    let server = Server::new(&folder, &[]);
    let mut client = server.client(&folder, &["get", &server.at("large")]);
    let mut client = client.stderr(Stdio::piped()).spawn().expect("the client");
    let part = folder.join("large.part");
    let length = || fs::metadata(&part).map_or(0, |part| part.len());
    while length() < 1_000_000 {
        assert!(client.try_wait().expect("ours").is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = client.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .expect("kill")
            .success()
    );
    assert_eq!(client.wait().expect("it ends").code(), Some(130));
    let mut err = String::new();
    client
        .stderr
        .take()
        .expect("piped")
        .read_to_string(&mut err)
        .expect("text");
    assert!(err.contains("interrupted"), "{err}");
    let before = length();
    let get = ["get", &server.at("large"), "--for", "300 ms", "--json"];
    let (code, out, err) = output(&mut server.client(&folder, &get));
    assert_eq!(code, 0, "{err}");
    let report = parse(&out);
    assert_eq!(
        (&report["complete"], report["resumed_from"].as_u64()),
        (&Value::Bool(false), Some(before))
    );
    fs::remove_file(&part).expect("ours");
}

/// Bytes that do not repeat soon.
fn noise(length: u32) -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        // Numerical Recipes' generator.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(next).collect()
}

/// SIGKILL at moments that have nothing to do with what the ends are doing, each a little later than the one before. Every
/// third time the server is killed, too.
#[test]
fn a_transfer_that_is_killed_again_and_again_arrives_whole() {
    let folder = folder("again");
    let data = noise(48_000_000);
    fs::write(folder.join("results/a"), &data).expect("ours");
    fs::write(folder.join("mine"), &data).expect("ours");
    for (command, arrived) in [
        (["get", "a", "--out=got", "--force"], "got"),
        (["put", "mine", "b", "--quiet"], "results/b"),
    ] {
        let mut server = Server::new(&folder, &["--allow-put"]);
        let (mut kills, mut wait) = (0, std::time::Duration::from_millis(30));
        loop {
            let mut words = command.map(str::to_owned);
            let place = usize::from(words[0] == "put") + 1;
            words[place] = server.at(&words[place]);
            let words = words.each_ref().map(String::as_str);
            let mut client = server.client(&folder, &words);
            client.stdout(Stdio::null()).stderr(Stdio::piped());
            let mut client = client.spawn().expect("the client");
            std::thread::sleep(wait);
            if client.try_wait().expect("ours").is_some() {
                let done = client.wait_with_output().expect("it has ended");
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert!(done.status.success(), "{command:?}: {said}");
                break;
            }
            client.kill().expect("it runs");
            client.wait().expect("it ends");
            kills += 1;
            wait = wait.mul_f64(1.17);
            if kills % 3 == 0 {
                server = Server::new(&folder, &["--allow-put"]);
            }
            assert!(kills < 40, "{command:?}: it does not get on");
        }
        println!("{command:?}: {kills} kills");
        assert!(kills > 2, "{command:?}: {kills}");
        assert!(fs::read(folder.join(arrived)).expect("it is there") == data);
    }
    for part in ["got.part", "results/b.part"] {
        assert!(!folder.join(part).exists(), "{part}");
    }
}

/// The commands of docs/transfer.md, in their order.
#[test]
fn the_commands_of_the_page_work() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/transfer.md");
    let page = fs::read_to_string(page).expect("the page");
    let blocks = page.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    let commands: Vec<&str> = lines
        .filter(|line| line.starts_with("dumbbell transfer "))
        .collect();
    let folder = folder("page");
    fs::write(folder.join("results/runs.csv"), "a,b\n1,2\n".repeat(1000)).expect("ours");
    fs::write(folder.join("more.csv"), "c\n3\n".repeat(1000)).expect("ours");
    let server = Server::new(&folder, &["--allow-put"]);
    let mut clients = 0;
    for command in commands {
        let words = command.replace("192.0.2.1:4433", &server.address);
        let words = words.replace("$PIN", &server.pin).replace("$TOKEN", TOKEN);
        let words: Vec<&str> = words
            .split(" #")
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .skip(1)
            .collect();
        if words[1] == "serve" {
            // It would not end: its arguments are right if `--help` after them is help.
            let (code, _, err) = output(dumbbell().args(&words).arg("--help").current_dir(&folder));
            assert_eq!(code, 0, "{command}: {err}");
            continue;
        }
        clients += 1;
        let (code, _, err) = output(dumbbell().args(&words).current_dir(&folder));
        assert_eq!(code, 0, "{command}: {err}");
    }
    assert!(clients >= 4, "{clients}");
}

#[test]
fn every_command_has_help_with_examples() {
    for command in ["serve", "get", "put"] {
        let (code, out, _) = output(dumbbell().args(["transfer", command, "--help"]));
        assert_eq!(code, 0);
        assert!(out.contains("Examples:\n  dumbbell transfer "), "{out}");
        let (_, same, _) = output(dumbbell().args(["transfer", "help", command]));
        assert_eq!(out, same);
    }
    let (code, out, _) = output(dumbbell().args(["completions", "bash"]));
    assert_eq!(code, 0);
    assert!(out.contains("--allow-put"));
}
