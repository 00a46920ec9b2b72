"""Reading of motion_state, and the latest state of each backend."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus

from crawler_core.errors import UserError
from crawler_core.safety.supervisor import MotionState

MAX_BACKENDS = 8  # more only come from backends that are started again and again


def read_motion_state(message: DiagnosticStatus) -> tuple[str, MotionState]:
    """Return the backend that sent motion_state, and its state. Raises UserError for an unknown state."""
    try:
        return message.name, MotionState(message.message)
    except ValueError:
        known = ", ".join(state.value for state in MotionState)
        raise UserError(f"motion_state = '{message.message}' is not allowed: it must be one of {known}.") from None


class BackendMotionStates:
    """Latest motion state of each backend. A backend that reports none is active."""

    def __init__(self) -> None:
        self._states: dict[str, MotionState] = {}

    def update(self, backend: str, state: MotionState) -> None:
        if len(self._states) >= MAX_BACKENDS and backend not in self._states:
            self._states.pop(next(iter(self._states)))
        self._states[backend] = state

    def of(self, backend: str | None) -> MotionState:
        """Return the state of a backend; None stands for no backend yet."""
        return self._states.get(backend or "", MotionState.ACTIVE)

    def __contains__(self, backend: str) -> bool:
        return backend in self._states
