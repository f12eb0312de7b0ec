//! The report: one HTML file with everything inside, by day and by night, on wide and narrow screens.

use super::Results;
use super::pictures::{self, Pair};
use crate::plot::{curves, deviation::Deviation, error};
use crate::progress;
use anyhow::Result;
use lissom_draw::{
    Image,
    chart::{Bar, Bars, Ink, data_uri, escape},
};
use std::fmt::Write as _;

/// Motions that are drawn as strips.
const STRIPS: [&str; 5] = ["walk", "run", "wave", "crouch", "performance"];

/// The page.
pub fn write(results: &Results, quick: bool) -> Result<String> {
    let mut h = String::new();
    h.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    h.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    writeln!(h, "<title>Lissom {}: the demo</title>", env!("CARGO_PKG_VERSION"))?;
    writeln!(h, "<style>\n{}</style>\n</head>\n<body>\n<main>", include_str!("page.css"))?;
    let bar = progress::bar(5 + STRIPS.len() as u64, "drawing");
    head(results, &mut h, quick)?;
    bar.inc(1);
    writeln!(
        h,
        "<h2>The motions</h2>\n<p>Drawn from the cooked clips by a small software renderer; no GPU was asked.</p>"
    )?;
    for (i, name) in STRIPS.into_iter().enumerate() {
        let Some(at) = results.stage.clips.iter().position(|c| c.name == name) else { continue };
        let pair = pictures::strip(results, at, i, quick)?;
        let clip = &results.stage.clips[at];
        writeln!(h, "<h3>{name} <span class=\"soft\">{:.2} s</span></h3>", clip.clip.view().duration_s())?;
        picture(&mut h, &pair, &format!("eight moments of {name}"))?;
        bar.inc(1);
    }
    blended(results, &mut h, quick)?;
    bar.inc(1);
    played(results, &mut h, quick)?;
    bar.inc(1);
    cooked(results, &mut h)?;
    bar.inc(1);
    speed(results, &mut h)?;
    bar.finish_and_clear();
    foot(results, &mut h)?;
    h.push_str("</main>\n</body>\n</html>\n");
    Ok(h)
}

/// A picture that knows night from day.
fn picture(h: &mut String, pair: &Pair, alt: &str) -> Result<()> {
    let uri = |image: &Image| Ok::<_, anyhow::Error>(data_uri("image/png", &image.encode_png()?));
    let (width, height) = (pair.light.width, pair.light.height);
    writeln!(
        h,
        "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\"><img src=\"{}\" width=\"{width}\" \
         height=\"{height}\" alt=\"{}\"></picture>",
        uri(&pair.dark)?,
        uri(&pair.light)?,
        escape(alt)
    )?;
    Ok(())
}

fn tile(h: &mut String, value: &str, text: &str) {
    let _ = writeln!(h, "<li><b>{}</b><span>{}</span></li>", escape(value), escape(text));
}

fn head(results: &Results, h: &mut String, quick: bool) -> Result<()> {
    let (stage, crowd) = (&results.stage, &results.crowd);
    writeln!(h, "<header>\n<h1>Lissom</h1>")?;
    writeln!(
        h,
        "<p class=\"lead\">A data-oriented animation runtime. This page was made by <code>lissom demo</code>: it built \
         a character in code, cooked its motions, played and blended {} of it, and measured what that costs on {}.</p>",
        thousands(crowd.characters as u64),
        escape(&results.machine.cpu)
    )?;
    h.push_str("</header>\n<div class=\"hero\">");
    picture(h, &pictures::crowd(results, quick)?, "a crowd of mannequins, walking, running, waving")?;
    h.push_str("</div>\n<ul class=\"tiles\">\n");
    let (raw, bytes) = results.bytes();
    let per_ms = crowd.characters as f64 / crowd.all_threads_ms;
    tile(h, &format!("{per_ms:.0}"), &format!("characters a millisecond, {} threads", crowd.threads));
    if let Some(ns) = results.figure("sample_forward") {
        tile(h, &format!("{ns:.1} ns"), "a joint for sampling a clip forward");
    }
    tile(
        h,
        &format!("{:.1}\u{d7}", raw as f64 / bytes as f64),
        &format!("smaller: {} to {}", kib(raw), kib(bytes)),
    );
    tile(h, &format!("{:.4} mm", results.worst() * 1e3), "worst error at any joint and time");
    tile(
        h,
        &format!("{}", stage.skeleton.joint_count()),
        &format!("joints, {} vertices", thousands(stage.vertex_count() as u64)),
    );
    h.push_str("</ul>\n");
    Ok(())
}

fn cooked(results: &Results, h: &mut String) -> Result<()> {
    let stage = &results.stage;
    writeln!(
        h,
        "<h2>Cooked</h2>\n<p>Each motion became one clip, played forward or backward. The cooker plays \
         what it wrote and measures it: no joint is more than 0.1 mm from its source, three centimetres from the \
         joint, at any key and between. All {} motions took {:.2} s.</p>",
        stage.clips.len(),
        results.cook_s
    )?;
    h.push_str("<div class=\"card\"><table>\n<thead><tr><th>clip</th><th>seconds</th><th>keys</th><th>raw bytes</th>");
    h.push_str(
        "<th>bytes</th><th>ratio</th><th>worst error, mm</th><th>mean, mm</th></tr></thead>\n<tbody>\n",
    );
    let mut bars = Vec::new();
    for clip in &stage.clips {
        let Some(source) = &clip.source else { continue };
        let r = &source.report;
        writeln!(
            h,
            "<tr><td>{}</td><td>{:.2}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1}</td><td>{:.4}</td><td>{:.4}</td></tr>",
            escape(&clip.name),
            clip.clip.view().duration_s(),
            thousands(r.keys_after),
            thousands(r.raw_bytes),
            thousands(r.bytes),
            r.ratio(),
            r.error.worst() * 1e3,
            r.error.mean * 1e3
        )?;
        let rest = r.bytes.saturating_sub(r.stream_bytes + r.jump_bytes);
        bars.push(Bar {
            label: clip.name.clone(),
            parts: vec![r.stream_bytes as f64, r.jump_bytes as f64, rest as f64],
            text: thousands(r.bytes),
        });
    }
    let (raw, bytes) = results.bytes();
    let ratio = raw as f64 / bytes as f64;
    writeln!(
        h,
        "</tbody>\n<tfoot><tr><td>together</td><td></td><td></td><td>{}</td><td>{}</td><td>{ratio:.1}</td><td>{:.4}</td>\
         <td></td></tr></tfoot></table></div>",
        thousands(raw),
        thousands(bytes),
        results.worst() * 1e3
    )?;
    let parts = [("keys", Ink::Series(2)), ("jump frames", Ink::Series(1)), ("tables", Ink::Series(5))];
    let note = "bytes; jump frames are where playing can start, every half second";
    card(h, &Bars { title: "Where the bytes are", parts: &parts, bars: &bars, note }.draw().to_page()?);
    if let Some(clip) = stage.clips.iter().find(|c| c.name == "walk") {
        let joints = ["thigh_l", "shin_l", "upperarm_r", "chest"];
        let joints: Vec<usize> = joints.iter().filter_map(|n| stage.skeleton.find(n)).collect();
        card(h, &curves::draw(stage, clip, &joints)?.to_page()?);
        let deviation = Deviation::measure(stage, clip, 320)?;
        card(h, &error::draw(stage, clip, &deviation, 20).to_page()?);
    }
    Ok(())
}

fn card(h: &mut String, content: &str) {
    let _ = writeln!(h, "<div class=\"card\">{content}</div>");
}

fn blended(results: &Results, h: &mut String, quick: bool) -> Result<()> {
    let (gif, still) = pictures::gait(results, quick)?;
    let (width, height) = (still.width, still.height);
    let still = data_uri("image/png", &still.encode_png()?);
    writeln!(
        h,
        "<h2>Blended</h2>\n<div class=\"pair\"><picture><source media=\"(prefers-reduced-motion: reduce)\" \
         srcset=\"{still}\"><img src=\"{}\" width=\"{width}\" height=\"{height}\" alt=\"a mannequin goes from a walk \
         to a run and back\"></picture>\n<div><p>Three clips at one phase, weighted by speed: from a walk at 1.3 metres \
         a second to a run at 4.4, and back. Every frame is three samples, a blend and local to model, the same \
         jobs that the crowd above runs.</p>\n<p class=\"soft\">A job is a plain struct of borrowed slices. It owns \
         nothing, allocates nothing, and gives the same bits on every thread count and every SIMD width.</p></div></div>",
        data_uri("image/gif", &gif)
    )?;
    Ok(())
}

fn played(results: &Results, h: &mut String, quick: bool) -> Result<()> {
    let (gif, still) = pictures::played(results, quick)?;
    let (width, height) = (still.width, still.height);
    let still = data_uri("image/png", &still.encode_png()?);
    writeln!(
        h,
        "<h2>Played</h2>\n<div class=\"pair\"><picture><source media=\"(prefers-reduced-motion: reduce)\" \
         srcset=\"{still}\"><img src=\"{}\" width=\"{width}\" height=\"{height}\" alt=\"a mannequin waves, walks, runs, \
         jumps and stands\"></picture>\n<div><p>A graph plays this one: seven gaits blended by velocity, a jump in three parts \
         by inertia, a wave over the upper body. The program sets a speed, says when there is ground under it, and asks \
         for the jump; the clips move the character.</p>\n<pre><code>let mut hero = Animator::new(&amp;archive, \"mannequin\")?;\n\
         hero.set(ahead, 4.4)?;\nhero.trigger(jump)?;\nhero.update(dt)?;</code></pre>\n<p class=\"soft\"><code>lissom mannequin -o \
         mannequin.lsm</code> writes that archive. All that decides what comes is one value: saved, put back, the same bits \
         again.</p></div></div>",
        data_uri("image/gif", &gif)
    )?;
    Ok(())
}

fn speed(results: &Results, h: &mut String) -> Result<()> {
    let (machine, crowd) = (&results.machine, &results.crowd);
    writeln!(
        h,
        "<h2>Fast</h2>\n<p>Measured just now on {}: one thread, {} kernels, the minimum of many rounds{}. A step of a \
         dependent multiply and add took {:.2} ns here; divide by it to compare machines.</p>",
        escape(&machine.cpu),
        machine.backend,
        if cfg!(debug_assertions) { " (a debug build: the figures mean nothing)" } else { "" },
        machine.calibration_ns
    )?;
    let chart = |unit: &str, title: &str, note: &str, ink: usize| {
        let of_unit = results.figures.iter().filter(|f| f.unit == unit);
        let bars: Vec<Bar> = of_unit
            .filter_map(|f| {
                let text = format!("{:.2}", f.value?);
                Some(Bar { label: f.name.replace('_', " "), parts: vec![f.value?], text })
            })
            .collect();
        let parts = [("", Ink::Series(ink))];
        (!bars.is_empty()).then(|| Bars { title, parts: &parts, bars: &bars, note }.draw())
    };
    for sketch in [
        chart("ns/joint", "A pose, by stage", "nanoseconds a joint; less is better", 2),
        chart(
            "ns/vertex",
            "Skinning on the CPU",
            "nanoseconds a vertex: positions, and normals, and tangents",
            4,
        ),
        chart(
            "\u{b5}s/character",
            "Characters at once",
            "microseconds a character: three samples, a blend, local to model",
            1,
        ),
    ]
    .into_iter()
    .flatten()
    {
        card(h, &sketch.to_page()?);
    }
    let per_ms = |ms: f64| crowd.characters as f64 / ms;
    writeln!(
        h,
        "<div class=\"card\"><table><thead><tr><th>{} characters, {} frames</th><th>best frame, ms</th>\
         <th>characters a ms</th></tr></thead><tbody>",
        thousands(crowd.characters as u64),
        crowd.frames
    )?;
    for (name, ms) in [
        ("1 thread".to_string(), crowd.one_thread_ms),
        (format!("{} threads", crowd.threads), crowd.all_threads_ms),
    ] {
        writeln!(h, "<tr><td>{name}</td><td>{ms:.2}</td><td>{:.0}</td></tr>", per_ms(ms))?;
    }
    let same = if crowd.same_bits {
        "One thread and all threads gave the same bits, as they must."
    } else {
        "One thread and all threads gave different bits: that is a defect; please report it."
    };
    writeln!(h, "</tbody></table></div>\n<p class=\"soft\">{same}</p>")?;
    Ok(())
}

fn foot(results: &Results, h: &mut String) -> Result<()> {
    let m = &results.machine;
    writeln!(
        h,
        "<h2>Your own files</h2>\n<pre><code>lissom render FILE -o OUT.gif     # see a file move\n\
         lissom plot FILE -o OUT.svg       # curves, errors, bytes\n\
         lissom bench FILE                 # what it costs on this machine\n\
         lissom help                       # every command</code></pre>\n\
         <footer>Lissom {}; {}, {}, {} threads, {}. This file needs no network and runs no scripts.</footer>",
        env!("CARGO_PKG_VERSION"),
        escape(&m.cpu),
        m.system,
        m.threads,
        m.backend
    )?;
    Ok(())
}

fn kib(bytes: u64) -> String {
    format!("{:.0} KiB", bytes as f64 / 1024.0)
}

/// 12345 as 12,345.
fn thousands(v: u64) -> String {
    let digits = v.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped_by_three() {
        for (v, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(super::thousands(v), text);
        }
    }
}
