"""Plant of a robot in the order of its file; after a reset it stands where it was."""

from __future__ import annotations

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, FloatArray
from crawler_models.model_registry import make_plant


class StandingPlant:
    """The equations of one robot. A plant begins at its own origin; this one goes on from where the robot is.

    Joints are in the order of `spec.joints`, setpoints in that of `spec.actuated`.
    """

    def __init__(self, spec: RobotSpec) -> None:
        """Begin at home. Raises UserError where there are no equations, or the robot cannot begin so."""
        self._plant = plant = make_plant(spec)
        self._joints = [plant.joint_names.index(name) for name in spec.joint_names]
        self._actuated = [spec.actuated_names.index(name) for name in plant.actuated]
        self._present = spec.actuated_indices
        self._x = self._y = 0.0  # m, of the plant's origin in the world: it follows the robot at each new beginning

    def advance(self, position: FloatArray, velocity: FloatArray, effort: FloatArray, dt: float) -> None:
        """Let `dt` seconds pass towards the setpoints; raises what a plant raises."""
        order = self._actuated
        self._plant.advance(position[order], velocity[order], effort[order], dt)

    def stand(self, position: FloatArray | None = None) -> None:
        """Begin again in the same place with the actuated joints at `position` (rad), or where they are.

        Raises ValueError where the robot cannot; the state then stays as it was.
        """
        q = self.joints()[0][self._present] if position is None else position
        x, y, _ = self._plant.base().position
        self._plant.reset(q[self._actuated])
        new_x, new_y, _ = self._plant.base().position
        self._x += x - new_x
        self._y += y - new_y

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s) and effort (N·m)."""
        position, velocity, effort = (row[self._joints] for row in self._plant.joints())
        return position, velocity, effort

    def base(self) -> BaseState:
        """Pose and velocity of the base in the world."""
        base = self._plant.base()
        x, y, z = base.position
        return BaseState((x + self._x, y + self._y, z), base.quaternion, base.linear, base.angular)

    def contacts(self) -> tuple[Contact, ...]:
        """Every foot."""
        return self._plant.contacts()
