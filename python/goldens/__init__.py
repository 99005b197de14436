"""The cases behind golden/: what goes in. What comes out is always asked of the reference."""
