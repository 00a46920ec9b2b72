"""Draws a robot's motion as a film, without a screen."""
