// Random fields in valid frames, and random sensors. The board must never crash, must answer each frame once, and must apply
// no voltage that is NaN or above the supply's.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

#include "../core/bytes.h"
#include "../core/cobs.h"
#include "../core/crc32.h"
#include "../core/messages.h"
#include "fuzz.h"
#include "library.h"

namespace {

using namespace crawler;

constexpr float SUPPLY = 12.0f;  // V

std::mt19937_64 chance;
Decoder decoder;
long answers = 0, closed = 0;

uint32_t number(uint32_t below) { return static_cast<uint32_t>(chance() % below); }

float strange() {
    const float some[] = {0.0f,  1.0f,  -1.0f, 0.1f, 1e-30f, -1e30f, 3e38f, std::numeric_limits<float>::infinity(),
                          NAN,   10.0f, 100.0f, 1e-3f};
    if (number(4)) return some[number(sizeof some / sizeof *some)];
    const uint32_t bits = static_cast<uint32_t>(chance());
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}

// Fields with mostly valid values, so that they pass many checks.
size_t fields(Message type, uint8_t* to) {
    Writer out(to);
    switch (type) {
        case Message::CONFIGURE_BOARD:
            out.u16(static_cast<uint16_t>(5 + number(1000)));
            out.u16(static_cast<uint16_t>(number(4) ? 0x000F : chance()));
            out.f32(number(8) ? 5.0f : strange());
            out.f32(number(8) ? 30.0f : strange());
            break;
        case Message::CONFIGURE_MOTOR:
            out.u8(static_cast<uint8_t>(number(5)));
            out.u8(static_cast<uint8_t>(number(2)));
            out.u16(static_cast<uint16_t>(number(32)));
            out.u32(number(10) ? 2 + number(5000) : static_cast<uint32_t>(chance()));
            for (int i = 0; i < 8; ++i) out.f32(number(40) ? 0.01f * static_cast<float>(1 + number(1000)) : strange());
            for (int i = 0; i < 3; ++i) out.u32(static_cast<uint32_t>(i << 20) + number(1u << 20));
            out.u8(static_cast<uint8_t>(chance()));
            out.u16(static_cast<uint16_t>(number(50)));
            break;
        case Message::CONFIGURE_SENSORS:
            out.u8(static_cast<uint8_t>(number(20) ? number(2) : number(256)));
            for (int i = 0; i < 2; ++i) out.u8(static_cast<uint8_t>(number(10) ? number(16) : number(256)));
            for (int i = 0; i < 2; ++i) out.u16(static_cast<uint16_t>(number(4) ? number(3000) : chance()));
            break;
        case Message::FIND_INDEX:
            out.u8(static_cast<uint8_t>(number(5)));
            for (int i = 0; i < 3; ++i) out.f32(strange());
            break;
        case Message::SETPOINTS: {
            const uint16_t named = static_cast<uint16_t>(number(8) ? number(16) : chance());
            out.u16(named);
            for (int i = 0; i < MOST_MOTORS; ++i) {
                if (!(named >> i & 1)) continue;
                const uint32_t mode = number(20) ? number(4) : number(256);
                out.u8(static_cast<uint8_t>(mode));
                if (mode == 3) out.u32(static_cast<uint32_t>(chance()));
                if (mode == 2 || mode == 3) out.f32(strange());
                if (mode >= 1 && mode <= 3) out.f32(strange());
            }
            break;
        }
        default: break;
    }
    if (number(50) == 0) out.u8(static_cast<uint8_t>(chance()));
    return static_cast<size_t>(out.at() - to);
}

int32_t onwards(int32_t counted) { return static_cast<int32_t>(static_cast<uint32_t>(counted) + number(2)); }

uint32_t drain(void* board, uint8_t* last, size_t room) {
    uint8_t some[400];
    uint32_t frames = 0;
    for (int many; (many = crawler_board_send(board, some, sizeof some)) > 0;)
        for (int i = 0; i < many; ++i)
            if (decoder.take(some[i])) {
                ++frames;
                std::memcpy(last, decoder.packet(), decoder.length() < room ? decoder.length() : room);
            }
    return frames;
}

// Send a packet; the answer's first bytes are in `received`. Returns the number of answers.
uint32_t say(void* board, Message type, uint32_t sequence, uint32_t session, uint8_t* packet, size_t length,
             uint8_t* received) {
    Writer out(packet);
    out.u8(static_cast<uint8_t>(type));
    out.u32(sequence);
    Writer(packet + length).u32(packet_crc(session, packet, length));
    uint8_t frame[MOST_FRAME];
    crawler_board_receive(board, frame, static_cast<int>(encode(packet, length + TAIL, frame)));
    return drain(board, received, 64);
}

bool sane(const crawler_out* out, int motors, float supply) {
    const float most = std::isnan(supply) ? std::numeric_limits<float>::max() : supply;
    for (int i = 0; i < motors; ++i) {
        if (out[i].closed && !(std::fabs(out[i].volts) <= most)) return false;
        closed += out[i].closed;
    }
    return true;
}

}  // namespace

void fuzz_fields(long frames) {
    chance.seed(fuzz_seed);
    constexpr int MOTORS = 4;
    void* board = crawler_board_make(1, MOTORS, "fuzz");
    crawler_in in[MOTORS] = {};
    crawler_out out[MOTORS] = {};
    crawler_world world = {};
    uint8_t packet[MOST_PACKET + 64], received[64] = {};
    uint32_t now = 0, session = 0, sequence = 0;
    for (; fuzz_frame < frames; ++fuzz_frame) {
        const Message all[] = {Message::CONFIGURE_BOARD, Message::CONFIGURE_MOTOR, Message::CONFIGURE_MOTOR,
                               Message::ARM,             Message::DISARM,          Message::RESET,
                               Message::RESET,           Message::ESTOP,           Message::FIND_INDEX,
                               Message::SETPOINTS,       Message::SETPOINTS,       Message::SETPOINTS,
                               Message::SETPOINTS,       Message::POLL,            Message::REBOOT,
                               Message::ARM,             Message::CONFIGURE_MOTOR, Message::RESET,
                               Message::CONFIGURE_SENSORS};
        Message type = all[number(sizeof all / sizeof *all)];
        if (type == Message::ESTOP && number(20)) type = Message::SETPOINTS;
        if (session == 0 || number(2000) == 0) {
            packet[HEAD] = static_cast<uint8_t>(OLDEST_PROTOCOL + number(PROTOCOL - OLDEST_PROTOCOL + 1));
            Writer(packet + HEAD + 1).u32(static_cast<uint32_t>(chance()));
            if (say(board, Message::HELLO, 0, 0, packet, HEAD + 5, received) != 1) wrong("no welcome");
            session = Reader(received + 13).u32();
            sequence = 0;
        }
        size_t length = HEAD + fields(type, packet + HEAD);
        if (number(100) == 0) type = static_cast<Message>(number(0x80));
        if (type == Message::HELLO) type = Message::POLL;
        if (say(board, type, ++sequence, session, packet, length, received) != 1) wrong("not one answer");
        ++answers;
        for (crawler_in& motor : in) {
            if (number(3)) motor.count = number(500) ? onwards(motor.count) : static_cast<int32_t>(number(5000));
            if (number(2000) == 0) motor.count = static_cast<int32_t>(static_cast<uint32_t>(chance()));
            if (number(3000) == 0) motor.index_count = motor.count, ++motor.index_pulses;
            motor.current = number(200) ? 0.0f : strange();
            motor.temperature = number(2000) ? -130.0f : strange();
            motor.encoder_ok = number(2000) != 0;
        }
        if (number(20) == 0) {
            for (float& value : world.angular) value = strange();
            for (float& value : world.linear) value = strange();
            for (float& value : world.volts) value = strange();
            ++world.sample;
            world.imu = static_cast<uint8_t>(number(30) ? 1 : number(4));
            world.inputs = static_cast<uint8_t>(number(30) ? 4 : number(256));
            world.switches = static_cast<uint8_t>(number(30) ? 4 : number(256));
            world.closed = static_cast<uint8_t>(number(256));
            crawler_board_sense(board, &world);
        }
        const float supply = number(50) ? SUPPLY : NAN;
        now += number(500) ? 1000 : number(10000);
        const bool stop = number(1000) == 0;  // one draw per statement: compilers order arguments differently
        crawler_board_tick(board, now, in, out, supply, stop);
        uint8_t welcome[64];
        drain(board, welcome, sizeof welcome);
        if (!sane(out, MOTORS, supply)) wrong("a voltage that no supply has");
    }
    crawler_board_free(board);
    std::printf("%ld frames, %ld answers, %ld ticks of motors with torque\n", frames, answers, closed);
}
