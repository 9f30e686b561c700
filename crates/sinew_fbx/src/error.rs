//! Why a file is no FBX.

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FbxError {
    /// ufbx says so.
    #[error("{what}")]
    Refused {
        /// In its words.
        what: String,
    },
    /// It unpacks to more than its size justifies.
    #[error(
        "unpacks to more than {megabytes} MB, which is more than a file of this size should; split it"
    )]
    TooLarge {
        /// The largest size that is read.
        megabytes: usize,
    },
}

impl FbxError {
    pub(crate) fn of(error: &ufbx::Error) -> Self {
        let description = error.description.to_string();
        let info = error.info();
        let what = match (description.as_str(), info) {
            ("", "") => "ufbx cannot read it".to_owned(),
            (description, "") => description.to_owned(),
            (description, info) => format!("{description} ({info})"),
        };
        Self::Refused { what }
    }
}
