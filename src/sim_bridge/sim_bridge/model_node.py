"""The model backend as a node: the equations of the paper behind the topics of the stack."""

from crawler_nodes.backend_node.node import run_backend
from sim_bridge.model_backend import ModelBackend, ModelSettings


def main() -> None:
    """Run until asked to end."""
    run_backend(ModelBackend, ModelSettings)


if __name__ == "__main__":
    main()
