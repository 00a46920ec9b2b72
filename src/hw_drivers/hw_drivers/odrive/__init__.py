"""ODrive motor controllers on a CAN bus, speaking CANSimple (firmware 0.6)."""
