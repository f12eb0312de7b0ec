//! Colours for dark and for light, and one scale of text. Every text has a contrast of at least 4.5 : 1 to what it stands on.

use egui::{
    Color32, CornerRadius, FontFamily, FontId, Shadow, Stroke, Style, TextStyle, Theme, Visuals,
    style::WidgetVisuals, vec2,
};

/// The colours of a theme.
pub(crate) struct Palette {
    /// Behind panels, behind fields and time lines, behind tabs.
    pub panel: Color32,
    pub field: Color32,
    pub bar: Color32,
    /// Every second row of a list.
    pub stripe: Color32,
    /// Buttons: at rest, under the mouse, pressed.
    pub raised: Color32,
    pub hovered: Color32,
    pub pressed: Color32,
    /// What is chosen, and text on it.
    pub accent: Color32,
    pub on_accent: Color32,
    /// Text.
    pub text: Color32,
    pub strong: Color32,
    pub weak: Color32,
    pub link: Color32,
    pub error: Color32,
    pub warn: Color32,
    pub good: Color32,
    /// Between panels, and round fields.
    pub line: Color32,
    pub outline: Color32,
    /// Lines of plots, in their order.
    pub series: [Color32; 8],
    /// x, y, z, w.
    pub axes: [Color32; 4],
    /// The picture: its top and its bottom.
    pub sky: [Color32; 2],
}

const DARK: Palette = Palette {
    panel: Color32::from_rgb(28, 31, 37),
    field: Color32::from_rgb(17, 19, 23),
    bar: Color32::from_rgb(21, 23, 28),
    stripe: Color32::from_rgb(33, 37, 43),
    raised: Color32::from_rgb(45, 50, 59),
    hovered: Color32::from_rgb(52, 58, 68),
    pressed: Color32::from_rgb(58, 65, 77),
    accent: Color32::from_rgb(28, 88, 140),
    on_accent: Color32::from_rgb(238, 246, 255),
    text: Color32::from_rgb(217, 222, 229),
    strong: Color32::from_rgb(255, 255, 255),
    weak: Color32::from_rgb(164, 173, 185),
    link: Color32::from_rgb(124, 196, 255),
    error: Color32::from_rgb(255, 148, 138),
    warn: Color32::from_rgb(255, 196, 107),
    good: Color32::from_rgb(134, 220, 160),
    line: Color32::from_rgb(50, 55, 64),
    outline: Color32::from_rgb(78, 87, 100),
    series: [
        Color32::from_rgb(104, 184, 255),
        Color32::from_rgb(255, 180, 92),
        Color32::from_rgb(124, 214, 150),
        Color32::from_rgb(238, 132, 170),
        Color32::from_rgb(186, 160, 255),
        Color32::from_rgb(226, 214, 110),
        Color32::from_rgb(98, 212, 214),
        Color32::from_rgb(206, 196, 186),
    ],
    axes: [
        Color32::from_rgb(255, 118, 108),
        Color32::from_rgb(122, 206, 112),
        Color32::from_rgb(106, 166, 255),
        Color32::from_rgb(200, 168, 236),
    ],
    sky: [Color32::from_rgb(58, 66, 78), Color32::from_rgb(24, 27, 32)],
};

const LIGHT: Palette = Palette {
    panel: Color32::from_rgb(243, 244, 246),
    field: Color32::from_rgb(255, 255, 255),
    bar: Color32::from_rgb(214, 219, 226),
    stripe: Color32::from_rgb(234, 236, 240),
    raised: Color32::from_rgb(224, 228, 233),
    hovered: Color32::from_rgb(211, 217, 225),
    pressed: Color32::from_rgb(196, 204, 214),
    accent: Color32::from_rgb(22, 98, 172),
    on_accent: Color32::from_rgb(255, 255, 255),
    text: Color32::from_rgb(32, 38, 46),
    strong: Color32::from_rgb(0, 0, 0),
    weak: Color32::from_rgb(72, 82, 96),
    link: Color32::from_rgb(11, 84, 158),
    error: Color32::from_rgb(160, 24, 20),
    warn: Color32::from_rgb(112, 66, 0),
    good: Color32::from_rgb(16, 92, 44),
    line: Color32::from_rgb(208, 213, 220),
    outline: Color32::from_rgb(150, 159, 172),
    series: [
        Color32::from_rgb(20, 104, 190),
        Color32::from_rgb(186, 92, 0),
        Color32::from_rgb(24, 128, 66),
        Color32::from_rgb(184, 40, 96),
        Color32::from_rgb(108, 72, 196),
        Color32::from_rgb(124, 108, 0),
        Color32::from_rgb(0, 120, 124),
        Color32::from_rgb(112, 92, 76),
    ],
    axes: [
        Color32::from_rgb(200, 44, 34),
        Color32::from_rgb(38, 128, 34),
        Color32::from_rgb(32, 92, 206),
        Color32::from_rgb(124, 76, 178),
    ],
    sky: [Color32::from_rgb(238, 241, 245), Color32::from_rgb(206, 211, 218)],
};

/// How much of a text that cannot be used is left.
const DISABLED: f32 = 0.72;

/// The scale of text, in points.
const SIZES: [(TextStyle, f32, FontFamily); 5] = [
    (TextStyle::Heading, 17.0, FontFamily::Proportional),
    (TextStyle::Body, 14.0, FontFamily::Proportional),
    (TextStyle::Button, 14.0, FontFamily::Proportional),
    (TextStyle::Monospace, 13.0, FontFamily::Monospace),
    (TextStyle::Small, 12.0, FontFamily::Proportional),
];

/// The colours that are shown.
pub(crate) fn of(visuals: &Visuals) -> &'static Palette {
    palette(visuals.dark_mode)
}

/// The colours on dark, or on light.
pub(crate) fn palette(dark: bool) -> &'static Palette {
    if dark { &DARK } else { &LIGHT }
}

/// Gives a context the viewer's colours and sizes, on dark and on light.
pub fn dress(ctx: &egui::Context) {
    for (theme, palette) in [(Theme::Dark, &DARK), (Theme::Light, &LIGHT)] {
        ctx.style_mut_of(theme, |style| wear(style, theme, palette));
    }
}

fn wear(style: &mut Style, theme: Theme, palette: &Palette) {
    style.text_styles = SIZES.map(|(name, size, family)| (name, FontId::new(size, family))).into();
    style.visuals = visuals(theme, palette);
    let spacing = &mut style.spacing;
    (spacing.item_spacing, spacing.button_padding) = (vec2(8.0, 4.0), vec2(7.0, 2.0));
    (spacing.icon_width, spacing.icon_width_inner) = (15.0, 9.0);
    spacing.slider_rail_height = 5.0;
    // A value that is being read shall not be in the way of the one beside it.
    style.interaction.tooltip_delay = 0.4;
}

fn visuals(theme: Theme, palette: &Palette) -> Visuals {
    let radius = CornerRadius::same(4);
    let widget = |fill: Color32, outline: Color32, ink: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: fill,
        bg_stroke: Stroke::new(1.0, outline),
        corner_radius: radius,
        fg_stroke: Stroke::new(1.0, ink),
        // What grows under the mouse is never in line with its neighbours.
        expansion: 0.0,
    };
    let mut visuals = theme.default_visuals();
    let widgets = &mut visuals.widgets;
    widgets.noninteractive = widget(palette.panel, palette.line, palette.text);
    widgets.inactive = widget(palette.raised, palette.raised, palette.text);
    widgets.hovered = widget(palette.hovered, palette.outline, palette.strong);
    widgets.active = widget(palette.pressed, palette.outline, palette.strong);
    widgets.open = widget(palette.hovered, palette.outline, palette.strong);
    visuals.weak_text_color = Some(palette.weak);
    visuals.selection.bg_fill = palette.accent;
    visuals.selection.stroke = Stroke::new(1.0, palette.on_accent);
    visuals.hyperlink_color = palette.link;
    visuals.faint_bg_color = palette.stripe;
    visuals.extreme_bg_color = palette.field;
    visuals.code_bg_color = palette.field;
    visuals.warn_fg_color = palette.warn;
    visuals.error_fg_color = palette.error;
    visuals.panel_fill = palette.panel;
    visuals.window_fill = palette.panel;
    visuals.window_stroke = Stroke::new(1.0, palette.outline);
    let shade = if visuals.dark_mode { 110 } else { 40 };
    let shadow = Shadow { offset: [0, 4], blur: 14, spread: 0, color: Color32::from_black_alpha(shade) };
    (visuals.window_shadow, visuals.popup_shadow) = (shadow, shadow);
    visuals.slider_trailing_fill = true;
    visuals.handle_shape = egui::style::HandleShape::Circle;
    visuals.disabled_alpha = DISABLED;
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much light a colour gives, by WCAG 2.
    fn luminance(color: Color32) -> f64 {
        let [r, g, b, a] = color.to_array();
        assert_eq!(a, 255, "{color:?} is not opaque");
        let linear = |v: u8| {
            let v = f64::from(v) / 255.0;
            if v <= 0.03928 { v / 12.92 } else { libm::pow((v + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: Color32, b: Color32) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Every text and what it may stand on.
    fn pairs(p: &Palette) -> Vec<(&'static str, Color32, Color32)> {
        let inks = [
            ("text", p.text),
            ("strong", p.strong),
            ("weak", p.weak),
            ("link", p.link),
            ("error", p.error),
            ("warn", p.warn),
            ("good", p.good),
        ];
        let grounds = [p.panel, p.field, p.bar, p.stripe, p.raised];
        let mut pairs: Vec<_> =
            inks.into_iter().flat_map(|(name, ink)| grounds.map(|ground| (name, ink, ground))).collect();
        for ground in [p.hovered, p.pressed] {
            pairs.extend([("strong", p.strong, ground), ("text", p.text, ground), ("weak", p.weak, ground)]);
        }
        pairs.extend([("chosen", p.on_accent, p.accent)]);
        // What cannot be used is mixed with what is behind it.
        let disabled = |ink: Color32, ground: Color32| ground.lerp_to_gamma(ink, DISABLED);
        for ground in [p.panel, p.field, p.bar, p.raised] {
            pairs.push(("disabled", disabled(p.text, ground), ground));
        }
        pairs
    }

    #[test]
    fn every_text_can_be_read_on_everything_that_it_stands_on() {
        for (theme, palette) in [("dark", &DARK), ("light", &LIGHT)] {
            for (name, ink, ground) in pairs(palette) {
                let contrast = contrast(ink, ground);
                assert!(contrast >= 4.5, "{theme}: {name} {ink:?} on {ground:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn lines_of_plots_can_be_told_from_what_is_behind_them() {
        for palette in [&DARK, &LIGHT] {
            for color in palette.series.iter().chain(&palette.axes) {
                let contrast = contrast(*color, palette.field);
                assert!(contrast >= 3.0, "{color:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn panels_get_the_colours_that_were_checked() {
        let ctx = egui::Context::default();
        dress(&ctx);
        for theme in [Theme::Dark, Theme::Light] {
            let style = ctx.style_of(theme);
            let (visuals, palette) = (&style.visuals, of(&style.visuals));
            assert_eq!(visuals.dark_mode, theme == Theme::Dark);
            let inks = [
                (visuals.text_color(), palette.text),
                (visuals.strong_text_color(), palette.strong),
                (visuals.weak_text_color(), palette.weak),
                (visuals.widgets.inactive.text_color(), palette.text),
                (visuals.widgets.hovered.text_color(), palette.strong),
                (visuals.widgets.open.text_color(), palette.strong),
                (visuals.selection.stroke.color, palette.on_accent),
                (visuals.text_edit_bg_color(), palette.field),
                (visuals.window_fill(), palette.panel),
            ];
            for (shown, checked) in inks {
                assert_eq!(shown, checked);
            }
            assert_eq!(visuals.disabled_alpha(), DISABLED);
            assert!(style.text_styles.values().all(|font| font.size >= 12.0));
        }
    }

    /// The files of this crate.
    fn sources(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }

    #[test]
    fn nobody_else_chooses_colours_or_sizes_of_text() {
        let mut all = Vec::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
        assert!(all.len() > 60, "{}", all.len());
        // Built from parts, so that this file does not hold them.
        let sizes = ["FontId::", "RichText::size("].map(|start| format!("{start}{}", ""));
        let colors =
            ["from_rgb(", "GRAY", "RED", "GREEN", "BLUE", "YELLOW"].map(|name| format!("Color32::{name}"));
        for (file, text) in all.iter().filter(|(file, _)| !file.contains("look")) {
            for word in sizes.iter().chain(&colors) {
                assert!(!text.contains(word.as_str()), "{file} has its own {word}");
            }
        }
    }
}
