"""Motors behind a microcontroller on a serial line: docs/board_protocol.md."""
