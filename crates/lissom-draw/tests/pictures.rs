//! What a canvas promises about its pixels and about bad input.

use lissom_draw::{Camera, Canvas, DrawError, Ground, Image, Light, Mesh, Shadow, Viewport, palette};

const POSITIONS: [[f32; 3]; 3] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
const NORMALS: [[f32; 3]; 3] = [[0.0, 0.0, 1.0]; 3];

fn mesh(indices: &[u32]) -> Mesh<'_> {
    Mesh::new(&POSITIONS, &NORMALS, indices, palette::CLAY)
}

fn canvas() -> Canvas {
    let mut canvas = Canvas::new(40, 40, palette::PAPER).unwrap();
    canvas.set_camera(&Camera::orthographic([0.0, 0.0, 5.0], [0.0; 3], 4.0)).unwrap();
    canvas
}

fn rgb(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let p = image.pixel(x, y).unwrap();
    [p[0], p[1], p[2]]
}

#[test]
fn a_triangle_covers_its_inside_and_nothing_else() {
    let mut c = canvas();
    c.mesh(&mesh(&[0, 1, 2]), &Light::default()).unwrap();
    let image = c.finish();
    for (x, y) in [(1, 1), (38, 1), (20, 35), (5, 20)] {
        assert_eq!(rgb(&image, x, y), palette::PAPER.rgb, "outside at {x}, {y}");
    }
    for (x, y) in [(20, 20), (20, 14), (14, 28)] {
        assert_ne!(rgb(&image, x, y), palette::PAPER.rgb, "inside at {x}, {y}");
    }
}

#[test]
fn the_nearer_surface_wins_in_either_order() {
    let near = POSITIONS.map(|p| [p[0], p[1], 1.0]);
    let light = Light::default();
    let front = Mesh { positions: &near, color: palette::SKY, ..mesh(&[0, 1, 2]) };
    let pictures = [true, false].map(|front_first| {
        let mut c = canvas();
        for is_front in [front_first, !front_first] {
            c.mesh(if is_front { &front } else { &BACK }, &light).unwrap();
        }
        c.finish()
    });
    static BACK: Mesh<'static> = Mesh::new(&POSITIONS, &NORMALS, &[0, 1, 2], palette::CLAY);
    assert_eq!(pictures[0], pictures[1]);
    let p = rgb(&pictures[0], 20, 20);
    assert!(p[2] > p[0], "blue is in front: {p:?}");
}

#[test]
fn a_viewport_keeps_everything_inside_it() {
    let mut c = canvas();
    c.set_viewport(Viewport { x: 0, y: 0, width: 20, height: 40 }).unwrap();
    c.fill(palette::NIGHT);
    c.ball([3.0, 0.0, 0.0], 2.9, palette::OCHRE, &Light::default()).unwrap();
    c.line([-9.0, 0.0, 1.0], [9.0, 0.0, 1.0], 3.0, palette::INK).unwrap();
    c.ground(&Ground::default(), None).unwrap();
    let image = c.finish();
    assert!((20..40).all(|x| (0..40).all(|y| rgb(&image, x, y) == palette::PAPER.rgb)));
    assert_ne!(rgb(&image, 19, 20), palette::PAPER.rgb);
}

#[test]
fn a_line_through_the_camera_is_cut_at_the_near_plane() {
    let mut c = canvas();
    c.set_camera(&Camera::perspective([0.0, 0.3, 3.0], [0.0, 0.0, 0.0], 0.7)).unwrap();
    c.line([0.0, 0.0, -2.0], [0.1, 0.0, 30.0], 2.0, palette::INK).unwrap();
    let image = c.finish();
    assert!(image.pixels.chunks(4).any(|p| p[..3] == palette::INK.rgb));
}

#[test]
fn a_shadow_is_darkest_where_things_touch() {
    let points: Vec<[f32; 3]> = (0..40).map(|i| [i as f32 * 0.05, i as f32 * 0.05, 0.0]).collect();
    let shadow = Shadow::of_points(&points, 0.0).unwrap();
    let mut c = Canvas::new(60, 60, palette::PAPER).unwrap();
    let camera =
        Camera { up: [0.0, 0.0, -1.0], ..Camera::orthographic([1.0, 5.0, 0.0], [1.0, 0.0, 0.0], 3.0) };
    c.set_camera(&camera).unwrap();
    c.ground(&Ground { strength: 0.0, ..Ground::default() }, Some(&shadow)).unwrap();
    let image = c.finish();
    let (touch, high) = (rgb(&image, 11, 30)[0], rgb(&image, 45, 30)[0]);
    assert!(touch < high && high <= palette::PAPER.rgb[0], "{touch} {high}");
}

#[test]
fn text_is_cut_at_the_edges_and_unknown_letters_show_as_boxes() {
    let mut c = canvas();
    c.text(-8, -3, "Cut off \u{1F600} everywhere", 3, palette::INK);
    c.text(i32::MAX, i32::MAX, "far", 1, palette::INK);
    let mut box_only = canvas();
    box_only.text(0, 0, "\u{e4}", 1, palette::INK);
    let image = box_only.finish();
    assert_eq!(rgb(&image, 0, 0), palette::INK.rgb);
    assert_eq!(rgb(&image, 2, 3), palette::PAPER.rgb);
}

#[test]
fn a_png_holds_the_same_pixels() {
    let mut c = canvas();
    c.mesh(&mesh(&[0, 1, 2]), &Light::default()).unwrap();
    let image = c.finish();
    let bytes = image.encode_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    assert!(rgb.chunks(3).zip(image.pixels.chunks(4)).all(|(a, b)| a == &b[..3]));
    assert_eq!(rgb.len() / 3, image.pixels.len() / 4);
}

#[test]
fn bad_input_is_named_and_leaves_the_canvas_alone() {
    assert!(matches!(Canvas::new(0, 5, palette::INK), Err(DrawError::Parameter { field: "width", .. })));
    assert!(matches!(Canvas::new(5, 8193, palette::INK), Err(DrawError::Parameter { field: "height", .. })));
    let mut c = canvas();
    let before = c.finish();
    let light = Light::default();
    let nan = [[0.0, f32::NAN, 0.0]; 3];
    let errors = [
        c.mesh(&mesh(&[0, 1]), &light).unwrap_err(),
        c.mesh(&mesh(&[0, 1, 3]), &light).unwrap_err(),
        c.mesh(&Mesh { normals: &NORMALS[..2], ..mesh(&[0, 1, 2]) }, &light).unwrap_err(),
        c.mesh(&Mesh { colors: Some(&[]), ..mesh(&[0, 1, 2]) }, &light).unwrap_err(),
        c.mesh(&Mesh { positions: &nan, ..mesh(&[0, 1, 2]) }, &light).unwrap_err(),
        c.line(nan[0], [0.0; 3], 1.0, palette::INK).unwrap_err(),
        c.line([1.0; 3], [0.0; 3], f32::NAN, palette::INK).unwrap_err(),
        c.ball([0.0; 3], 0.0, palette::INK, &light).unwrap_err(),
        c.skeleton(&[[0.0; 3]], &[Some(1)], 0.1, palette::INK).unwrap_err(),
        c.skeleton(&[[0.0; 3]], &[], 0.1, palette::INK).unwrap_err(),
        c.ground(&Ground { spacing: 0.0, ..Ground::default() }, None).unwrap_err(),
        c.set_viewport(Viewport { x: 39, y: 0, width: 2, height: 1 }).unwrap_err(),
        c.set_viewport(Viewport { x: u32::MAX, y: 0, width: 2, height: 1 }).unwrap_err(),
        Shadow::of_points(&[], 0.0).unwrap_err(),
        Shadow::of_points(&nan, 0.0).unwrap_err(),
    ];
    assert!(errors.iter().all(|e| !e.to_string().is_empty()));
    assert_eq!(c.finish(), before);
}

#[test]
fn backs_are_left_out_where_they_are_culled() {
    let light = Light::default();
    let shown = |culled, indices: &[u32]| {
        let mut c = canvas();
        c.mesh(&Mesh { culled, ..mesh(indices) }, &light).unwrap();
        rgb(&c.finish(), 20, 20) != palette::PAPER.rgb
    };
    let both = [shown(true, &[0, 1, 2]), shown(true, &[0, 2, 1])];
    assert!(both[0] != both[1], "one of the two is the front");
    assert!(shown(false, &[0, 1, 2]) && shown(false, &[0, 2, 1]));
}

#[test]
fn a_texture_colours_what_alpha_lets_be_seen() {
    use lissom_draw::{Image, Opacity, Texture};
    let png = |pixel: [u8; 4]| {
        let image = Image { width: 1, height: 1, pixels: pixel.to_vec() };
        Texture::decode(&image.encode_png().unwrap()).unwrap()
    };
    let uvs = [[0.5, 0.5]; 3];
    let light = Light::default();
    let drawn = |pixel: [u8; 4], opacity| {
        let texture = png(pixel);
        let mut c = canvas();
        let skin =
            Mesh { texture: Some((&texture, &uvs)), opacity, color: palette::PAPER, ..mesh(&[0, 1, 2]) };
        c.mesh(&skin, &light).unwrap();
        rgb(&c.finish(), 20, 20)
    };
    let red = drawn([255, 0, 0, 255], Opacity::Opaque);
    assert!(red[0] > 100 && red[1] < 60, "{red:?}");
    assert_eq!(drawn([255, 0, 0, 100], Opacity::Mask(0.5)), palette::PAPER.rgb);
    assert_eq!(drawn([255, 0, 0, 200], Opacity::Mask(0.5)), red);
    let half = drawn([255, 0, 0, 128], Opacity::Blend);
    assert!(half[1] > red[1] && half[1] < palette::PAPER.rgb[1], "{half:?}");
    let short = Mesh { texture: Some((&png([0; 4]), &uvs[..2])), ..mesh(&[0, 1, 2]) };
    assert!(canvas().mesh(&short, &light).is_err());
}
