// One motor: what it shall do, what it is kept from, and what is wrong with it.
#pragma once

#include <cstdint>

#include "hardware.h"
#include "messages.h"
#include "shaft.h"

namespace crawler {

// What was measured in this tick, NaN for what cannot be.
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

// For how many ticks on end something has been so.
class Lasting {
  public:
    // True from the `enough`th tick on.
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

    // While it searches its index it takes no notice of it.
    void aim(const Setpoint& setpoint) { setpoint_ = setpoint; }
    void search(const Search& search);
    // No setpoint, and no search, from now on.
    void rest();

    // The two halves of a tick of 1 ms. Between them the board decides whether any motor may be driven.
    void sense(const Sensed& sensed, bool armed, uint32_t now);
    Drive drive();
    Drive open();

    uint16_t faults() const { return faults_; }
    // Forget the faults, but for those whose cause is still there.
    void forgive();

    // The fields of a STATE.
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
    float induced() const;        // V, by the motor's turning
    float most_current() const;   // A, of what both limits allow

    MotorConfig config_;
    Shaft shaft_;
    Setpoint setpoint_;
    Search search_;
    Sensed sensed_ = {};
    int32_t least_ = 0, most_ = 0;  // the limits of angles; further out as long as the shaft has not come in from there
    double began_ = 0.0;          // turns, where the search did
    float learnt_ = 0.0f;         // N·m, of the search's velocity loop
    float trim_ = 0.0f;           // V, by which the winding is not as configured
    float current_ = 0.0f;        // A, in the direction of the torque
    bool configured_ = false, searching_ = false, cut_ = false, closed_ = false;
    bool saturated_ = false;      // the last voltage was not the one that was asked for
    Lasting over_current_, hot_, over_speed_, stalled_;
    uint16_t faults_ = 0;
};

}  // namespace crawler
