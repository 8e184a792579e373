//! A QUIC program of one's own: a project with the dependencies that the page of our crate names and the two programs that
//! come with it, built and run. The dependencies have the versions of this repository's lock file.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::place::{cargo, folder, success};

/// Our crate behind a stack, its folder, and its programs: the server and the client.
const STACKS: [(&str, &str, [&str; 2]); 3] = [
    ("dumbbell-quinn", "quinn", ["server", "client"]),
    ("dumbbell-noq", "noq", ["noq_server", "noq_client"]),
    (
        "dumbbell-s2n-quic",
        "s2n-quic",
        ["s2n_server", "s2n_client"],
    ),
];

#[test]
#[ignore = "builds three programs, which takes minutes"]
fn the_two_programs_of_each_page_run_in_a_project_of_ones_own() {
    let folder = folder("quic");
    for (name, of, programs) in STACKS {
        let project = project(&folder, name, of, &programs);
        // What they have in common is built once.
        let target = folder.join("target");
        success(&mut cargo(
            &project,
            &target,
            &["build", "--quiet", "--bins"],
        ));
        let [server, client] = programs.map(|program| target.join("debug").join(program));
        let server = Server::start(&project, &server);
        let mut client = Command::new(client);
        client.current_dir(&project);
        let said = success(client.args([&server.address, "veno", "3000000"]));
        println!("{name}: {}", said.trim());
        assert!(said.starts_with("veno: "), "{name}: {said}");
    }
    fs::remove_dir_all(&folder).expect("ours");
}

/// Makes the project that the page of a crate describes.
fn project(folder: &Path, name: &str, of: &str, programs: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("this repository");
    let page = fs::read_to_string(root.join("crates").join(of).join("README.md"));
    let page = page.expect("the page");
    let mut blocks = page.split("```toml\n").skip(1);
    let wanted = blocks.next().and_then(|rest| rest.split("```").next());
    let wanted = wanted.expect("the page has the dependencies");
    // The page's project is beside a clone of the repository.
    let here = root.to_str().expect("a name");
    let wanted = wanted.replace("../dumbbell/", &format!("{here}/"));
    assert!(
        wanted.contains(&format!("{name} = {{ path = \"{here}/")),
        "{wanted}"
    );

    let project = folder.join(format!("my-{of}"));
    let sources = project.join("src/bin");
    fs::create_dir_all(&sources).expect("ours");
    let package = "[package]\nname = \"my-program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n";
    fs::write(project.join("Cargo.toml"), format!("{package}{wanted}")).expect("ours");
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).expect("ours");
    for program in programs {
        let file = format!("{program}.rs");
        let example = root.join("crates").join(of).join("examples").join(&file);
        fs::copy(example, sources.join(file)).expect("the page names it");
    }
    project
}

/// A running server.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(project: &Path, program: &Path) -> Self {
        let mut child = Command::new(program)
            .current_dir(project)
            .arg("127.0.0.1:0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server");
        let out = child.stdout.take().expect("piped");
        let hello = BufReader::new(out).lines().next().expect("a line");
        let hello = hello.expect("text");
        // `at 127.0.0.1:PORT; its certificate is in ...`
        let address = hello
            .strip_prefix("at ")
            .and_then(|it| it.split(';').next());
        let address = address.expect(&hello).to_owned();
        Self { child, address }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
