//! The retarget panel: which joint is which bone, how that was found, and what the user says instead.

use crate::{
    retargeted::{Corrections, End, Retargeted, Rig},
    state::{Command, Commands, Edit, View},
};
use egui::{Color32, ComboBox, RichText, WidgetInfo};
use lissom_build::{
    raw::RawSkeleton,
    retarget::{Bone, BoneRow, Found},
};
use std::collections::BTreeSet;

const FOUND: &str = "as found";
const NONE: &str = "none";
/// How high a list of joints is, in points.
const LIST: f32 = 320.0;

pub(crate) fn retarget(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let retargeted = view.open.document.as_ref().and_then(|document| document.retargeted.as_ref());
    let Some(retargeted) = retargeted else {
        ui.weak("Drop motions of another skeleton onto a character. Here you see which joint is which bone.");
        return;
    };
    let Some(rig) = retargeted.rigs.get(view.ui.rig).or(retargeted.rigs.first()) else { return };
    rigs(retargeted, rig, ui, commands);
    let (matched, all) = rig.table.matched();
    ui.weak(format!("{matched} of {all} bones match, fingers not counted"));
    buttons(retargeted, ui, commands);
    if !retargeted.is_shown() && view.open.loading.is_none() {
        let why = match &retargeted.refused {
            Some(_) => {
                format!("Nothing came onto {} yet: say which joints are which bones.", retargeted.onto)
            }
            None => "This cannot be done. The picture shows what was there before.".into(),
        };
        ui.colored_label(ui.visuals().error_fg_color, why);
    }
    ui.separator();
    captions(ui);
    let says = rows(retargeted, rig, ui);
    ui.separator();
    joints(rig, ui);
    commands.extend(says.map(|says| Command::Edit(Edit::Bones(Box::new(says)))));
}

/// Whose joints are shown; files with the same joints are one.
fn rigs(retargeted: &Retargeted, shown: &Rig, ui: &mut egui::Ui, commands: &mut Commands) {
    let name = |rig: &Rig| match &rig.files[..] {
        [first, _, ..] => format!("{first} and {} more", rig.files.len() - 1),
        files => files.concat(),
    };
    let mut wanted = None;
    if retargeted.rigs.len() > 1 {
        let list = ComboBox::from_id_salt("rigs").selected_text(name(shown)).truncate();
        let list = list.width(ui.available_width()).show_ui(ui, |ui| {
            for (nth, rig) in retargeted.rigs.iter().enumerate() {
                let label = ui.selectable_label(std::ptr::eq(rig, shown), name(rig));
                wanted = label.clicked().then_some(nth).or(wanted);
            }
        });
        list.response.widget_info(|| WidgetInfo::labeled(egui::Role::ComboBox, true, "motions"));
    } else {
        ui.add(egui::Label::new(RichText::new(name(shown)).strong()).truncate());
    }
    ui.add(egui::Label::new(format!("onto {}", retargeted.onto)).truncate());
    commands.extend(wanted.map(Command::ChooseRig));
}

fn buttons(retargeted: &Retargeted, ui: &mut egui::Ui, commands: &mut Commands) {
    let any = !retargeted.says.is_empty();
    ui.horizontal_wrapped(|ui| {
        let copy = ui.add_enabled(any, egui::Button::new("copy as recipe"));
        let copy = copy.on_hover_text("lines for lissom.toml that say the same");
        if copy.on_disabled_hover_text("nothing is corrected").clicked() {
            commands.push(Command::CopyRecipe);
        }
        let reset = ui.add_enabled(any, egui::Button::new("all as found"));
        if reset.on_hover_text("takes back every correction").clicked() {
            commands.push(Command::Edit(Edit::Bones(Box::default())));
        }
    });
}

/// What stands in the two columns.
fn captions(ui: &mut egui::Ui) {
    ui.columns(2, |columns| {
        for (column, whose) in columns.iter_mut().zip(["motions", "character"]) {
            column.weak(whose);
        }
    });
}

/// Every bone, those first that are missed; what the user says now, if that is something else.
fn rows(retargeted: &Retargeted, rig: &Rig, ui: &mut egui::Ui) -> Option<Corrections> {
    let missed: Vec<&BoneRow> = rig.table.not_found().collect();
    let others = rig.table.rows.iter().filter(|row| !missed.iter().any(|missed| missed.bone == row.bone));
    let (warn, plain) = (ui.visuals().warn_fg_color, ui.visuals().text_color());
    let mut says = None;
    for one in &missed {
        says = row(retargeted, rig, one, warn, ui).or(says);
    }
    for one in others {
        says = row(retargeted, rig, one, plain, ui).or(says);
    }
    let listed: BTreeSet<Bone> = rig.table.rows.iter().map(|row| row.bone).collect();
    let absent: Vec<Bone> = Bone::all().filter(|bone| !listed.contains(bone)).collect();
    if !absent.is_empty() {
        let title = format!("{} bones that neither has", absent.len());
        egui::CollapsingHeader::new(title).id_salt("absent").show(ui, |ui| {
            for bone in absent {
                let empty = BoneRow { bone, source: None, target: None };
                says = row(retargeted, rig, &empty, plain, ui).or(says.take());
            }
        });
    }
    says
}

/// A bone: how it was found, and a list of joints for each end.
fn row(
    retargeted: &Retargeted,
    rig: &Rig,
    row: &BoneRow,
    color: Color32,
    ui: &mut egui::Ui,
) -> Option<Corrections> {
    let says = &retargeted.says;
    let left_out = [End::Source, End::Target].iter().any(|end| says.get(rig, *end, row.bone) == Some(""));
    let name = match (row.is_matched(), left_out) {
        (true, _) => row.bone.to_string(),
        (_, true) => format!("{}: left out", row.bone),
        _ => format!("{}: not found", row.bone),
    };
    ui.horizontal_wrapped(|ui| {
        ui.colored_label(color, name);
        ui.weak(format!("{}, {}", how(row.source.as_ref()), how(row.target.as_ref())))
            .on_hover_text("how its joint was found in the motions' file, and in the character's");
    });
    let mut changed = None;
    // Each has its half of the row, however long the name of a joint is.
    ui.columns(2, |columns| {
        let ends =
            [(End::Source, &rig.skeleton, &row.source), (End::Target, &retargeted.target, &row.target)];
        for (column, (end, skeleton, joint)) in columns.iter_mut().zip(ends) {
            let said = says.get(rig, end, row.bone);
            let joint = joint.as_ref().map(|(name, _)| name.as_str());
            let picked = list((row.bone, end), (joint, said), skeleton, column);
            changed = picked.map(|picked| says.with(rig, end, row.bone, picked)).or(changed.take());
        }
    });
    changed
}

/// The joints of a skeleton; the one that was picked, if one was. `""` is none, `None` is what is found.
fn list<'a>(
    (bone, end): (Bone, End),
    (joint, said): (Option<&str>, Option<&str>),
    skeleton: &'a RawSkeleton,
    ui: &mut egui::Ui,
) -> Option<Option<&'a str>> {
    let shown = joint.unwrap_or(NONE);
    let mut picked = None;
    let list = ComboBox::from_id_salt((bone.key(), end == End::Source)).selected_text(shown).truncate();
    let list = list.width(ui.available_width()).height(LIST).show_ui(ui, |ui| {
        let first = [(FOUND, None, said.is_none()), (NONE, Some(""), joint.is_none())];
        let all = skeleton.joints.iter().map(|j| j.name.as_str());
        let all = all.map(|name| (name, Some(name), joint == Some(name)));
        for (label, choice, chosen) in first.into_iter().chain(all) {
            if ui.selectable_label(chosen, label).clicked() && choice != said {
                picked = Some(choice);
            }
        }
    });
    let whose = if end == End::Source { "motions" } else { "character" };
    let named = WidgetInfo {
        current_text_value: Some(shown.into()),
        ..WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{bone} of the {whose}"))
    };
    list.response.on_hover_text(shown).widget_info(|| named.clone());
    picked
}

fn how(joint: Option<&(String, Found)>) -> String {
    joint.map_or_else(|| "not found".into(), |(_, found)| found.to_string())
}

/// What moves without being a bone, and what does not.
fn joints(rig: &Rig, ui: &mut egui::Ui) {
    for (names, what) in [
        (&rig.table.same_names, "go along with joints of the same name"),
        (&rig.table.at_rest, "of the character are no bones and rest"),
    ] {
        if !names.is_empty() {
            ui.weak(format!("{} joints {what}", names.len())).on_hover_text(names.join(", "));
        }
    }
}
