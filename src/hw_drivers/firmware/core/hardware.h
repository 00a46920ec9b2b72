// The hardware interface of the core. All values are those of the motor itself: its shaft, its leads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "messages.h"

namespace crawler {

struct EncoderReading {
    int32_t count = 0;          // quadrature: wraps; absolute: 0 to counts - 1
    int32_t index_count = 0;    // quadrature: `count` at the last begin of the index
    uint32_t index_pulses = 0;  // number of indices so far
    bool ok = true;             // false: the encoder itself reports a fault
};

// The measurement of an IMU, in the axes of its part.
struct ImuSample {
    uint32_t time = 0;                  // µs, of `Hardware::now`
    int16_t angular[3] = {}, linear[3] = {};
};

// The IMU after its set-up, and the values of one count.
struct ImuSetup {
    ImuState state = ImuState::NONE;
    uint8_t identity = 0;                 // its WHO_AM_I
    float angular = 0.0f, linear = 0.0f;  // rad/s, m/s²
};

// The core calls this from one thread, in `Board::tick` and `Board::receive`. No call may block.
class Hardware {
  public:
    virtual int motors() const = 0;            // 1 to MOST_MOTORS
    virtual const char* name() const = 0;      // up to NAME_LENGTH characters, for people
    virtual uint32_t boot() const = 0;         // a new number at each start
    virtual uint8_t measures() const = 0;      // CURRENTS, TEMPERATURES, STOP
    virtual uint32_t now() = 0;                // µs; wraps

    virtual EncoderReading encoder(int motor) = 0;
    virtual float current(int motor) = 0;      // A, in the direction of the voltage; NaN: not measured
    virtual float temperature(int motor) = 0;  // °C; NaN: not measured
    virtual float supply() = 0;                // V; NaN: not measured
    virtual bool stop_pressed() = 0;           // the input for an emergency stop

    // Sensors beside the motors. A board without any leaves these as they are.
    // Set the IMU up with ranges (degrees/s and m/s²) of at least these; 0: the largest.
    virtual ImuSetup begin_imu(uint16_t, uint16_t) { return {}; }
    virtual bool imu(ImuSample&) { return false; }     // true with a new measurement
    virtual int inputs() const { return 0; }           // analogue ones, up to MOST_INPUTS
    virtual float input_scale(int) const { return 0.0f; }  // V of a count
    virtual uint16_t input(int) { return 0; }          // counts
    virtual int switches() const { return 0; }         // up to MOST_SWITCHES
    virtual bool switch_closed(int) { return false; }

    virtual void drive(int motor, float volts) = 0;  // close the bridge
    virtual void release(int motor) = 0;             // open it: the motor coasts
    virtual void led(bool on) = 0;

    // Send all of it or, without room, nothing.
    virtual void send(const uint8_t* data, size_t length) = 0;
    // Restart the board after the sent bytes have gone out.
    virtual void reboot() = 0;

    static constexpr uint8_t CURRENTS = 0x01, TEMPERATURES = 0x02, STOP = 0x04;

  protected:
    ~Hardware() = default;
};

}  // namespace crawler
