// A Teensy 4 as the core wants its hardware.
#pragma once

#include "../core/hardware.h"

namespace crawler {

class Teensy final : public Hardware {
  public:
    // Bridges open, pins and converters set up, the line open.
    void begin();
    // What came over the line: at most `room` bytes.
    size_t read(uint8_t* data, size_t room);
    // Keeps the chip from restarting by itself, which it does half a second after the last call.
    void alive();

    int motors() const override;
    const char* name() const override { return "teensy4"; }
    uint32_t boot() const override { return boot_; }
    uint8_t measures() const override;
    uint32_t now() override;
    EncoderReading encoder(int motor) override;
    float current(int motor) override;
    float temperature(int motor) override;
    float supply() override;
    bool stop_pressed() override;
    void drive(int motor, float volts) override;
    void release(int motor) override;
    void led(bool on) override;
    void send(const uint8_t* data, size_t length) override;
    void reboot() override;

  private:
    uint32_t boot_ = 0;
    float supply_ = 0.0f;  // V, as measured last
};

}  // namespace crawler
