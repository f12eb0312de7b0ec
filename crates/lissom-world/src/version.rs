//! Change versions: one an entity, one maximum a block.
//!
//! Where a whole block changed at once, only its maximum is written ("uniform"): the single versions are
//! filled in when the first part of the block changes alone. So a world that moves as a whole writes 16
//! bytes of versions for 64 entities.

/// What carries a version of its own.
pub(crate) trait Versioned {
    fn version(&self) -> u64;
    fn set_version(&mut self, version: u64);
}

impl Versioned for u64 {
    #[inline(always)]
    fn version(&self) -> u64 {
        *self
    }

    #[inline(always)]
    fn set_version(&mut self, version: u64) {
        *self = version;
    }
}

/// The version of a block of up to 64 entities.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Block {
    /// The newest version in the block.
    pub max: u64,
    /// True: every live entity of the block has version `max`, the single versions are out of date.
    pub uniform: bool,
}

impl Block {
    /// Gives the entities of `mask` this version; `live` are all that exist.
    #[inline(always)]
    pub fn mark(&mut self, versions: &mut [impl Versioned], mask: u64, live: u64, version: u64) {
        if mask == live {
            *self = Self { max: version, uniform: true };
            return;
        }
        self.spread(versions);
        let mut rest = mask;
        while rest != 0 {
            versions[rest.trailing_zeros() as usize].set_version(version);
            rest &= rest - 1;
        }
        self.max = version;
    }

    /// Makes the single versions true.
    #[inline]
    pub fn spread(&mut self, versions: &mut [impl Versioned]) {
        if self.uniform {
            versions.iter_mut().for_each(|v| v.set_version(self.max));
            self.uniform = false;
        }
    }

    /// The version of one entity.
    #[inline]
    pub fn get(&self, versions: &[impl Versioned], at: usize) -> u64 {
        if self.uniform { self.max } else { versions[at].version() }
    }

    /// The entities of `live` that changed after `since`.
    #[inline]
    pub fn changed(&self, versions: &[impl Versioned], live: u64, since: u64) -> u64 {
        if self.max <= since {
            return 0;
        }
        if self.uniform {
            return live;
        }
        let mut out = 0;
        let mut rest = live;
        while rest != 0 {
            let i = rest.trailing_zeros();
            out |= u64::from(versions[i as usize].version() > since) << i;
            rest &= rest - 1;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_changed_as_a_whole_and_then_in_part_knows_every_version() {
        let (mut block, mut versions) = (Block::default(), [0_u64; 64]);
        let live = 0b1011_u64;
        block.mark(&mut versions, live, live, 5);
        assert_eq!(versions, [0; 64], "only the block was written");
        assert_eq!(block.changed(&versions, live, 4), live);
        assert_eq!(block.changed(&versions, live, 5), 0);
        block.mark(&mut versions, 0b0010, live, 7);
        assert_eq!([0, 1, 3].map(|i| block.get(&versions, i)), [5, 7, 5]);
        assert_eq!(block.changed(&versions, live, 5), 0b0010);
        assert_eq!(block.changed(&versions, live, 4), live);
    }
}
