//! The first half of a file: joints, their offsets and channels.

use glam::DVec3;

use super::FileJoint;
use super::channels::{Channel, Channels};
use super::words::{Words, place, shown};
use crate::{ReadError, Report};

/// What an opened brace belongs to.
#[derive(Clone, Copy, Debug)]
enum Open {
    Joint(u32),
    EndSite(u32),
}

/// Reads up to the word MOTION, which is taken too, or to the end. Parents come before children.
pub(super) fn read(
    words: &mut Words<'_>,
    report: &mut Report,
) -> Result<Vec<FileJoint>, ReadError> {
    let mut reader = Reader { joints: Vec::new(), lines: Vec::new(), open: Vec::new(), report };
    let line = words.line();
    if !words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"HIERARCHY")) {
        let what = "a BVH begins with the word HIERARCHY; this is none";
        return Err(ReadError::malformed(place(line), what));
    }
    while let Some(word) = words.next() {
        let line = words.line();
        match word.to_ascii_uppercase().as_slice() {
            b"ROOT" | b"JOINT" => reader.joint(words, line)?,
            b"END" => reader.end_site(words, line)?,
            b"OFFSET" => reader.offset(words, line)?,
            b"CHANNELS" => reader.channels(words, line)?,
            b"}" => {
                if reader.open.pop().is_none() {
                    return Err(malformed(line, "closes a brace that was not opened"));
                }
            }
            b"MOTION" if reader.open.is_empty() => return reader.finish(line),
            b"MOTION" => {
                let what = format!("MOTION begins inside {}; a '}}' is missing", reader.inside());
                return Err(malformed(line, what));
            }
            _ => {
                let what = format!(
                    "'{}' is none of ROOT, JOINT, End Site, OFFSET, CHANNELS and MOTION",
                    shown(word)
                );
                return Err(malformed(line, what));
            }
        }
    }
    if !reader.open.is_empty() {
        let what = format!("the file ends inside {}; it is truncated", reader.inside());
        return Err(malformed(words.line(), what));
    }
    reader.finish(words.line())
}

struct Reader<'a> {
    joints: Vec<FileJoint>,
    /// Where each begins.
    lines: Vec<usize>,
    open: Vec<Open>,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn joint(&mut self, words: &mut Words<'_>, line: usize) -> Result<(), ReadError> {
        let parent = match self.open.last() {
            None => None,
            Some(Open::Joint(parent)) => Some(*parent),
            Some(Open::EndSite(_)) => {
                return Err(malformed(line, "an End Site cannot have joints below it"));
            }
        };
        // Names may have blanks.
        let name = String::from_utf8_lossy(words.rest_of_line()).into_owned();
        let index = self.joints.len();
        let name = if name.is_empty() { format!("joint {index}") } else { name };
        self.brace(words, line, &format!("joint '{name}'"))?;
        let (offset, channels) = (DVec3::ZERO, Channels::default());
        self.joints.push(FileJoint { name, parent, offset, end_site: None, channels });
        self.lines.push(line);
        self.open.push(Open::Joint(index as u32));
        Ok(())
    }

    fn brace(&self, words: &mut Words<'_>, line: usize, of: &str) -> Result<(), ReadError> {
        match words.next() {
            Some(b"{") => Ok(()),
            Some(_) => Err(malformed(line, format!("{of} has no '{{' after its name"))),
            None => Err(malformed(line, format!("the file ends in {of}; it is truncated"))),
        }
    }

    fn end_site(&mut self, words: &mut Words<'_>, line: usize) -> Result<(), ReadError> {
        let Some(Open::Joint(joint)) = self.open.last().copied() else {
            return Err(malformed(line, "an End Site must be inside a joint"));
        };
        words.rest_of_line();
        self.brace(words, line, "the End Site")?;
        self.open.push(Open::EndSite(joint));
        Ok(())
    }

    fn offset(&mut self, words: &mut Words<'_>, line: usize) -> Result<(), ReadError> {
        let mut offset = DVec3::ZERO;
        for axis in 0..3 {
            offset[axis] = words.number(|| format!("{} of an OFFSET", ["x", "y", "z"][axis]))?;
        }
        match self.open.last() {
            None => return Err(malformed(line, "the OFFSET is of no joint")),
            Some(Open::Joint(joint)) => self.joints[*joint as usize].offset = offset,
            Some(Open::EndSite(joint)) => {
                let known = &mut self.joints[*joint as usize].end_site;
                if known.replace(offset).is_some() {
                    let what = "a joint has several End Sites; its bone ends at the last of them";
                    let mend = "make joints of them";
                    self.report.note("several-end-sites", place(line), what, mend);
                }
            }
        }
        Ok(())
    }

    fn channels(&mut self, words: &mut Words<'_>, line: usize) -> Result<(), ReadError> {
        let Some(Open::Joint(joint)) = self.open.last().copied() else {
            return Err(malformed(line, "the CHANNELS are of no joint"));
        };
        let number = words.number(|| "the number of channels".into())?;
        let channels = &mut self.joints[joint as usize].channels;
        if !channels.0.is_empty() {
            return Err(malformed(line, "the joint has a second list of CHANNELS"));
        }
        if number < 0.0 || number.fract() != 0.0 {
            return Err(malformed(line, format!("{number} is no number of channels")));
        }
        while (channels.0.len() as f64) < number {
            let Some(channel) = words.peek().and_then(Channel::of) else {
                let found = words.peek().map_or("the end of the file".into(), shown);
                let what = format!(
                    "{number} channels, but number {} is '{found}'; there are Xposition, Xrotation and so \
                     on",
                    channels.0.len() + 1
                );
                return Err(malformed(line, what));
            };
            words.next();
            channels.0.push(channel);
        }
        if channels.0.contains(&Channel::Other) {
            let what = "a joint has channels of scale, which were left out";
            let mend = "bake the scale before export";
            self.report.warn("channel-left-out", place(line), what, mend);
        }
        Ok(())
    }

    /// What is open, in words.
    fn inside(&self) -> String {
        match self.open.last() {
            None => "nothing".into(),
            Some(Open::Joint(joint) | Open::EndSite(joint)) => {
                let (name, line) =
                    (&self.joints[*joint as usize].name, self.lines[*joint as usize]);
                format!("joint '{name}', which begins in line {line}")
            }
        }
    }

    fn finish(self, line: usize) -> Result<Vec<FileJoint>, ReadError> {
        if self.joints.is_empty() {
            return Err(malformed(line, "the HIERARCHY has no joint"));
        }
        Ok(self.joints)
    }
}

fn malformed(line: usize, what: impl Into<String>) -> ReadError {
    ReadError::malformed(place(line), what)
}
