// One motor: its setpoint, its limits, and its faults.
#pragma once

#include <cstdint>

#include "hardware.h"
#include "messages.h"
#include "shaft.h"

namespace crawler {

// The measurements of this tick; NaN: not measured.
struct Sensed {
    EncoderReading encoder;
    float current;      // A, in the direction of the voltage
    float temperature;  // °C
    float supply;       // V
};

struct Drive {
    float volts = 0.0f;
    bool closed = false;  // the bridge
};

// Counts the consecutive ticks of a condition.
class Lasting {
  public:
    // Return true from the `enough`th tick on.
    bool now(bool so, uint32_t enough) {
        ticks_ = so ? ticks_ + (ticks_ < enough) : 0;
        return so && ticks_ >= enough;
    }

  private:
    uint32_t ticks_ = 0;
};

class Motor {
  public:
    void configure(const MotorConfig& config);
    void forget_config() { configured_ = false; }
    bool configured() const { return configured_; }
    const MotorConfig& config() const { return config_; }

    // A motor that searches its index ignores it.
    void aim(const Setpoint& setpoint) { setpoint_ = setpoint; }
    void search(const Search& search);
    // End the setpoint and the search.
    void rest();

    // The two halves of a tick of 1 ms. The board checks all motors between them.
    void sense(const Sensed& sensed, bool armed, uint32_t now);
    Drive drive();
    Drive open();

    uint16_t faults() const { return faults_; }
    // Clear the faults, except those whose cause remains.
    void forgive();

    // Write the fields of a STATE.
    void report(uint8_t* fields) const;
    bool homed() const { return shaft_.homed(); }

  private:
    void watch(bool armed);
    void watch_search();
    void hold_within();
    float wanted();
    float allowed(float torque) const;
    float to_volts(float current);
    bool hot() const;
    float induced() const;        // V, of the turning motor
    float most_current() const;   // A, of both limits

    MotorConfig config_;
    Shaft shaft_;
    Setpoint setpoint_;
    Search search_;
    Sensed sensed_ = {};
    int32_t least_ = 0, most_ = 0;  // limits of angles; wider while the shaft is still outside
    double began_ = 0.0;          // turns, at the start of the search
    float learnt_ = 0.0f;         // N·m, of the search's velocity loop
    float trim_ = 0.0f;           // V, correction of the configured winding
    float current_ = 0.0f;        // A, in the direction of the torque
    bool configured_ = false, searching_ = false, cut_ = false, closed_ = false;
    bool saturated_ = false;      // the last voltage was cut
    Lasting over_current_, hot_, over_speed_, stalled_;
    uint16_t faults_ = 0;
};

}  // namespace crawler
