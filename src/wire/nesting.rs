//! Which of the open brackets are objects' ones: a stack of bits.

/// Deepest nesting of arrays and objects that is read, here as by orjson.
pub(crate) const MAX_DEPTH: usize = 1024;

/// The brackets that are open. Who pushes sees to it that there are never more than [`MAX_DEPTH`].
pub(crate) struct Nesting {
    objects: [u64; MAX_DEPTH / 64],
    depth: usize,
}

impl Default for Nesting {
    fn default() -> Self {
        Self { objects: [0; MAX_DEPTH / 64], depth: 0 }
    }
}

impl Nesting {
    pub(crate) fn len(&self) -> usize {
        self.depth
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.depth == 0
    }

    pub(crate) fn push(&mut self, object: bool) {
        let bit = 1 << (self.depth % 64);
        let word = &mut self.objects[self.depth / 64];
        *word = if object { *word | bit } else { *word & !bit };
        self.depth += 1;
    }

    pub(crate) fn pop(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn innermost_is_object(&self) -> bool {
        let top = self.depth - 1;
        self.objects[top / 64] >> (top % 64) & 1 == 1
    }

    /// The bracket that closes the innermost one.
    pub(crate) fn closing(&self) -> Option<u8> {
        (!self.is_empty()).then(|| if self.innermost_is_object() { b'}' } else { b']' })
    }
}
