"""Studies of MinIAQ: the search for gaits and bodies that its paper leaves to the future, and its figures."""
