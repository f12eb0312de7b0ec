// What the README's table says, as code: each line below that stands four spaces in is there, word for word.

fn clip(archive: Handle<LissomArchive>) -> Plays {
    Plays::clip(archive, "walk")
}

fn labelled(server: Res<AssetServer>) -> Plays {
    Plays::labelled(server.load("hero.lsm#walk"))
}

fn in_step(archive: Handle<LissomArchive>) -> Plays {
    Plays::in_step(archive, [WeightedClip::new("walk", 0.5), WeightedClip::new("run", 0.5)])
}

fn graph(archive: Handle<LissomArchive>) -> Plays {
    Plays::graph(archive, "hero")
}

fn graph_of_code(archive: Handle<LissomArchive>) -> Plays {
    Plays::parts(archive, Arc::new(GraphParts::new()))
}

fn steer(mut characters: Characters, hero: Entity, key: FloatKey) -> Result {
    characters.fade_to(hero, "run", 0.3)?;
    characters.fade_to(hero, WeightedClip::new("jump", 1.0).once(), 0.1)?;
    characters.clip(hero)?.time_s;
    characters.clip(hero)?.is_finished;
    characters.seek(hero, 0.5)?;
    characters.set_speed(hero, 2.0)?;
    characters.set_value(hero, "speed", 2.4)?;
    characters.set_value(hero, "jump", true)?;
    characters.go_to(hero, "hit", "body", GoTo::default())?;
    characters.set(hero, key, 2.4)?;
    characters.graph(hero)?.float("speed")?;
    let shot = characters.play(hero, "wave", "upper_body", OneShot::default())?;
    characters.shot(hero, shot)?;
    characters.stop_shot(hero, shot)?;
    characters.is_in(hero, "cut")?;
    characters.joint(hero, "head")?;
    characters.keep_pose(hero, "fallen")?;
    characters.blend_from(hero, "fallen", 0.5)?;
    characters.described(hero)?;
    characters.record(hero)?;
    characters.stop_recording(hero)?;
    Ok(())
}

fn roll_back(mut characters: Characters, hero: Entity) -> Result {
    let save =
        characters.save(hero)?;
    characters.restore(hero, &save)?;
    let saved =
        characters.saved(hero)?;
    characters.restore_saved(hero, &saved)?;
    Ok(())
}

fn skins() -> [Skins; 3] {
    [
    Skins::only(["body", "hat"]),
    Skins::all(),
    Skins::all().bare(),
    ]
}

#[cfg(feature = "render")]
fn skin(material: Handle<StandardMaterial>) -> impl Bundle {
    (Skin::new("body"), MeshMaterial3d(material))
}

fn matched(velocity: Vec3) -> MatchedMotion {
    MatchedMotion::to(velocity)
}

fn parameters() -> Parameters {
    Parameters::default().with("speed", 2.4)
}

fn observe(mut hero: EntityCommands) {
    hero
    .observe(|it: On<StateChanged>| {});
    hero
    .observe(|it: On<MarkerPassed>| {});
    hero.observe(|it: On<MarkerBegan>| {}).observe(|it: On<MarkerEnded>| {});
}

fn roots() -> [EntityRootMotion; 2] {
    [
    EntityRootMotion::default(),
    EntityRootMotion::handed_over(),
    ]
}

fn look(lamp: Entity) -> LookAt {
    LookAt::new(lamp)
}

fn hold(bar: Entity) -> HandIk {
    HandIk { left: Some(HandTarget::hold(bar)), right: None }
}

fn stand(place: Vec3, normal: Vec3) -> FootIk {
    FootIk { left: Some(FootGround { place, normal }), ..default() }
}

fn swing() -> JointSprings {
    JointSprings::new(["tail_01"])
}

fn limp(body: Entity) -> Ragdoll {
    Ragdoll::new([RagdollBody::new("pelvis", body)])
}

fn hook(mut hooks: ResMut<PoseHooks>) {
    hooks.add(|entity, pose| Ok(()))
}

fn socket() -> JointSocket {
    JointSocket::new("hand_r")
}

fn scene() -> SceneJoints {
    SceneJoints::default()
}

fn slow() -> PlaybackSpeed {
    PlaybackSpeed(0.5)
}

fn detail() -> DetailLevels {
    DetailLevels::new([DetailLevel::from(0.2), DetailLevel::from(0.0).every(4)])
        .hide_unseen()
}

fn show() -> (ShowSkeleton, ShowPanel) {
    (
    ShowSkeleton::default(),
    ShowPanel::default(),
    )
}

fn begins(begun: Query<Entity, Added<Character>>, passed: MessageReader<MarkerPassed>, changed: MessageReader<StateChanged>) {}
