// The sensors beside the motors: an IMU, analogue inputs and switches, measured in each tick.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hardware.h"
#include "messages.h"

namespace crawler {

class Sensors {
  public:
    explicit Sensors(Hardware& hardware) : hardware_(hardware) {}

    // Measure what `config` names from the next tick on, and set the IMU up.
    void configure(const SensorConfig& config);
    const ImuSetup& imu() const { return imu_; }

    void sense(uint32_t now);

    // Write the sensors' part of a STATE, and return its length: 0 where none is configured.
    size_t report(uint8_t* fields) const;

  private:
    void sense_imu(uint32_t now);
    void sense_switches();

    Hardware& hardware_;
    SensorConfig config_;
    ImuSetup imu_;
    ImuSample sample_;
    bool has_sample_ = false, silent_ = false, waits_ = false;
    uint32_t heard_ = 0, tried_ = 0;  // µs, of the last sample and of the last set-up
    uint16_t inputs_[MOST_INPUTS] = {};
    uint8_t closed_ = 0;
    uint8_t open_ticks_[MOST_SWITCHES] = {};
};

}  // namespace crawler
