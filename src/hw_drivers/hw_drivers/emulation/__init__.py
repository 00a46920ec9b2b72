"""The backend emulated: the driver of real motors on pretended buses, whose motors move the robot's equations."""
