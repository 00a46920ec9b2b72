"""The hardware backend as a node: real motors behind the topics of the stack."""

from crawler_nodes.backend_node.node import run_backend
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_settings import HardwareSettings


def main() -> None:
    """Run until asked to end."""
    run_backend(HardwareBackend, HardwareSettings)


if __name__ == "__main__":
    main()
