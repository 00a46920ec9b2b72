"""The mock backend as a node: ideal servos behind the topics of the stack."""

from crawler_nodes.backend_node.node import run_backend
from sim_bridge.mock.mock_backend import MockBackend, MockSettings


def main() -> None:
    """Run until asked to end."""
    run_backend(MockBackend, MockSettings)


if __name__ == "__main__":
    main()
