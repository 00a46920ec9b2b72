// CRC-32 of IEEE 802.3, as in Ethernet and zip.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crawler {

// Continue from `before`, the CRC of the preceding bytes; 0 at the start.
uint32_t crc32(const uint8_t* data, size_t length, uint32_t before = 0);

// Return the CRC of a session's number and of a packet without its own CRC.
uint32_t packet_crc(uint32_t session, const uint8_t* packet, size_t length);

}  // namespace crawler
