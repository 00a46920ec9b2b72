#include "cobs.h"

namespace crawler {

size_t encode(const uint8_t* packet, size_t length, uint8_t* frame) {
    uint8_t* code = frame;
    uint8_t* to = frame + 1;
    for (size_t i = 0; i <= length; ++i) {
        const uint8_t byte = i < length ? packet[i] : 0;  // with an appended zero
        if (byte) *to++ = byte;
        if (!byte || to - code == 0xFF) {
            *code = static_cast<uint8_t>(to - code);
            code = to++;
        }
    }
    *code = 0;
    return static_cast<size_t>(code + 1 - frame);
}

bool Decoder::take(uint8_t byte) {
    if (!byte) return end();
    if (bad_) return false;
    if (left_) {
        put(byte);
        --left_;
        return false;
    }
    if (begun_ && !full_) put(0);
    begun_ = true;
    full_ = byte == 0xFF;
    left_ = static_cast<uint8_t>(byte - 1);
    return false;
}

bool Decoder::end() {
    const bool some = begun_;
    length_ = left_ || filled_ > MOST_PACKET ? 0 : filled_;
    filled_ = 0;
    left_ = 0;
    begun_ = full_ = bad_ = false;
    return some;
}

void Decoder::put(uint8_t byte) {
    if (filled_ < sizeof packet_)
        packet_[filled_++] = byte;
    else
        bad_ = true;
}

}  // namespace crawler
