"""What is studied of MinIAQ alone: the gaits and bodies that its paper leaves to the future, and its figures."""
