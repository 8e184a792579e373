//! A headless Chromium, controlled through its DevTools pipe.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::{Value, json};

/// The time limit of any operation: far longer than it takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A running browser, which ends when this is dropped.
pub(crate) struct Browser {
    child: Child,
    commands: ChildStdin,
    messages: Receiver<Value>,
    sent: u64,
    events: Vec<Value>,
    folder: PathBuf,
}

/// The properties of a window.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
    pub(crate) touch: bool,
}

/// A page in the browser.
pub(crate) struct Page<'a> {
    browser: &'a mut Browser,
    session: String,
}

/// Starts the installed browser: `$CHROMIUM`, or one of the usual names.
///
/// Without one the test is skipped, unless `DUMBBELL_REQUIRE_BROWSER=1`.
pub(crate) fn start(name: &str) -> Option<Browser> {
    let Some(program) = program() else {
        assert!(
            env::var_os("DUMBBELL_REQUIRE_BROWSER").is_none_or(|value| value != "1"),
            "DUMBBELL_REQUIRE_BROWSER=1, but there is no Chromium: set CHROMIUM to its path"
        );
        println!("skipped: no Chromium (set CHROMIUM to its path)");
        return None;
    };
    Some(Browser::start(&program, name))
}

fn program() -> Option<PathBuf> {
    if let Some(program) = env::var_os("CHROMIUM") {
        return Some(program.into());
    }
    let path = env::var_os("PATH")?;
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

impl Browser {
    fn start(program: &Path, name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("report-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the browser");
        // The browser reads commands from descriptor 3 and writes responses to descriptor 4.
        let mut child = Command::new("sh")
            .args([
                "-c",
                r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#,
            ])
            .arg(program)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox"])
            .args([
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let commands = child.stdin.take().expect("it is piped");
        let mut answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut text = Vec::new();
            while answers.read_until(0, &mut text).is_ok_and(|n| n > 0) {
                text.pop();
                let message = serde_json::from_slice(&text).expect("DevTools speak JSON");
                if sender.send(message).is_err() {
                    break;
                }
                text.clear();
            }
        });
        Self {
            child,
            commands,
            messages,
            sent: 0,
            events: Vec::new(),
            folder,
        }
    }

    /// A folder that exists as long as the browser.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a file in a new window.
    pub(crate) fn open(&mut self, file: &Path, window: Window) -> Page<'_> {
        let target = self.call("Target.createTarget", json!({ "url": "about:blank" }), None);
        let session = self.call(
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
            None,
        );
        let session = session["sessionId"].as_str().expect("a session").to_owned();
        let mut page = Page {
            browser: self,
            session,
        };
        for domain in ["Page.enable", "Network.enable"] {
            page.call(domain, json!({}));
        }
        page.resize(window);
        let scheme = if window.dark { "dark" } else { "light" };
        page.call(
            "Emulation.setEmulatedMedia",
            // Without animations nothing moves while the mouse is moved to it.
            json!({ "features": [
                { "name": "prefers-color-scheme", "value": scheme },
                { "name": "prefers-reduced-motion", "value": "reduce" },
            ] }),
        );
        page.call(
            "Page.navigate",
            json!({ "url": format!("file://{}", file.display()) }),
        );
        page.until("location.protocol === 'file:' && document.readyState === 'complete'");
        page
    }

    fn call(&mut self, method: &str, params: Value, session: Option<&str>) -> Value {
        self.sent += 1;
        let mut command = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        self.commands
            .write_all(format!("{command}\0").as_bytes())
            .expect("the browser listens");
        let begun = Instant::now();
        loop {
            let left = LIMIT.saturating_sub(begun.elapsed());
            let message = match self.messages.recv_timeout(left) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {method} within {LIMIT:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the browser ended at {method}"),
            };
            if message["id"] == self.sent {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser is first asked to end, so that it stops writing into the folder, and is
        // killed if it does not.
        let _ = self
            .commands
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let patience = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < patience {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        while fs::remove_dir_all(&self.folder).is_err() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Page<'_> {
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(method, params, Some(&self.session))
    }

    pub(crate) fn resize(&mut self, window: Window) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({
                "width": window.width, "height": window.height,
                "deviceScaleFactor": 1, "mobile": window.touch,
            }),
        );
        self.call(
            "Emulation.setTouchEmulationEnabled",
            json!({ "enabled": window.touch }),
        );
    }

    /// Evaluates an expression, and awaits the result if it is a promise.
    #[track_caller]
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({
                "expression": expression, "awaitPromise": true,
                "returnByValue": true, "userGesture": true,
            }),
        );
        assert_eq!(result["exceptionDetails"], Value::Null, "{expression}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.value(expression) != true {
            assert!(begun.elapsed() < LIMIT, "never true: {expression}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Moves the mouse to the centre of the element that an expression returns.
    #[track_caller]
    pub(crate) fn point_at(&mut self, element: &str) -> (f64, f64) {
        let place = self.value(&format!(
            "(() => {{ const r = {element}.getBoundingClientRect();
               return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        let (x, y) = (place[0].as_f64().expect("x"), place[1].as_f64().expect("y"));
        self.mouse("mouseMoved", x, y, 0);
        (x, y)
    }

    /// Points at an element until an expression is true, wherever the element moves meanwhile: what is above it
    /// may still be drawn. Returns where it was then.
    #[track_caller]
    pub(crate) fn point_until(&mut self, element: &str, expression: &str) -> (f64, f64) {
        let begun = Instant::now();
        loop {
            let (x, y) = self.point_at(element);
            if self.value(expression) == true {
                return (x, y);
            }
            assert!(begun.elapsed() < LIMIT, "never true: {expression}");
            thread::sleep(Duration::from_millis(50));
            // A pointer that does not move is not reported again.
            self.mouse("mouseMoved", x + 40.0, y + 40.0, 0);
        }
    }

    /// Scrolls to an element and clicks on it, once or more in quick succession.
    #[track_caller]
    pub(crate) fn click(&mut self, element: &str, times: u32) {
        self.value(&format!(
            "{element}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"
        ));
        let (x, y) = self.point_at(element);
        self.press(x, y, times);
    }

    /// Clicks on a position.
    pub(crate) fn press(&mut self, x: f64, y: f64, times: u32) {
        for count in 1..=times {
            self.mouse("mousePressed", x, y, count);
            self.mouse("mouseReleased", x, y, count);
        }
    }

    /// Points at an element and clicks on it until an expression is true: a click on what moves meanwhile is lost.
    #[track_caller]
    pub(crate) fn press_until(&mut self, element: &str, expression: &str) {
        let begun = Instant::now();
        loop {
            let (x, y) = self.point_at(element);
            thread::sleep(Duration::from_millis(100));
            self.press(x, y, 1);
            thread::sleep(Duration::from_millis(100));
            if self.value(expression) == true {
                return;
            }
            assert!(begun.elapsed() < LIMIT, "never true: {expression}");
            self.mouse("mouseMoved", x + 40.0, y + 40.0, 0);
        }
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64, count: u32) {
        let button = if count > 0 { "left" } else { "none" };
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": count }),
        );
    }

    pub(crate) fn key(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code }),
            );
        }
    }

    /// The addresses that the page has requested.
    pub(crate) fn requests(&self) -> Vec<String> {
        let events = self.browser.events.iter();
        events
            .filter(|e| {
                e["sessionId"] == self.session && e["method"] == "Network.requestWillBeSent"
            })
            .map(|e| {
                e["params"]["request"]["url"]
                    .as_str()
                    .unwrap_or("?")
                    .to_owned()
            })
            .collect()
    }

    /// Sets the folder for downloads.
    pub(crate) fn save_to(&mut self, folder: &Path) {
        self.browser.call(
            "Browser.setDownloadBehavior",
            json!({ "behavior": "allow", "downloadPath": folder }),
            None,
        );
    }
}
