"""The node of the hardware backend."""

from crawler_nodes.backend_node.node import run_backend
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_settings import HardwareSettings


def main() -> None:
    """Run the node until it is asked to end."""
    run_backend(HardwareBackend, HardwareSettings)


if __name__ == "__main__":
    main()
