// The wiring of the board. An example with four motors on a Teensy 4.1: change it to your board's.
//
// Each motor has an H-bridge with two inputs (both low: open; such as DRV8871 or DRV8874), a current amplifier with zero in
// the middle of its range (such as INA240), and one encoder. The encoder is a quadrature one with or without an index, or a
// sensor of the angle within a turn with an analog output (such as AS5600), which then has 4096 counts.
#pragma once

#include <Arduino.h>

namespace wiring {

constexpr uint8_t NONE = 255;

struct Motor {
    uint8_t forward, backward;  // inputs of the bridge, pins with PWM
    uint8_t current;            // analog pin, NONE: not measured
    uint8_t a, b, index;        // of a quadrature encoder; NONE: there is none
    uint8_t angle;              // analog pin of an absolute encoder; NONE: there is none
};

constexpr Motor MOTORS[] = {
    {2, 3, A0, 24, 25, 26, NONE},
    {4, 5, A1, 27, 28, 29, NONE},
    {6, 9, A2, 30, 31, 32, NONE},
    {7, 8, A3, 33, 34, 35, NONE},
};

constexpr uint8_t SUPPLY = A4;      // behind a divider
constexpr uint8_t STOP = 36;        // a switch to ground that opens when it is pressed: a broken wire stops too
constexpr uint8_t LED = 37;         // the one on the Teensy is the clock of the IMU's SPI

// Sensors beside the motors. An LSM6DSO or LSM6DSOX at SPI: SCK 13, MISO 12 (SDO), MOSI 11 (SDA), 3.3 V.
constexpr uint8_t IMU_SELECT = 10;  // CS; NONE: there is none
constexpr uint8_t INPUTS[] = {A5, A6};              // analogue pins, 0 to 3.3 V: a second battery, forces under feet
constexpr uint8_t SWITCHES[] = {38, 39, 40, 41};    // each closes to ground; the chip's own resistor pulls it up

// The converter has 4096 counts for 3.3 V.
constexpr float VOLTS = 3.3f / 4096.0f;
constexpr float INPUT_VOLTS[] = {VOLTS, VOLTS};       // for a count, of each analogue input at its own divider
constexpr float SUPPLY_VOLTS = VOLTS * 11.0f;         // for a count: 100 kΩ over 10 kΩ
constexpr float AMPERES = VOLTS / (20.0f * 0.010f);   // for a count: a gain of 20 at 10 mΩ
constexpr float NO_AMPERES = 2048.0f;                 // counts

constexpr float PWM = 20000.0f;  // Hz

// The line to the host: `Serial` is USB, at USB's speed; `Serial1` is pins 0 and 1 at BAUD.
#define LINE Serial
constexpr uint32_t BAUD = 1000000;

}  // namespace wiring
