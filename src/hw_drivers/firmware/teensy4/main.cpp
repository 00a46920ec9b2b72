// The loop of a Teensy 4: bytes as they come, a tick every millisecond.

#include <Arduino.h>

#include "../core/board.h"
#include "teensy.h"

namespace {

constexpr uint32_t PERIOD = 1000;  // µs

crawler::Teensy hardware;
crawler::Board board(hardware);
uint32_t due = 0;

}  // namespace

void setup() {
    hardware.begin();
    due = micros();
}

void loop() {
    uint8_t some[64];
    board.receive(some, hardware.read(some, sizeof some));
    const uint32_t now = micros();
    if (static_cast<int32_t>(now - due) < 0) return;
    due = now - due > PERIOD ? now + PERIOD : due + PERIOD;  // missed ticks are not made up for
    board.tick();
    hardware.alive();
}
