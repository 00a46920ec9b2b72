// An LSM6DSO or LSM6DSOX behind its registers: range, set-up, data ready, burst read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hardware.h"

namespace crawler {

// The registers of a part on SPI or I2C. False: it does not answer, as far as the line shows that.
class Registers {
  public:
    virtual bool read(uint8_t first, uint8_t* values, size_t length) = 0;
    virtual bool write(uint8_t at, uint8_t value) = 0;

  protected:
    ~Registers() = default;
};

class Lsm6dso {
  public:
    explicit Lsm6dso(Registers& registers) : registers_(registers) {}

    ImuSetup begin(uint16_t angular_range, uint16_t linear_range);  // degrees/s, m/s²
    bool read(ImuSample& sample, uint32_t now);

    static constexpr uint8_t WHO_AM_I = 0x0F, IDENTITY = 0x6C;
    static constexpr uint8_t CTRL1_XL = 0x10, CTRL2_G = 0x11, CTRL3_C = 0x12, CTRL4_C = 0x13;
    static constexpr uint8_t STATUS = 0x1E, OUTX_L_G = 0x22;
    static constexpr uint8_t ODR_1667_HZ = 0x80;           // of both CTRL1_XL and CTRL2_G
    static constexpr uint8_t BDU = 0x40, IF_INC = 0x04;    // CTRL3_C: whole samples, registers in a row
    static constexpr uint8_t LPF1_SEL_G = 0x02;            // CTRL4_C: the gyroscope's low-pass
    static constexpr uint8_t READY = 0x03;                 // STATUS: of both
    static constexpr uint8_t NEVER = 0xF8;                 // STATUS: bits that are always 0
    static constexpr size_t SAMPLE = 12;                   // bytes from OUTX_L_G on

  private:
    Registers& registers_;
};

}  // namespace crawler
