#include "crc32.h"

#include "bytes.h"

namespace crawler {
namespace {

struct Table {
    uint32_t of[256];

    constexpr Table() : of() {
        for (uint32_t byte = 0; byte < 256; ++byte) {
            uint32_t value = byte;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
            of[byte] = value;
        }
    }
};

constexpr Table TABLE;

}  // namespace

uint32_t crc32(const uint8_t* data, size_t length, uint32_t before) {
    uint32_t value = ~before;
    while (length--) value = value >> 8 ^ TABLE.of[(value ^ *data++) & 0xFF];
    return ~value;
}

uint32_t packet_crc(uint32_t session, const uint8_t* packet, size_t length) {
    uint8_t first[4];
    Writer(first).u32(session);
    return crc32(packet, length, crc32(first, sizeof first));
}

}  // namespace crawler
