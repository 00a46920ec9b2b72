"""The mechanism search of section 3: lengths whose foot follows an ideal_path path, by differential evolution."""
