"""The command line: `./crawler <command>`."""
