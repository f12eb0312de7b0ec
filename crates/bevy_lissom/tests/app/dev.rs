//! Skeletons and panels, as Bevy's gizmos.

use super::{app_with, hero, joint, plays};
use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::system::RunSystemOnce;
use bevy_gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy_lissom::{Characters, LissomDevPlugin, Plays, ShowAll, ShowPanel, ShowSkeleton};
use bevy_math::Vec3;
use bevy_transform::components::Transform;

/// The ends of all lines, and the points of all strips: text is of strips.
fn drawn(app: &App) -> (Vec<Vec3>, usize) {
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    let handles = app.world().resource::<GizmoHandles>().handles().values().flatten();
    let (mut lines, mut strips) = (Vec::new(), 0);
    for asset in handles.filter_map(|handle| assets.get(handle)) {
        let view = asset.buffer();
        lines.extend_from_slice(&view.list_positions);
        strips += view.strip_positions.len();
    }
    (lines, strips)
}

#[test]
fn a_skeleton_is_a_line_a_joint_and_a_panel_is_text() {
    let (mut app, _) = app_with(|app| {
        app.add_plugins((GizmoPlugin, LissomDevPlugin));
    });
    let entity = hero(&mut app, |server| Plays::graph(server.load("hero.lsm"), "hero"));
    app.world_mut().entity_mut(entity).insert(Transform::from_xyz(1.0, 2.0, 3.0));
    plays(&mut app, entity);
    app.update();
    assert_eq!(drawn(&app), (Vec::new(), 0), "nobody asked");
    app.world_mut().entity_mut(entity).insert(ShowSkeleton::default());
    app.update();
    let (lines, strips) = drawn(&app);
    let joints =
        app.world_mut().run_system_once(move |c: Characters| c.joints(entity).unwrap().len()).unwrap();
    assert_eq!((lines.len(), strips), (2 * joints, 0));
    let hand = joint(&mut app, entity, "hand_r").w_axis.truncate() + Vec3::new(1.0, 2.0, 3.0);
    assert!(lines.iter().any(|at| at.abs_diff_eq(hand, 1e-5)), "where the hand is");
    // Names beside the joints, and a panel.
    app.world_mut().entity_mut(entity).insert(ShowSkeleton { names: true, ..ShowSkeleton::default() });
    app.update();
    assert!(drawn(&app).1 > 500);
    app.world_mut().entity_mut(entity).remove::<ShowSkeleton>().insert(ShowPanel::default());
    app.update();
    let (lines, text) = drawn(&app);
    assert!(lines.is_empty() && text > 200, "{text}");
    let remembers = move |c: Characters| c.decisions(entity).unwrap().is_some();
    assert!(app.world_mut().run_system_once(remembers).unwrap(), "decisions are remembered for it");
    // All of them, without a component.
    app.world_mut().entity_mut(entity).remove::<ShowPanel>();
    app.insert_resource(ShowAll { skeletons: true, panels: false });
    app.update();
    assert_eq!(drawn(&app).0.len(), 2 * joints);
}
