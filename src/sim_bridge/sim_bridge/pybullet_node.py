"""The pybullet backend as a node: rigid-body physics behind the topics of the stack."""

from crawler_nodes.backend_node.node import run_backend
from sim_bridge.bullet.pybullet_backend import PyBulletBackend, PyBulletSettings


def main() -> None:
    """Run until asked to end."""
    run_backend(PyBulletBackend, PyBulletSettings)


if __name__ == "__main__":
    main()
