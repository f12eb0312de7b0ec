//! Where panels stand: a tree of tiles that the user splits, drags and closes, kept from one day to the next.

use crate::settings::Panel;
use egui_tiles::{Container, Linear, LinearDir, SimplificationOptions, Tile, TileId, Tiles, Tree};
use std::collections::BTreeMap;

/// What a tile shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) enum Pane {
    Picture,
    Panel(Panel),
}

/// A window that has no room for panels on both sides, in points.
pub(crate) const NARROW: f32 = 720.0;
/// How wide panels are at first: those at the left, those at the right.
const LEFT: f32 = 236.0;
const RIGHT: f32 = 330.0;
/// How much of the window the picture has at least.
const PICTURE: f32 = 0.4;

/// How a tree is kept simple: every panel has its name over it, and there are no empty places.
pub(crate) const SIMPLE: SimplificationOptions = SimplificationOptions {
    prune_empty_tabs: true,
    prune_empty_containers: true,
    prune_single_child_tabs: true,
    prune_single_child_containers: true,
    all_panes_must_have_tabs: true,
    join_nested_linear_containers: true,
    flatten_tabs_in_tabs: false,
};

/// What stands at the left from the start.
const AT_LEFT: [Panel; 3] = [Panel::Clips, Panel::Display, Panel::Inspect];

/// Which panels are open, and where. There are two: one for windows with room, and one for those without, in which all panels share
/// a place.
#[derive(Clone, serde::Deserialize, serde::Serialize)]
pub(crate) struct Layout {
    wide: Tree<Pane>,
    narrow: Tree<Pane>,
    #[serde(skip)]
    is_narrow: bool,
    /// How wide panels at the sides were last asked to be, and what they got where there was no room for that.
    #[serde(skip)]
    widths: BTreeMap<u64, [f32; 2]>,
}

impl Default for Layout {
    fn default() -> Self {
        let mut tiles = Tiles::default();
        let picture = alone(&mut tiles, Pane::Picture);
        let [clips, show, inspect] = AT_LEFT.map(|panel| tiles.insert_pane(Pane::Panel(panel)));
        let clips = tiles.insert_tab_tile(vec![clips]);
        let others = tiles.insert_tab_tile(vec![show, inspect]);
        let left = Linear::new_binary(LinearDir::Vertical, [clips, others], 0.42);
        let left = tiles.insert_container(Container::Linear(left));
        let root = tiles.insert_horizontal_tile(vec![left, picture]);
        let wide = Tree::new(egui::Id::unique("tiles"), root, tiles);

        let mut tiles = Tiles::default();
        let picture = alone(&mut tiles, Pane::Picture);
        let panels = AT_LEFT.map(|panel| tiles.insert_pane(Pane::Panel(panel)));
        let panels = tiles.insert_tab_tile(panels.into());
        let both = Linear::new_binary(LinearDir::Horizontal, [panels, picture], 0.45);
        let root = tiles.insert_container(Container::Linear(both));
        let narrow = Tree::new(egui::Id::unique("narrow tiles"), root, tiles);
        Self { wide, narrow, is_narrow: false, widths: BTreeMap::new() }
    }
}

fn alone(tiles: &mut Tiles<Pane>, pane: Pane) -> TileId {
    let pane = tiles.insert_pane(pane);
    tiles.insert_tab_tile(vec![pane])
}

impl Layout {
    /// What was kept, if it can be used: there is one picture.
    pub fn restored(self) -> Self {
        let whole = |tree: &Tree<Pane>| {
            let pictures = tree.tiles.tiles().filter(|tile| matches!(tile, Tile::Pane(Pane::Picture)));
            tree.root.is_some() && pictures.count() == 1
        };
        if whole(&self.wide) && whole(&self.narrow) { self } else { Self::default() }
    }

    /// The tree for a window of this width, with room for its picture.
    pub fn tree(&mut self, width: f32) -> &mut Tree<Pane> {
        self.is_narrow = width < NARROW;
        if self.is_narrow {
            return &mut self.narrow;
        }
        share(&mut self.wide, width, &mut self.widths);
        &mut self.wide
    }

    fn shown(&self) -> &Tree<Pane> {
        if self.is_narrow { &self.narrow } else { &self.wide }
    }

    /// True if a panel is open, if only as a tab behind others.
    pub fn has(&self, panel: Panel) -> bool {
        self.wide.tiles.find_pane(&Pane::Panel(panel)).is_some()
    }

    /// True if what is in a panel can be seen.
    pub fn shows(&self, panel: Panel) -> bool {
        let tree = self.shown();
        let Some(tile) = tree.tiles.find_pane(&Pane::Panel(panel)) else { return false };
        tree.active_tiles().contains(&tile)
    }

    /// Opens a panel, or brings it before the others.
    pub fn open(&mut self, panel: Panel) {
        for (tree, is_narrow) in [(&mut self.wide, false), (&mut self.narrow, true)] {
            if tree.tiles.find_pane(&Pane::Panel(panel)).is_none() {
                insert(tree, panel, is_narrow);
            }
            tree.make_active(|_, tile| matches!(tile, Tile::Pane(Pane::Panel(own)) if *own == panel));
        }
    }

    pub fn close(&mut self, panel: Panel) {
        for tree in [&mut self.wide, &mut self.narrow] {
            if let Some(tile) = tree.tiles.find_pane(&Pane::Panel(panel)) {
                tree.remove_recursively(tile);
                // A place without panels is none.
                tree.simplify(&SIMPLE);
            }
        }
    }
}

/// Puts a panel among others of its side, or at its side of the window.
fn insert(tree: &mut Tree<Pane>, panel: Panel, anywhere: bool) {
    let tile = tree.tiles.insert_pane(Pane::Panel(panel));
    let at_left = AT_LEFT.contains(&panel);
    let belongs = |other: &Panel| anywhere || AT_LEFT.contains(other) == at_left;
    let near = tree.tiles.iter().filter_map(|(id, tile)| match tile {
        Tile::Pane(Pane::Panel(other)) if *other != panel && belongs(other) => Some(*id),
        _ => None,
    });
    // The one that was opened last: its number is the largest.
    let near = near.max_by_key(|id| id.0).and_then(|id| tree.tiles.parent_of(id));
    if let Some(Tile::Container(Container::Tabs(tabs))) = near.and_then(|near| tree.tiles.get_mut(near)) {
        tabs.add_child(tile);
        tabs.set_active(tile);
        return;
    }
    let tabs = tree.tiles.insert_tab_tile(vec![tile]);
    let width = if at_left { LEFT } else { RIGHT };
    match tree.root.and_then(|root| tree.tiles.get_mut(root)) {
        Some(Tile::Container(Container::Linear(linear))) if linear.dir == LinearDir::Horizontal => {
            linear.children.insert(if at_left { 0 } else { linear.children.len() }, tabs);
            linear.shares.set_share(tabs, width);
        }
        _ => {
            let mut children: Vec<TileId> = tree.root.into_iter().collect();
            children.insert(if at_left { 0 } else { children.len() }, tabs);
            let mut linear = Linear::new(LinearDir::Horizontal, children);
            linear.shares.set_share(tabs, width);
            tree.root = Some(tree.tiles.insert_container(Container::Linear(linear)));
        }
    }
}

/// Shares are points: panels keep their width, and the picture has the rest.
fn share(tree: &mut Tree<Pane>, width: f32, asked: &mut BTreeMap<u64, [f32; 2]>) {
    let Some(root) = tree.root else { return };
    let holds = |tree: &Tree<Pane>, from: TileId, wanted: &dyn Fn(Pane) -> bool| {
        let mut left = vec![from];
        while let Some(id) = left.pop() {
            match tree.tiles.get(id) {
                Some(Tile::Pane(pane)) if wanted(*pane) => return true,
                Some(Tile::Container(container)) => left.extend(container.children()),
                _ => {}
            }
        }
        false
    };
    let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get(root) else { return };
    if linear.dir != LinearDir::Horizontal {
        return;
    }
    let children: Vec<TileId> = linear.children.clone();
    let Some(picture) = children.iter().position(|id| holds(tree, *id, &|pane| pane == Pane::Picture)) else {
        return;
    };
    let is_left = |pane: Pane| matches!(pane, Pane::Panel(panel) if AT_LEFT.contains(&panel));
    let mut widths: Vec<f32> = children
        .iter()
        .map(|id| match (linear.shares[*id], asked.get(&id.0)) {
            // As it was left: what was asked for comes back with the room for it.
            (share, Some([wanted, got])) if (share - got).abs() < 0.5 => *wanted,
            // As the tree makes them.
            (share, _) if share < 8.0 => {
                if holds(tree, *id, &is_left) {
                    LEFT
                } else {
                    RIGHT
                }
            }
            (share, _) => share,
        })
        .collect();
    let panels: f32 = widths.iter().enumerate().filter(|(i, _)| *i != picture).map(|(_, w)| w).sum();
    let most = width * (1.0 - PICTURE);
    let fits = if panels > most { most / panels } else { 1.0 };
    asked.clear();
    for (id, wanted) in children.iter().zip(&mut widths) {
        asked.insert(id.0, [*wanted, *wanted * fits]);
        *wanted *= fits;
    }
    widths[picture] = width - panels * fits;
    if let Some(Tile::Container(Container::Linear(linear))) = tree.tiles.get_mut(root) {
        children.iter().zip(widths).for_each(|(id, width)| linear.shares.set_share(*id, width));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(layout: &mut Layout, width: f32) -> Vec<f32> {
        let tree = layout.tree(width);
        let Some(Tile::Container(Container::Linear(root))) = tree.root.and_then(|root| tree.tiles.get(root))
        else {
            panic!("a row");
        };
        root.children.iter().map(|id| root.shares[*id]).collect()
    }

    #[test]
    fn panels_keep_their_width_and_the_picture_has_the_rest() {
        let mut layout = Layout::default();
        assert_eq!(widths(&mut layout, 1280.0), [LEFT, 1280.0 - LEFT]);
        layout.open(Panel::Graph);
        assert_eq!(widths(&mut layout, 1280.0), [LEFT, 1280.0 - LEFT - RIGHT, RIGHT]);
        assert_eq!(widths(&mut layout, 1900.0), [LEFT, 1900.0 - LEFT - RIGHT, RIGHT]);
        // With little room it still has a part.
        let small = widths(&mut layout, 800.0);
        assert!((small[1] - 800.0 * PICTURE).abs() < 0.1 && (small.iter().sum::<f32>() - 800.0).abs() < 0.1);
        // With room again all is as it was.
        assert_eq!(widths(&mut layout, 1280.0), [LEFT, 1280.0 - LEFT - RIGHT, RIGHT]);
        layout.close(Panel::Graph);
        assert_eq!(widths(&mut layout, 1280.0), [LEFT, 1280.0 - LEFT]);
    }

    #[test]
    fn a_panel_comes_to_its_like_and_goes_again() {
        let mut layout = Layout::default();
        layout.tree(1280.0);
        assert!(layout.shows(Panel::Clips) && layout.shows(Panel::Display) && !layout.shows(Panel::Inspect));
        for panel in Panel::ALL {
            layout.open(panel);
            assert!(layout.has(panel) && layout.shows(panel), "{panel:?}");
        }
        // All at the right share a place.
        assert_eq!(widths(&mut layout, 1280.0).len(), 3);
        assert!(!layout.shows(Panel::Mix) && layout.has(Panel::Mix), "it is behind another");
        layout.tree(400.0);
        layout.open(Panel::Mix);
        assert!(layout.shows(Panel::Mix) && !layout.shows(Panel::Clips), "one place for all");
        for panel in Panel::ALL {
            layout.close(panel);
            assert!(!layout.has(panel) && !layout.shows(panel), "{panel:?}");
        }
        layout.open(Panel::Clips);
        assert!(layout.has(Panel::Clips));
    }

    #[test]
    fn what_was_kept_without_a_picture_is_not_used() {
        let mut layout = Layout::default();
        layout.open(Panel::Mix);
        assert!(layout.clone().restored().has(Panel::Mix));
        let picture = layout.wide.tiles.find_pane(&Pane::Picture).unwrap();
        layout.wide.remove_recursively(picture);
        assert!(!layout.restored().has(Panel::Mix));
    }
}
