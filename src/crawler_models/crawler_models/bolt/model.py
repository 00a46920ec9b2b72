"""Model of BOLT for the registry. Compiled parts are imported on first use."""

from __future__ import annotations

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.model import Column, Model
from crawler_models.interface.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """At the robot file's start."""
    from crawler_models.bolt.bolt_plant import BoltPlant
    from crawler_models.bolt.equations.leg import Leg
    from crawler_models.bolt.simulation.sampled_run import Start

    return BoltPlant(Leg.from_parameters(spec.parameters), Start.of(spec))


BOLT_MODEL = Model(  # it runs under a law, and what it then does the law predicts (crawler_models.bolt.prediction)
    plant=plant,
    columns=(
        Column("friction_needed", "least friction of a floor that carries it", lambda v: f"{v:.3f}", study_type=float),
        Column(
            "friction_used", "share of its load that holds a foot that sticks", lambda v: f"{v:.3f}", study_type=float
        ),
        Column("slip_per_stride_m", "the foot slips in a stride", lambda v: f"{v * 1e3:.3f} mm", study_type=float),
        Column("peak_torque_N_m", "largest torque", lambda v: f"{v:.2f} N m", study_type=float),
        Column("flight_torque_N_m", "largest torque in flight", lambda v: f"{v:.2f} N m"),
        Column("peak_power_W", "largest power", lambda v: f"{v:.0f} W", study_type=float),
        Column("peak_speed_rad_s", "largest crank speed", lambda v: f"{v:.1f} rad/s", study_type=float),
        Column("peak_force_N", "largest force under the foot", lambda v: f"{v:.0f} N", study_type=float),
        Column("least_forward_m_s", "the body's least speed", lambda v: f"{v:.3f} m/s", study_type=float),
        Column("clearance_m", "the foot rises to", lambda v: f"{v * 1e3:.0f} mm"),
        Column("energy_per_stride_J", "work of the motor in a stride", lambda v: f"{v:.2f} J", study_type=float),
        Column("cost_of_transport", "cost of transport", lambda v: f"{v:.3f}", study_type=float),
        Column("floquet", "largest Floquet multiplier", lambda v: f"{v:.3f}", study_type=float),
    ),
    figures="crawler_studies.bolt.figures:PAPER_FIGURES",
    design="crawler_studies.bolt.design.designer:DESIGNER",
    velocity_map="crawler_models.bolt.velocity_map:make_velocity_map",
    lookup="crawler_models.bolt.foot_table.foot_table:lookup",
)
