//! What the rigs of known bodies call their joints.

/// What a rig calls its joints; pairs are left and right. Optional joints are `None` where a rig
/// has none.
#[derive(Clone, Copy, Debug)]
pub struct BodyRig {
    /// From the hips up, without the hips.
    pub spine: &'static [&'static str],
    /// Collar bones.
    pub clavicle: Option<[&'static str; 2]>,
    /// Shoulder to elbow.
    pub upper_arm: [&'static str; 2],
    /// Elbow to wrist.
    pub forearm: [&'static str; 2],
    /// The half of the forearm that shares the hand's twist.
    pub forearm_twist: Option<[&'static str; 2]>,
    /// Wrist to knuckles.
    pub hand: Option<[&'static str; 2]>,
    /// Hip to knee.
    pub thigh: [&'static str; 2],
    /// Knee to ankle.
    pub shin: [&'static str; 2],
    /// Ankle to ball.
    pub foot: Option<[&'static str; 2]>,
    /// A head wider than the shoulders on limbs shorter than it: arms raised further than the head
    /// allows would be inside it.
    pub is_stubby: bool,
}

/// The sample `human`.
pub const HUMAN: BodyRig = BodyRig {
    spine: &["spine_1", "spine_2", "spine_3"],
    clavicle: Some(["clavicle_l", "clavicle_r"]),
    upper_arm: ["upper_arm_l", "upper_arm_r"],
    forearm: ["forearm_l", "forearm_r"],
    forearm_twist: Some(["forearm_twist_l", "forearm_twist_r"]),
    hand: Some(["hand_l", "hand_r"]),
    thigh: ["thigh_l", "thigh_r"],
    shin: ["shin_l", "shin_r"],
    foot: Some(["foot_l", "foot_r"]),
    is_stubby: false,
};

/// The sample `chibi`.
pub const CHIBI: BodyRig =
    BodyRig { spine: &["spine", "chest"], forearm_twist: None, is_stubby: true, ..HUMAN };

/// The sample `giant`.
pub const GIANT: BodyRig = BodyRig { spine: &["spine", "chest"], forearm_twist: None, ..HUMAN };

/// MakeHuman's default rig.
pub const MAKEHUMAN: BodyRig = BodyRig {
    spine: &["spine04", "spine03", "spine02"],
    clavicle: Some(["clavicle.L", "clavicle.R"]),
    upper_arm: ["upperarm01.L", "upperarm01.R"],
    forearm: ["lowerarm01.L", "lowerarm01.R"],
    forearm_twist: Some(["lowerarm02.L", "lowerarm02.R"]),
    hand: Some(["wrist.L", "wrist.R"]),
    thigh: ["upperleg01.L", "upperleg01.R"],
    shin: ["lowerleg01.L", "lowerleg01.R"],
    foot: Some(["foot.L", "foot.R"]),
    is_stubby: false,
};

/// MakeHuman's rig for game engines.
pub const MAKEHUMAN_GAME: BodyRig = BodyRig {
    spine: &["spine_01", "spine_02", "spine_03"],
    clavicle: Some(["clavicle_l", "clavicle_r"]),
    upper_arm: ["upperarm_l", "upperarm_r"],
    forearm: ["lowerarm_l", "lowerarm_r"],
    forearm_twist: None,
    hand: Some(["hand_l", "hand_r"]),
    thigh: ["thigh_l", "thigh_r"],
    shin: ["calf_l", "calf_r"],
    foot: Some(["foot_l", "foot_r"]),
    is_stubby: false,
};

/// Khronos' CesiumMan.
pub const CESIUM_MAN: BodyRig = BodyRig {
    spine: &["Skeleton_torso_joint_2", "torso_joint_3"],
    clavicle: None,
    upper_arm: ["Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R"],
    forearm: ["Skeleton_arm_joint_L__3_", "Skeleton_arm_joint_R__2_"],
    forearm_twist: None,
    hand: Some(["Skeleton_arm_joint_L__2_", "Skeleton_arm_joint_R__3_"]),
    thigh: ["leg_joint_L_1", "leg_joint_R_1"],
    shin: ["leg_joint_L_2", "leg_joint_R_2"],
    foot: Some(["leg_joint_L_3", "leg_joint_R_3"]),
    is_stubby: false,
};

/// Khronos' RiggedFigure.
pub const RIGGED_FIGURE: BodyRig = BodyRig {
    spine: &["torso_joint_2", "torso_joint_3"],
    clavicle: None,
    upper_arm: ["arm_joint_L_1", "arm_joint_R_1"],
    forearm: ["arm_joint_L_2", "arm_joint_R_2"],
    forearm_twist: None,
    hand: Some(["arm_joint_L_3", "arm_joint_R_3"]),
    thigh: ["leg_joint_L_1", "leg_joint_R_1"],
    shin: ["leg_joint_L_2", "leg_joint_R_2"],
    foot: Some(["leg_joint_L_3", "leg_joint_R_3"]),
    is_stubby: false,
};

/// Rigs from Mixamo.
pub const MIXAMO: BodyRig = BodyRig {
    spine: &["mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"],
    clavicle: Some(["mixamorig:LeftShoulder", "mixamorig:RightShoulder"]),
    upper_arm: ["mixamorig:LeftArm", "mixamorig:RightArm"],
    forearm: ["mixamorig:LeftForeArm", "mixamorig:RightForeArm"],
    forearm_twist: None,
    hand: Some(["mixamorig:LeftHand", "mixamorig:RightHand"]),
    thigh: ["mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"],
    shin: ["mixamorig:LeftLeg", "mixamorig:RightLeg"],
    foot: Some(["mixamorig:LeftFoot", "mixamorig:RightFoot"]),
    is_stubby: false,
};

/// KayKit's characters.
pub const KAYKIT: BodyRig = BodyRig {
    spine: &["spine", "chest"],
    clavicle: None,
    upper_arm: ["upperarm.l", "upperarm.r"],
    forearm: ["lowerarm.l", "lowerarm.r"],
    forearm_twist: None,
    hand: Some(["wrist.l", "wrist.r"]),
    thigh: ["upperleg.l", "upperleg.r"],
    shin: ["lowerleg.l", "lowerleg.r"],
    foot: Some(["foot.l", "foot.r"]),
    is_stubby: false,
};

/// VRM avatars with Unity's names in words.
pub const VRM: BodyRig = BodyRig {
    spine: &["Spine", "Chest"],
    clavicle: Some(["Left shoulder", "Right shoulder"]),
    upper_arm: ["Left arm", "Right arm"],
    forearm: ["Left elbow", "Right elbow"],
    forearm_twist: None,
    hand: Some(["Left wrist", "Right wrist"]),
    thigh: ["Left leg", "Right leg"],
    shin: ["Left knee", "Right knee"],
    foot: Some(["Left ankle", "Right ankle"]),
    is_stubby: false,
};

/// Quaternius' men and women.
pub const QUATERNIUS: BodyRig = BodyRig {
    spine: &["Abdomen", "Torso", "Chest"],
    clavicle: Some(["Shoulder.L", "Shoulder.R"]),
    upper_arm: ["UpperArm.L", "UpperArm.R"],
    forearm: ["LowerArm.L", "LowerArm.R"],
    forearm_twist: None,
    hand: Some(["Hand.L", "Hand.R"]),
    thigh: ["UpperLeg.L", "UpperLeg.R"],
    shin: ["LowerLeg.L", "LowerLeg.R"],
    foot: Some(["Foot.L", "Foot.R"]),
    is_stubby: false,
};

/// RobotExpressive, whose feet hang from targets of their own.
pub const ROBOT_EXPRESSIVE: BodyRig =
    BodyRig { spine: &["Abdomen", "Torso"], hand: None, ..QUATERNIUS };

/// Quaternius' single knight, with the robot's skeleton.
pub const QUATERNIUS_KNIGHT: BodyRig =
    BodyRig { hand: Some(["Palm.L", "Palm.R"]), ..ROBOT_EXPRESSIVE };

/// gdbot: no spine, legs below the torso, feet on targets of their own.
pub const GDBOT: BodyRig = BodyRig {
    spine: &[],
    clavicle: None,
    upper_arm: ["upperarm.L", "upperarm.R"],
    forearm: ["lowerarm.L", "lowerarm.R"],
    forearm_twist: None,
    hand: Some(["hand.L", "hand.R"]),
    thigh: ["upperleg.L", "upperleg.R"],
    shin: ["lowerleg.L", "lowerleg.R"],
    foot: Some(["foot.L", "foot.R"]),
    is_stubby: true,
};

/// Quaternius' animals: front legs for arms, hooves on targets of their own.
pub const QUATERNIUS_ANIMAL: BodyRig = BodyRig {
    spine: &["Torso", "Torso2", "Torso3"],
    clavicle: None,
    upper_arm: ["FrontUpperLeg.L", "FrontUpperLeg.R"],
    forearm: ["FrontLowerLeg.L", "FrontLowerLeg.R"],
    forearm_twist: None,
    hand: Some(["IKFrontLeg.L", "IKFrontLeg.R"]),
    thigh: ["BackUpperLeg.L", "BackUpperLeg.R"],
    shin: ["BackLowerLeg.L", "BackLowerLeg.R"],
    foot: Some(["IKBackLeg.L", "IKBackLeg.R"]),
    is_stubby: false,
};

/// Quaternius' robot on two legs: no arms, so its legs say which way it looks.
pub const QUATERNIUS_WALKER: BodyRig = BodyRig {
    spine: &["Head"],
    clavicle: None,
    upper_arm: ["Leg1.L", "Leg1.R"],
    forearm: ["Leg2.L", "Leg2.R"],
    forearm_twist: None,
    hand: None,
    thigh: ["Leg1.L", "Leg1.R"],
    shin: ["Leg2.L", "Leg2.R"],
    foot: Some(["Foot.L", "Foot.R"]),
    is_stubby: false,
};
