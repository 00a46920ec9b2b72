// An LSM6DSO: its registers with their rules, fed with what it measures.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "../core/lsm6dso.h"

namespace crawler {

class EmulatedImu final : public Registers {
  public:
    // A part that has lost its supply forgets its settings.
    void power_off() {
        std::memset(values_, 0, sizeof values_);
        powered_ = false;
    }
    void power_on(uint8_t identity) {
        values_[Lsm6dso::WHO_AM_I] = identity;
        values_[Lsm6dso::CTRL3_C] = Lsm6dso::IF_INC;
        powered_ = true;
    }
    bool powered() const { return powered_; }

    // Measure: counts of its ranges, which saturate. `angular` is in rad/s, `linear` in m/s².
    void measure(const float* angular, const float* linear) {
        if (!powered_ || !(values_[Lsm6dso::CTRL1_XL] & 0xF0) || !(values_[Lsm6dso::CTRL2_G] & 0xF0)) return;  // asleep
        const float rate = angular_scale(), force = linear_scale();
        for (int i = 0; i < 3; ++i) {
            put(Lsm6dso::OUTX_L_G + 2 * i, angular[i] / rate);
            put(Lsm6dso::OUTX_L_G + 6 + 2 * i, linear[i] / force);
        }
        values_[Lsm6dso::STATUS] = Lsm6dso::READY;
    }

    bool read(uint8_t first, uint8_t* values, size_t length) override {
        for (size_t i = 0; i < length; ++i) {
            const uint8_t at = static_cast<uint8_t>(first + i);
            values[i] = powered_ ? values_[at % sizeof values_] : 0xFF;  // a data line that nothing drives
            if (at == Lsm6dso::OUTX_L_G + Lsm6dso::SAMPLE - 1) values_[Lsm6dso::STATUS] = 0;
        }
        return true;
    }

    bool write(uint8_t at, uint8_t value) override {
        if (powered_ && at >= Lsm6dso::CTRL1_XL && at <= Lsm6dso::CTRL4_C) values_[at] = value;
        return true;
    }

  private:
    // sensitivities of the data sheet, for the ranges' bits
    float angular_scale() const {
        const uint8_t bits = values_[Lsm6dso::CTRL2_G] & 0x0E;
        const float millidegrees = bits & 0x02   ? 4.375f
                                   : bits == 0x00 ? 8.75f
                                   : bits == 0x04 ? 17.5f
                                   : bits == 0x08 ? 35.0f
                                                  : 70.0f;
        return millidegrees * 1e-3f * 3.14159265f / 180.0f;
    }
    float linear_scale() const {
        const float milligravities[] = {0.061f, 0.488f, 0.122f, 0.244f};
        return milligravities[values_[Lsm6dso::CTRL1_XL] >> 2 & 3] * 1e-3f * 9.80665f;
    }
    void put(int at, float counts) {
        const float most = 32767.0f;
        const float whole = std::isnan(counts) ? 0.0f : std::round(std::fmin(std::fmax(counts, -most - 1.0f), most));
        const uint16_t bits = static_cast<uint16_t>(static_cast<int16_t>(whole));
        values_[at] = static_cast<uint8_t>(bits);
        values_[at + 1] = static_cast<uint8_t>(bits >> 8);
    }

    uint8_t values_[64] = {};
    bool powered_ = false;
};

}  // namespace crawler
