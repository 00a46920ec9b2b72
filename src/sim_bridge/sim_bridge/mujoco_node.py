"""The mujoco backend as a node: rigid-body physics behind the topics of the stack."""

from crawler_nodes.backend_node.node import run_backend
from sim_bridge.mujoco.mujoco_backend import MuJoCoBackend, MuJoCoSettings


def main() -> None:
    """Run until asked to end."""
    run_backend(MuJoCoBackend, MuJoCoSettings)


if __name__ == "__main__":
    main()
