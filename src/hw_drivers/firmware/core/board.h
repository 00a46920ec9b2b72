// The board: commands of the host, arming, and latched faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hardware.h"
#include "link.h"
#include "messages.h"
#include "motor.h"
#include "sensors.h"

namespace crawler {

// Call `tick` every millisecond, and `receive` with the bytes of the line as they come, both from one thread.
class Board {
  public:
    explicit Board(Hardware& hardware) : hardware_(hardware), link_(hardware), sensors_(hardware) {}

    // Handle received bytes, and answer at once.
    void receive(const uint8_t* data, size_t length);

    // Run the loop once: measure, check, drive.
    void tick();

  private:
    void take(const Packet& packet);
    void hello(const Packet& packet);
    Answer obey(const Packet& packet);
    Answer configure_board(const Packet& packet);
    Answer configure_motor(const Packet& packet);
    Answer arm();
    Answer reset();
    Answer find_index(const Packet& packet);
    Answer setpoints(const Packet& packet);
    Answer configure_sensors(const Packet& packet);
    void acknowledge(const Packet& packet, Answer answer);
    void tell_state();
    void tell_sensors();
    void welcome(uint32_t nonce);

    void watch(uint32_t now);
    bool over_voltage() const;
    void disarm();
    void blink(uint32_t now);
    bool faulty() const;
    bool uses(int motor) const { return config_.used >> motor & 1; }
    int unconfigured() const;  // motor in use; -1: none
    Condition condition() const;

    Hardware& hardware_;
    Link link_;
    Motor motors_[MOST_MOTORS];
    Sensors sensors_;
    BoardConfig config_;
    bool configured_ = false, armed_ = false, ticked_ = false;
    uint16_t faults_ = 0;
    float supply_ = 0.0f;                // V
    uint32_t fed_ = 0, tick_ = 0;        // µs
    uint32_t welcomed_ = 0;              // µs
    uint32_t session_ = 0, hellos_ = 0;
    uint8_t version_ = PROTOCOL;         // of the session
    Lasting under_voltage_, over_voltage_;
};

}  // namespace crawler
