// Consistent overhead byte stuffing: 0x00 occurs at the end of a frame only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crawler {

constexpr size_t MOST_PACKET = 317;                            // bytes: a STATE of 16 motors and all sensors
constexpr size_t MOST_FRAME = MOST_PACKET + 2 + 1;             // with COBS and the 0x00

// Write the frame of a packet, with its 0x00, and return its length; `frame` has room for MOST_FRAME.
size_t encode(const uint8_t* packet, size_t length, uint8_t* frame);

// Finds frames in a stream of bytes.
class Decoder {
  public:
    // Take the next byte. Returns true at the end of a frame that is not empty; `packet` and `length` hold it until the next
    // call. A frame that is too long or badly encoded has length 0.
    bool take(uint8_t byte);

    const uint8_t* packet() const { return packet_; }
    size_t length() const { return length_; }

  private:
    bool end();
    void put(uint8_t byte);

    uint8_t packet_[MOST_PACKET + 1];  // one more: the appended zero
    size_t filled_ = 0, length_ = 0;
    uint8_t left_ = 0;       // bytes of this piece yet to come
    bool full_ = false;      // the piece has no zero of its own
    bool begun_ = false, bad_ = false;
};

}  // namespace crawler
