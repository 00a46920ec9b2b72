// The line to the host: frames in and out, and which of them are taken.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cobs.h"
#include "hardware.h"
#include "messages.h"

namespace crawler {

// A packet that was taken. Its bytes stay until the next one.
struct Packet {
    Message type;
    uint32_t number;
    const uint8_t* data;  // all of it, so that offsets are those of the page
    size_t length;        // without the CRC
    bool in_session;
};

class Link {
  public:
    explicit Link(Hardware& hardware) : hardware_(hardware) {}

    // The next byte; true where it ends a frame that is taken: `packet` is it then.
    bool take(uint8_t byte, Packet& packet);

    void begin(uint32_t session);
    bool has_session() const { return session_ != 0; }
    uint32_t last() const { return last_; }        // the number of the last frame that was taken
    uint8_t ignored() const { return ignored_; }   // frames in this session, modulo 256
    void refuse() { ++ignored_; }

    // Sends a message whose fields the caller has written behind HEAD bytes of `packet`, which has room for TAIL more.
    void send(Message type, uint8_t* packet, size_t length, bool in_session);

  private:
    bool judge(Packet& packet);

    Hardware& hardware_;
    Decoder decoder_;
    uint32_t session_ = 0, last_ = 0, sent_ = 0;
    uint8_t ignored_ = 0;
};

}  // namespace crawler
