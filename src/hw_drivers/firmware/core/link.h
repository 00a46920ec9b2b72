// The line to the host: sends frames, and decides which received ones to accept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cobs.h"
#include "hardware.h"
#include "messages.h"

namespace crawler {

// An accepted packet. Its bytes stay until the next one.
struct Packet {
    Message type;
    uint32_t number;
    const uint8_t* data;  // all of it: offsets are those of docs/board_protocol.md
    size_t length;        // without the CRC
    bool in_session;
};

class Link {
  public:
    explicit Link(Hardware& hardware) : hardware_(hardware) {}

    // Take the next byte. Returns true at the end of an accepted frame, which is then in `packet`.
    bool take(uint8_t byte, Packet& packet);

    void begin(uint32_t session);
    bool has_session() const { return session_ != 0; }
    uint32_t last() const { return last_; }        // number of the last accepted frame
    uint8_t ignored() const { return ignored_; }   // frames in this session, modulo 256
    void refuse() { ++ignored_; }

    // Send a message. The caller has written its fields behind HEAD bytes of `packet`, which has room for TAIL more.
    void send(Message type, uint8_t* packet, size_t length, bool in_session);

  private:
    bool judge(Packet& packet);

    Hardware& hardware_;
    Decoder decoder_;
    uint32_t session_ = 0, last_ = 0, sent_ = 0;
    uint8_t ignored_ = 0;
};

}  // namespace crawler
