// The core's hardware interface on a Teensy 4.
#pragma once

#include "../core/hardware.h"

namespace crawler {

class Teensy final : public Hardware {
  public:
    // Open the bridges, set up pins and converters, open the line.
    void begin();
    // Return received bytes: at most `room`.
    size_t read(uint8_t* data, size_t room);
    // Feed the chip's watchdog, which restarts it half a second after the last call.
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
    ImuSetup begin_imu(uint16_t angular_range, uint16_t linear_range) override;
    bool imu(ImuSample& sample) override;
    int inputs() const override;
    float input_scale(int input) const override;
    uint16_t input(int input) override;
    int switches() const override;
    bool switch_closed(int input) override;
    void drive(int motor, float volts) override;
    void release(int motor) override;
    void led(bool on) override;
    void send(const uint8_t* data, size_t length) override;
    void reboot() override;

  private:
    uint32_t boot_ = 0;
    float supply_ = 0.0f;  // V, last measurement
};

}  // namespace crawler
