//! An invented report for tests, with names that try to break the page.

use super::{
    Document, Drawing, Exploration, Flip, JudgedClaim, Judgement, Kind, Lane, Mark, Marks, Paper,
    PointFile, Reading, Rows, Run, Section, Series, Standing, Verdict, claim as claims,
};

/// A name that would end a script, an attribute or a text if it were not escaped.
pub(crate) const HOSTILE: &str = "</script><script>throw 'in'</script><img src=x onerror=\"throw 'in'\">'&amp;{{title}}%{x}<b>$x$";

/// Two papers. The first has a figure with four curves, an added one with nine curves and hostile
/// names, and one with a single point. The second has a figure without intervals and claims, an
/// empty drawing, bars, and a map.
pub(crate) fn document() -> Document {
    let mut hostile = section("odd <one> & \"two\"", 9, &[1.0, 2.0, 3.0], (7, 9));
    hostile.title = HOSTILE.to_owned();
    hostile.about = HOSTILE.to_owned();
    hostile.added = true;
    hostile.drawings[0].series[0].name = HOSTILE.to_owned();
    hostile.drawings[0].x_label = HOSTILE.to_owned();
    hostile.drawings[0].y_label = HOSTILE.to_owned();
    hostile
        .parameters
        .push((HOSTILE.to_owned(), HOSTILE.to_owned()));
    for point in hostile.points.iter_mut().filter(|p| p.series == "C0") {
        point.series = HOSTILE.to_owned();
        point.text = format!("# {HOSTILE}\n");
        point.file = "-a b's.toml".to_owned();
    }
    let mut claim = claim(HOSTILE, Verdict::Untestable);
    claim.text = HOSTILE.to_owned();
    claim.source = HOSTILE.to_owned();
    claim.judgement.evidence = HOSTILE.to_owned();
    claim.judgement.paper = HOSTILE.to_owned();
    hostile.claims = vec![claim];

    let mut main = section("one-fig2", 4, &[1e-4, 1e-3, 1e-2, 1e-1], (1, 10));
    main.drawings[0].log_x = true;
    let mut second = main.drawings[0].clone();
    second.stem = "one-fig2-goodput".to_owned();
    second.title = HOSTILE.to_owned();
    second.y_label = "goodput, kb/s".to_owned();
    main.drawings.push(second);
    main.claims = Verdict::ALL
        .map(|v| self::claim(&v.to_string(), v))
        .to_vec();
    main.claims[0].points = vec![0, 2];
    main.claims[1].judgement.firm = false;
    main.claims[2].recorded = Some(Verdict::Holds);
    main.claims[3].recorded = Some(Verdict::Untestable);

    let single = section("one-fig3", 1, &[20.0], (1, 5));
    let mut bare = section("two-fig1", 2, &[0.0, 50.0, 100.0], (1, 1));
    bare.about = String::new();
    bare.parameters.clear();
    bare.drawings[0].series[1].y[1] = f64::NAN;
    let mut empty = bare.drawings[0].clone();
    empty.stem = "two-fig1-empty".to_owned();
    empty.series.clear();
    bare.drawings.push(empty);
    bare.drawings[0].marks = Some(marks());
    let mut bars = hostile.drawings[0].clone();
    bars.stem = "two-fig1-bars".to_owned();
    bars.kind = Kind::Bars;
    let mut map = bars.clone();
    bare.drawings.push(bars);
    map.stem = "two-fig1-map".to_owned();
    map.kind = Kind::Map;
    map.rows = Some(Rows {
        label: HOSTILE.to_owned(),
        names: map.series.iter().map(|s| s.name.clone()).collect(),
    });
    bare.drawings.push(map);

    Document {
        run: Run {
            version: "1.2.3".to_owned(),
            fingerprint: "0123abcd".to_owned(),
            command: "dumbbell reproduce --seed 1".to_owned(),
            seed: 1,
            quick: true,
            simulated: 12,
            kept: 345,
            seconds: 67.8,
        },
        matrix: None,
        explorations: vec![Exploration {
            name: "one-explored".to_owned(),
            title: HOSTILE.to_owned(),
            about: HOSTILE.to_owned(),
            readings: vec![reading(Some(HOSTILE))],
        }],
        missing: Vec::new(),
        papers: vec![
            paper("one", vec![main, hostile, single]),
            paper("two", vec![bare]),
        ],
    }
}

/// A reading with hostile names that changes two verdicts.
fn reading(here: Option<&str>) -> Reading {
    let flip = |claim: &str, taken, now| Flip {
        figure: "one-fig2".to_owned(),
        claim: claim.to_owned(),
        text: HOSTILE.to_owned(),
        taken,
        now,
        here: here.map(str::to_owned),
    };
    Reading {
        title: HOSTILE.to_owned(),
        about: HOSTILE.to_owned(),
        figures: vec!["one-fig2".to_owned()],
        claims: 4,
        held: 1,
        hold: 1,
        undecided: 1,
        contrary: true,
        gained: vec![flip("partly", Verdict::Partly, Verdict::Holds)],
        lost: vec![flip("holds", Verdict::Holds, Verdict::Fails)],
    }
}

/// Two, one and no markers in lanes with hostile names.
fn marks() -> Marks {
    let lane = |name: &str, places: &[f64]| Lane {
        name: name.to_owned(),
        marks: places
            .iter()
            .map(|at| Mark {
                at: *at,
                words: format!("cut at {at}: {HOSTILE}"),
            })
            .collect(),
    };
    Marks {
        lanes: vec![
            lane("in phase", &[0.0, 50.0]),
            lane(HOSTILE, &[100.0]),
            lane("roles change", &[]),
        ],
        summary: format!("3 epochs. {HOSTILE}"),
    }
}

fn paper(name: &str, sections: Vec<Section>) -> Paper {
    Paper {
        name: name.to_owned(),
        title: format!("Paper {name}: R&D of <congestion> control"),
        notes: format!(
            "# Notes\n\n## Assumptions\n\n| what | value |\n|---|---|\n| wide | {} |\n\n\
             ## What does not\n\n* {HOSTILE}\n",
            "word ".repeat(40)
        ),
        citation: "A. Author and B. Author, A Journal, 2003".to_owned(),
        readings: vec![reading(None)],
        sections,
    }
}

/// A figure with so many curves over these x values, without claims.
pub(crate) fn section(name: &str, curves: usize, xs: &[f64], seeds: (u64, u64)) -> Section {
    let names: Vec<String> = (0..curves).map(|i| format!("C{i}")).collect();
    let series = |(i, name): (usize, &String)| {
        let y: Vec<f64> = (0..xs.len())
            .map(|j| 2000.0 - 300.0 * j as f64 - 60.0 * i as f64)
            .collect();
        Series {
            name: name.clone(),
            x: xs.to_vec(),
            low: y.iter().map(|y| y - 25.0).collect(),
            high: y.iter().map(|y| y + 25.0).collect(),
            one_run: vec![false; y.len()],
            y,
        }
    };
    let point = |name: &String, x: f64| PointFile {
        series: name.clone(),
        x,
        file: format!("{}-{x}.toml", name.to_lowercase()),
        text: format!("# {name} at {x}\nduration = \"100 s\"\n"),
    };
    Section {
        name: name.to_owned(),
        title: format!("{name}: throughput against the loss rate"),
        source: "section 4.1".to_owned(),
        about: "What one sees.".to_owned(),
        added: false,
        drawings: vec![Drawing {
            names: Vec::new(),
            title: String::new(),
            stem: name.to_owned(),
            x_label: "loss rate".to_owned(),
            y_label: "throughput, kb/s".to_owned(),
            kind: Kind::Curves,
            log_x: false,
            averaged: true,
            marks: None,
            rows: None,
            series: names.iter().enumerate().map(series).collect(),
        }],
        tables: Vec::new(),
        claims: Vec::new(),
        seeds,
        varied: Some("loss rate".to_owned()),
        names: Vec::new(),
        parameters: vec![("duration".to_owned(), "100 s".to_owned())],
        points: names
            .iter()
            .flat_map(|name| xs.iter().map(move |x| point(name, *x)))
            .collect(),
    }
}

/// A firm claim with this verdict and no recorded verdict.
pub(crate) fn claim(id: &str, verdict: Verdict) -> JudgedClaim {
    JudgedClaim {
        id: id.to_owned(),
        text: "At p < 0.1 % & above, A exceeds B by 35.7 %.".to_owned(),
        source: "section 4.1".to_owned(),
        kind: claims::Kind::Paper,
        stands: Some(match verdict {
            Verdict::Holds => Standing::Holds,
            Verdict::Partly => Standing::Elsewhere(vec![HOSTILE.to_owned()]),
            Verdict::Fails => Standing::Nowhere,
            Verdict::Untestable => Standing::Undecidable,
        }),
        judgement: Judgement {
            one_run: false,
            verdict,
            firm: true,
            paper: "+35.7 %".to_owned(),
            here: "+33.0 ± 2.1 %".to_owned(),
            evidence: "within a fifth of the paper's number".to_owned(),
        },
        recorded: None,
        points: Vec::new(),
    }
}
