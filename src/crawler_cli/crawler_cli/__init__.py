"""The command line: run, sweep, tune and their like, doctor, benchmarks, pictures."""
