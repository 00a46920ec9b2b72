"""A robot's motion as pictures, drawn without a screen."""
