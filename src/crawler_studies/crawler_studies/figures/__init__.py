"""The figures of the papers, drawn again from the equations, with the data beside each."""
