"""The nodes of view_robot.launch.py: a robot in RViz with sliders, without a control loop."""

from __future__ import annotations

from crawler_bringup.stack.node_spec import NodeSpec, clock_remappings
from crawler_bringup.stack.options import Options
from crawler_core.robot.names import check_namespace
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_nodes.topics import ODOM_FRAME, frame_name
from crawler_nodes.transport.domain_id import domain_id


def robot_view_nodes(options: Options) -> tuple[NodeSpec, ...]:
    """Return the description node, the sliders and, if wanted, RViz."""
    domain_id()
    check_namespace(options.namespace)
    spec = load_robot(options.robot, options.section("robot"))
    parameters = {**options.robot_parameters(), "use_sim_time": False}
    description = NodeSpec(
        "crawler_bringup", "description_node", "description", parameters, namespace=options.namespace
    )
    sliders = NodeSpec(
        "joint_state_publisher_gui",
        "joint_state_publisher_gui",
        "sliders",
        {f"zeros.{joint.name}": joint.home for joint in spec.joints},
        namespace=options.namespace,
        remappings=(("joint_states", "slider_states"),),  # the description node closes the loops
        installed_with_ros=True,
    )
    rviz = (rviz_node(spec, options, sim_time=False),) if options.rviz else ()
    return (description, sliders, *rviz)


def rviz_node(spec: RobotSpec, options: Options, *, sim_time: bool) -> NodeSpec:
    """Return RViz with the robot's own configuration."""
    fixed_frame = frame_name(options.namespace.strip("/"), ODOM_FRAME)
    return NodeSpec(
        "rviz2",
        "rviz2",
        "rviz",
        {"use_sim_time": sim_time},
        namespace=options.namespace,
        arguments=("-d", str(spec.directory / f"{spec.name}.rviz"), "-f", fixed_frame),
        remappings=clock_remappings(options.namespace),
        installed_with_ros=True,
    )
