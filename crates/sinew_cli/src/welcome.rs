//! What `sinew` says when it is not told what to do.

/// Three commands that work at once, in this order.
pub(crate) const WELCOME: &str = "\
Sinew moves a character's skin with its skeleton.

Try, in this order:
  sinew sample human -o human.glb
  sinew render human.glb -o human.png --clip walk --time 0.3 --springs anchored
  sinew skin human.glb -o posed.obj --clip walk --time 0.3 --method dual-quat

`sinew demo` writes a page with every method on every sample, side by side.
`sinew --help` lists every verb, `sinew VERB --help` explains one with examples.
";
