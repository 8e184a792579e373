-- A store as version 1 had it: outcomes as JSON, samples in another form.
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN;
CREATE TABLE build (
    id INTEGER PRIMARY KEY,
    fingerprint BLOB NOT NULL UNIQUE,
    version TEXT NOT NULL,
    used INTEGER NOT NULL
);
CREATE TABLE scenario (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
);
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    scenario INTEGER NOT NULL REFERENCES scenario,
    seed INTEGER NOT NULL,
    build INTEGER NOT NULL REFERENCES build,
    outcome TEXT NOT NULL,
    series BLOB,
    UNIQUE (scenario, seed, build)
);
INSERT INTO build VALUES (1, zeroblob(32), '0.1.0', 1790000000);
INSERT INTO scenario VALUES (1, zeroblob(32), 'duration = "10 s"');
INSERT INTO run VALUES (1, 1, 7, 1, '{"flows":[],"links":[],"packets":0,"events":1,"seed":7,"version":"0.1.0","wall_s":0.1,"cpu_s":0.1}', x'0000');
PRAGMA application_id = 0x64756d62;
PRAGMA user_version = 1;
COMMIT;
