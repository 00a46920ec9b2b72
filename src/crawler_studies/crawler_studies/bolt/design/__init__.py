"""The mechanism search of section 3: lengths whose foot follows an ideal path, by differential evolution."""
