"""The kinds of fault, a module for each family."""
