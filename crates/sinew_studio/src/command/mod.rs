//! Everything that a menu entry, a button or a key does. One list: menus, toolbar, shortcuts,
//! scripts and tests read it.

mod perform;

use serde::{Deserialize, Serialize};

macro_rules! commands {
    ($($name:ident, $menu:ident, $label:literal, $tip:literal;)*) => {
        /// Something to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Command {
            $(#[doc = $tip] $name,)*
        }

        impl Command {
            /// All of them, in the order of the menus.
            pub const ALL: [Self; [$(stringify!($name)),*].len()] = [$(Self::$name),*];

            /// As menus and screen readers call it.
            pub fn label(self) -> &'static str {
                match self { $(Self::$name => $label,)* }
            }

            /// What it does, in a sentence.
            pub fn tip(self) -> &'static str {
                match self { $(Self::$name => $tip,)* }
            }

            /// The menu that it is in.
            pub fn menu(self) -> Menu {
                match self { $(Self::$name => Menu::$menu,)* }
            }
        }
    };
}

/// The menus of the bar, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Files.
    File,
    /// History and selection.
    Edit,
    /// The pose.
    Pose,
    /// Joints, shapes and what drives them.
    Rig,
    /// Weights, and the brush that paints them.
    Weights,
    /// Camera and what is shown.
    View,
    /// Viewports side by side.
    Compare,
    /// Motion.
    Play,
    /// Help.
    Help,
}

impl Menu {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::File,
        Self::Edit,
        Self::Pose,
        Self::Rig,
        Self::Weights,
        Self::View,
        Self::Compare,
        Self::Play,
        Self::Help,
    ];

    /// As the bar calls it.
    pub fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Pose => "Pose",
            Self::Rig => "Rig",
            Self::Weights => "Weights",
            Self::View => "View",
            Self::Compare => "Compare",
            Self::Play => "Play",
            Self::Help => "Help",
        }
    }
}

commands! {
    Open, File, "Open…", "Open a character (.glb, .gltf, .obj, .ply) or a project (.sinew)";
    Save, File, "Save", "Save the project; its file is written whole or not at all";
    SaveAs, File, "Save As…", "Save the project under another name";
    ImportMotion, File, "Import Motion…", "Put the motions of another file (.bvh, .fbx, .glb, .vrma) on this character; a dropped .bvh or .vrma does the same";
    Export, File, "Export Posed Mesh…", "Write the skin as it is shown to .glb, .gltf, .obj or .ply";
    ExportCharacter, File, "Export Character…", "Write the character itself, with its skeleton and its motions as clips, to .glb or .gltf";
    SavePicture, File, "Save Picture…", "Write what the viewport shows to a .png";
    Quit, File, "Quit", "Close the studio; asks first if something is not saved";

    Undo, Edit, "Undo", "Take the last step back";
    Redo, Edit, "Redo", "Do the last undone step again";
    SelectAll, Edit, "Select All Joints", "Choose every joint";
    SelectNone, Edit, "Select None", "Choose nothing";
    SelectParent, Edit, "Select Parent", "Choose the joint above";
    SelectChild, Edit, "Select Child", "Choose the first joint below";
    PickJoints, Edit, "Select: Joints", "The select tool takes joints by their bones";
    PickPoints, Edit, "Select: Points", "The select tool takes points of the skin";
    SelectBox, Edit, "Select by Box", "A drag of the select tool is a box";
    SelectLasso, Edit, "Select by Lasso", "A drag of the select tool is a lasso";
    SelectThrough, Edit, "Select Through", "Take points that the skin hides, too";
    GrowPoints, Edit, "Grow Points", "Choose the neighbours of the chosen points, too";
    ShrinkPoints, Edit, "Shrink Points", "Leave out the chosen points beside points that are not chosen";
    WholeMeshes, Edit, "Whole Meshes", "Choose all points of every mesh that has a chosen one";
    SelectTool, Edit, "Select Tool", "Click or drag to choose joints or points";
    MoveTool, Edit, "Move Tool", "Move joints by arrows";
    RotateTool, Edit, "Rotate Tool", "Turn joints by rings; the yellow one turns about the bone, past 360° too";
    StretchTool, Edit, "Stretch Tool", "Stretch bones by their ends";
    ReachTool, Edit, "Reach Tool", "Drag a hand, a foot, the head or the hips: the body follows";
    DrawTool, Edit, "Draw Tool", "Draw a line from a joint or over a limb: the limb lies along it";
    PaintTool, Edit, "Paint Weights Tool", "Paint the weights of the chosen joint on the skin with a brush";
    DragTool, Edit, "Drag Weights Tool", "Drag points of the posed skin: their weights change so that the points go there, as far as weights can";
    SculptTool, Edit, "Sculpt Tool", "Drag points of the posed skin into shape: the skin takes it whenever the chosen joint has this pose";
    CageTool, Edit, "Cage Tool", "Move handles of the cage, at rest or in the pose; choose it again to lay it down. Move, Rotate and Stretch act on handles meanwhile";
    SurfaceTool, Edit, "Sketch on Skin Tool", "Draw a stroke on the skin, in any pose: the skin rises along the stroke, and the skin around it follows";
    GrabTool, Edit, "Grab Skin Tool", "Grab the skin with a soft brush and pull it, in any pose";

    CopyPose, Pose, "Copy Pose", "Copy the pose of the chosen joints, or of all if none is chosen";
    PastePose, Pose, "Paste Pose", "Put copied joints into the pose that was copied";
    MirrorPose, Pose, "Mirror Pose", "Left becomes right and right left, by the joints' names";
    MirrorJoints, Pose, "Mirror Chosen Joints", "The other side does what the chosen joints do; they stay as they are";
    PinJoints, Pose, "Pin or Unpin", "Pin the ends of the chosen joints' limbs, or both feet if none is chosen: they stay while the reach tool pulls at something else";
    ResetJoints, Pose, "Reset Chosen Joints", "Bring the chosen joints back to rest";
    ResetPose, Pose, "Reset Whole Pose", "Bring every joint back to rest";
    StorePose, Pose, "Store Pose", "Keep this pose in the library under a new name";

    AddTwistJoints, Rig, "Add Twist Joints", "Spread the twist of the chosen joint over five joints along its limb, and split the weights among them";
    AddHalfWay, Rig, "Add Half-Way Helper", "Add a joint that turns half as far as the chosen one, and move weights to it";
    AddCorrective, Rig, "Add Corrective from Springs", "Add a shape that comes with this pose of the chosen joint and makes linear blending look like springs there";
    MakeCage, Rig, "Make a Cage", "Make a cage around the character, as the cage panel says";
    MakeLattice, Rig, "Make a Box Lattice", "Put a box of quads around the character as its cage, as many along each axis as the cage panel says";
    ImportCage, Rig, "Import Cage…", "Put the mesh of a file (.obj, .glb, .gltf, .ply) around the character as its cage; with the cage tool in hand a dropped file does the same";
    AddCage, Rig, "Add a Cage…", "Add the mesh of a file as a further cage around another part: each piece then moves what is inside it";
    AddPointHandles, Rig, "Add Point Handles", "Make the chosen points of the skin handles of the cage, which move the skin around them";
    CheckCage, Rig, "Check the Cage", "Look for faults of the cage, and mark them in the view";
    CageAtRest, Rig, "Cage: At Rest", "Show the character at rest and move handles there, or in the pose";
    AllHandles, Rig, "Cage: All Handles", "Choose all handles of the cage";
    LoopHandles, Rig, "Cage: Loop", "Choose the whole loop through two chosen neighbours";
    ResetCage, Rig, "Reset the Cage", "Put all handles back to where they were made";
    RemoveCage, Rig, "Remove the Cage", "Remove the cage, and everything that its handles changed";

    BindWeights, Weights, "Bind Weights", "Find all weights anew from skeleton and skin, as the weights panel says";
    TransferWeights, Weights, "Transfer Weights from a File…", "Take the weights of another character, of other topology and proportions, as the weights panel says; or of a file of weights";
    ImportWeights, Weights, "Import Weights…", "Take the weights of a file (.json, .tsv, ngSkinTools' .json) for the meshes that it names";
    ExportWeights, Weights, "Export Weights…", "Write the weights alone, as .json, as a table (.tsv) or for ngSkinTools (.ngskin.json)";
    BrushAdd, Weights, "Brush: Add", "Paint: give the chosen joint more";
    BrushSubtract, Weights, "Brush: Subtract", "Paint: give the chosen joint less";
    BrushReplace, Weights, "Brush: Replace", "Paint: give the chosen joint the value of the weights panel";
    BrushSmooth, Weights, "Brush: Smooth", "Paint: make weights more like their neighbours', each of which counts the same";
    BrushSharpen, Weights, "Brush: Sharpen", "Paint: make weights less like their neighbours'";
    BrushRelax, Weights, "Brush: Relax", "Paint: make weights vary evenly along the skin, where near neighbours count for more";
    BrushSmaller, Weights, "Smaller Brush", "Make the brush in hand smaller: [ with a brush in hand";
    BrushLarger, Weights, "Larger Brush", "Make the brush in hand larger: ] with a brush in hand";

    FrameSelected, View, "Frame Selected", "Bring the chosen joints into view";
    FrameAll, View, "Frame All", "Bring the whole character into view";
    ViewFront, View, "Front", "Look at the character's front";
    ViewBack, View, "Back", "Look at its back";
    ViewLeft, View, "Left Side", "Look at its left side";
    ViewRight, View, "Right Side", "Look at its right side";
    ViewTop, View, "Top", "Look from above";
    Orthographic, View, "Orthographic", "Parallel lines stay parallel, or perspective";
    ShowLists, View, "Lists at the Left", "Show joints, meshes and clips at the left, or fold them away";
    ShowSettings, View, "Settings at the Right", "Show method, joint, poses and figures at the right, or fold them away";
    ShowTimeline, View, "Timeline Below", "Show the timeline, or fold it away";
    ShowBones, View, "Bones", "Show the skeleton, or hide it";
    BonesXRay, View, "Bones: X-Ray", "Show bones as solids through the skin, not as thin sticks";
    NextBones, View, "Next Look of Bones", "Sticks, x-ray, off, one after the other";
    ShowHelpers, View, "Helper Joints", "Show joints that move no skin: controls, pole targets, ends of chains";
    ShowAllMeshes, View, "Show All Meshes", "Show every mesh again";
    ShowWireframe, View, "Wireframe", "Show the edges of triangles";
    ShowMaterial, View, "Colour: Material", "Show the skin in its own colours";
    ShowStretch, View, "Colour: Stretch", "Colour the skin by how far it is stretched or squeezed";
    ShowShells, View, "Colour: Shells", "Colour the skin by how its pieces move: bends, tied to others, rigid, rides on what is below";
    ShowGap, View, "Colour: Gap", "Colour the skin by how far pieces that lie on one another have moved apart";
    ShowWeights, View, "Colour: Weights", "Colour the skin by the weights of the chosen joint";
    ShowInfluences, View, "Colour: Influences", "Colour the skin by all joints at once, each in its colour";
    ShowDifference, View, "Colour: Difference", "Colour compared views by their distance from the first";
    PoseStrip, View, "Pose Strip", "Show the rest and the stored poses beside one another below the views, or hide them";
    ThemeLight, View, "Light Theme", "Bright panels";
    ThemeDark, View, "Dark Theme", "Dark panels";
    KeysIndustry, View, "Keys: Industry", "Alt + mouse moves the camera; Q W E R are the tools";
    KeysBlender, View, "Keys: Blender-like", "The middle button moves the camera; G R S grab, then an axis and a number";

    CompareOne, Compare, "One View", "One viewport";
    CompareTwo, Compare, "Two Views", "Two methods side by side";
    CompareThree, Compare, "Three Views", "Three methods side by side";
    CompareFour, Compare, "Four Views", "Four methods side by side";
    BeforeAfter, Compare, "Before and After", "Show the skin without its springs; again, with them";
    CompareWipe, Compare, "Wipe", "Two methods over each other, with a slider between them";
    RestAndPose, Compare, "Rest and Pose", "The character at rest and in its pose side by side; the cage tool works in both";
    ShowSkin, Compare, "Skin", "Show the posed skin, or hide it to see bones and cage";
    ShowRestSkin, Compare, "Rest: Skin", "Show the skin at rest, seen through, with the pose";
    ShowRestBones, Compare, "Rest: Bones", "Show the skeleton at rest, with the pose";
    ShowRestCage, Compare, "Rest: Cage", "Show the cage at rest, whatever tool is in hand";
    ShowPosedCage, Compare, "Pose: Cage", "Show the cage as it follows the skin, whatever tool is in hand";

    PlayPause, Play, "Play or Pause", "Play the clip, or stop where it is";
    StepBack, Play, "Step Back", "One frame back";
    StepForward, Play, "Step Forward", "One frame forward";
    ToStart, Play, "To Start", "Go to the start of the range";
    ToEnd, Play, "To End", "Go to the end of the range";
    Loop, Play, "Loop", "Begin again at the end";
    OnionSkin, Play, "Onion Skin", "See the character at the keys before and after the playhead";
    RangeOfMotion, Play, "Range of Motion", "Add a motion in which the chosen joints bend and twist one after the other; if none is chosen, all that move skin";
    NewMotion, Play, "New Motion", "Add a motion without keys, two seconds long; the present pose stays over it";
    SetKeys, Play, "Set Keys", "Set keys at the playhead of the chosen joints, and of shapes and controls that were changed; with none chosen, of all that were changed or have keys";
    AutoKey, Play, "Auto-Key", "Posing while a clip is shown sets keys at the playhead";
    DeleteKeys, Play, "Delete Keys", "Delete the chosen keys";
    CopyKeys, Play, "Copy Keys", "Copy the chosen keys";
    PasteKeys, Play, "Paste Keys", "Set the copied keys, the first of them at the playhead";
    KeySheet, Play, "Key Sheet", "Show the keys of the clip by joint, or hide them";
    CurveEditor, Play, "Curve Editor", "Show the curves of a channel with their tangents, or hide them";

    StartPage, Help, "Start Page", "Recent files, built-in characters, and three things to try";
    FirstSteps, Help, "First Steps", "Six things to try";
    Shortcuts, Help, "Keys and Buttons", "What every key does";
    About, Help, "About Sinew", "Version and licence";
}
