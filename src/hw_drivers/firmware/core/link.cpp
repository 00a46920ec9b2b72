#include "link.h"

#include "bytes.h"
#include "crc32.h"

namespace crawler {
namespace {

constexpr uint32_t AHEAD = 1000;  // sequence numbers from the last accepted frame to the next, at most
constexpr uint8_t BOARDS = 0x80;  // first type of the board's messages

}  // namespace

bool Link::take(uint8_t byte, Packet& packet) {
    if (!decoder_.take(byte)) return false;
    if (judge(packet)) return true;
    refuse();
    return false;
}

bool Link::judge(Packet& packet) {
    if (decoder_.length() < HEAD + TAIL) return false;
    packet.data = decoder_.packet();
    packet.length = decoder_.length() - TAIL;
    Reader in(packet.data);
    const uint8_t type = in.u8();
    packet.type = static_cast<Message>(type);
    packet.number = in.u32();
    const uint32_t crc = Reader(packet.data + packet.length).u32();
    const bool without = packet.type == Message::HELLO || packet.type == Message::ESTOP;
    if (without && crc == packet_crc(0, packet.data, packet.length)) {
        packet.in_session = false;
        return true;
    }
    if (!has_session() || packet.type == Message::HELLO || type >= BOARDS) return false;
    if (crc != packet_crc(session_, packet.data, packet.length)) return false;
    const uint32_t ahead = packet.number - last_;
    const bool next = packet.number > last_ && ahead <= AHEAD;
    if (!next && packet.type != Message::ESTOP) return false;
    if (next) last_ = packet.number;
    packet.in_session = true;
    return true;
}

void Link::begin(uint32_t session) {
    session_ = session;
    last_ = sent_ = 0;
    ignored_ = 0;
}

void Link::send(Message type, uint8_t* packet, size_t length, bool in_session) {
    Writer head(packet);
    head.u8(static_cast<uint8_t>(type));
    head.u32(in_session ? ++sent_ : 0);
    Writer(packet + length).u32(packet_crc(in_session ? session_ : 0, packet, length));
    uint8_t frame[MOST_FRAME];
    hardware_.send(frame, encode(packet, length + TAIL, frame));
}

}  // namespace crawler
