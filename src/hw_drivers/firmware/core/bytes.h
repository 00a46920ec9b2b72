// Little-endian numbers in byte arrays, and floats that may be NaN.
#pragma once

#include <cstdint>
#include <cstring>

namespace crawler {

// Tests the bits: a compiler with fast mathematics would remove another test.
inline bool finite(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return (bits & 0x7F800000u) != 0x7F800000u;
}

inline float magnitude(float value) { return value < 0.0f ? -value : value; }

inline float within(float value, float least, float most) {
    return value < least ? least : value > most ? most : value;
}

// Reads consecutive fields. The caller checks the length.
class Reader {
  public:
    explicit Reader(const uint8_t* data) : at_(data) {}

    uint8_t u8() { return *at_++; }
    int8_t i8() { return static_cast<int8_t>(u8()); }
    uint16_t u16() {
        const uint16_t low = u8();
        return static_cast<uint16_t>(low | u8() << 8);
    }
    uint32_t u32() {
        const uint32_t low = u16();
        return low | static_cast<uint32_t>(u16()) << 16;
    }
    int32_t i32() { return static_cast<int32_t>(u32()); }
    float f32() {
        const uint32_t bits = u32();
        float value;
        std::memcpy(&value, &bits, 4);
        return value;
    }
    const uint8_t* at() const { return at_; }

  private:
    const uint8_t* at_;
};

// Writes consecutive fields. The caller provides the room.
class Writer {
  public:
    explicit Writer(uint8_t* data) : at_(data) {}

    void u8(uint8_t value) { *at_++ = value; }
    void i8(int8_t value) { u8(static_cast<uint8_t>(value)); }
    void u16(uint16_t value) {
        u8(static_cast<uint8_t>(value));
        u8(static_cast<uint8_t>(value >> 8));
    }
    void u32(uint32_t value) {
        u16(static_cast<uint16_t>(value));
        u16(static_cast<uint16_t>(value >> 16));
    }
    void i32(int32_t value) { u32(static_cast<uint32_t>(value)); }
    void f32(float value) {
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        u32(bits);
    }
    uint8_t* at() const { return at_; }

  private:
    uint8_t* at_;
};

}  // namespace crawler
