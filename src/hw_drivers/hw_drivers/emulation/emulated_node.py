"""The node of the emulated backend."""

from crawler_nodes.backend_node.node import run_backend
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings


def main() -> None:
    """Run the node until it is asked to end."""
    run_backend(EmulatedBackend, EmulatedSettings)


if __name__ == "__main__":
    main()
