"""Properties and choices that RViz (Jazzy, ros2/rviz) declares, as far as the robots' configurations use them.

Class names are those of rviz_default_plugins/plugins_description.xml and of the panels that rviz_common builds in;
names of properties are those that the classes' sources give them, each below the property that it belongs to. RViz
passes over a name that it does not know without a word.
"""

from collections.abc import Mapping
from typing import Any

ANY: Mapping[str, Any] = {}  # whatever names: one for each namespace of markers
QOS = {
    "Depth": int,
    "Durability Policy": ("System Default", "Transient Local", "Volatile"),
    "History Policy": ("System Default", "Keep Last", "Keep All"),
    "Reliability Policy": ("System Default", "Reliable", "Best Effort"),
    "Value": str,
}
NUMBER = (int, float)
VECTOR = {"X": NUMBER, "Y": NUMBER, "Z": NUMBER}
DISPLAY = {"Class": str, "Name": str, "Enabled": bool, "Value": bool}
TREE = {"Expanded": list, "Splitter Ratio": float}

DISPLAYS: Mapping[str, Mapping[str, Any]] = {
    "rviz_default_plugins/Grid": {
        "Alpha": NUMBER,
        "Cell Size": NUMBER,
        "Color": str,
        "Line Style": {"Line Width": NUMBER, "Value": ("Lines", "Billboards")},
        "Normal Cell Count": int,
        "Offset": VECTOR,
        "Plane": ("XY", "XZ", "YZ"),
        "Plane Cell Count": int,
        "Reference Frame": str,
    },
    "rviz_default_plugins/RobotModel": {
        "Alpha": NUMBER,
        "Collision Enabled": bool,
        "Visual Enabled": bool,
        "Description File": str,
        "Description Source": ("Topic", "File"),
        "Description Topic": QOS,
        "TF Prefix": str,
        "Update Interval": NUMBER,
    },
    "rviz_default_plugins/TF": {
        "Frame Timeout": NUMBER,
        "Frames": {"All Enabled": bool},
        "Marker Scale": NUMBER,
        "Show Arrows": bool,
        "Show Axes": bool,
        "Show Names": bool,
        "Update Interval": NUMBER,
    },
    "rviz_default_plugins/Odometry": {
        "Angle Tolerance": NUMBER,
        "Covariance": {"Value": bool},
        "Keep": int,
        "Position Tolerance": NUMBER,
        "Shape": {
            "Alpha": NUMBER,
            "Axes Length": NUMBER,
            "Axes Radius": NUMBER,
            "Color": str,
            "Head Length": NUMBER,
            "Head Radius": NUMBER,
            "Shaft Length": NUMBER,
            "Shaft Radius": NUMBER,
            "Value": ("Arrow", "Axes"),
        },
        "Topic": {**QOS, "Filter size": int},
    },
    "rviz_default_plugins/MarkerArray": {"Namespaces": ANY, "Topic": QOS},
}
# the types of the messages that displays take, by the property that names the topic
TAKES = {
    ("rviz_default_plugins/RobotModel", "Description Topic"): "std_msgs/msg/String",
    ("rviz_default_plugins/Odometry", "Topic"): "nav_msgs/msg/Odometry",
    ("rviz_default_plugins/MarkerArray", "Topic"): "visualization_msgs/msg/MarkerArray",
}
PANELS: Mapping[str, Mapping[str, Any]] = {
    "rviz_common/Displays": {"Property Tree Widget": TREE, "Tree Height": int},
    "rviz_common/Views": TREE,
    "rviz_common/Time": {"Experimental": bool, "SyncMode": int, "SyncSource": str},
}
TOOLS: Mapping[str, Mapping[str, Any]] = {
    "rviz_default_plugins/MoveCamera": {},
    "rviz_default_plugins/Measure": {"Line color": str},
    "rviz_default_plugins/FocusCamera": {},
}
VIEWS: Mapping[str, Mapping[str, Any]] = {
    "rviz_default_plugins/Orbit": {
        "Target Frame": str,
        "Distance": NUMBER,
        "Enable Stereo Rendering": {
            "Stereo Eye Separation": NUMBER,
            "Stereo Focal Distance": NUMBER,
            "Swap Stereo Eyes": bool,
            "Value": bool,
        },
        "Focal Point": VECTOR,
        "Focal Shape Fixed Size": bool,
        "Focal Shape Size": NUMBER,
        "Invert Z Axis": bool,
        "Near Clip Distance": NUMBER,
        "Pitch": NUMBER,
        "Yaw": NUMBER,
    },
}
TRANSFORMATIONS = {"rviz_default_plugins/TF"}
GLOBAL_OPTIONS = {"Background Color": str, "Fixed Frame": str, "Frame Rate": int}
MANAGER = {*DISPLAY, "Displays", "Global Options", "Tools", "Transformation", "Views"}
