"""Hobby servos on a PCA9685 PWM board at an I2C bus: open loop, what is told of a joint is what it was commanded."""
