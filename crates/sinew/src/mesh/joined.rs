//! What hangs together, directly or by others: a forest of disjoint sets.

/// Members by number, each with the lowest that it is known to be joined to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joined {
    towards_root: Vec<u32>,
}

impl Joined {
    /// So many members, each by itself.
    pub(crate) fn new(count: usize) -> Self {
        let mut joined = Self::default();
        joined.reset(count);
        joined
    }

    /// [`Self::new`] in the memory that is there.
    pub(crate) fn reset(&mut self, count: usize) {
        self.towards_root.clear();
        self.towards_root.extend(0..count as u32);
    }

    /// One member more, by itself.
    pub(crate) fn push(&mut self) -> u32 {
        let member = self.towards_root.len() as u32;
        self.towards_root.push(member);
        member
    }

    /// The lowest member that it is joined to.
    pub(crate) fn root(&mut self, mut member: u32) -> u32 {
        while self.towards_root[member as usize] != member {
            // Halves the way for the next.
            let next = self.towards_root[self.towards_root[member as usize] as usize];
            self.towards_root[member as usize] = next;
            member = next;
        }
        member
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.towards_root[a.max(b) as usize] = a.min(b);
    }

    /// How many there are that are joined to none of the others.
    pub(crate) fn num_groups(&self) -> usize {
        (0..).zip(&self.towards_root).filter(|&(member, &root)| member == root).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_is_for_all_members_and_the_lowest_stands_for_them() {
        let mut joined = Joined::new(6);
        joined.join(5, 3);
        joined.join(1, 2);
        assert_eq!((joined.root(5), joined.root(2), joined.num_groups()), (3, 1, 4));
        joined.join(2, 5);
        joined.join(5, 1);
        assert_eq!((joined.root(5), joined.root(3), joined.num_groups()), (1, 1, 3));
        let more = joined.push();
        joined.join(more, 0);
        assert_eq!((joined.root(6), joined.num_groups()), (0, 3));
        joined.reset(2);
        assert_eq!((joined.root(1), joined.num_groups()), (1, 2));
    }
}
