"""The live page: a node that shows a running ring in a browser, and takes commands from there."""
