"""The hardware backend: one small driver for each kind of motor bus, and emulators that speak its bytes."""
