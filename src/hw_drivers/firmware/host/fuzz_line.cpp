// A damaged line must have no effect on a board. Between the frames of a valid host come flipped, cut, glued, replayed and
// reordered ones, and noise. A motor's voltage must be that of the last valid frame.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "../core/bytes.h"
#include "../core/cobs.h"
#include "../core/crc32.h"
#include "../core/messages.h"
#include "fuzz.h"
#include "library.h"

namespace {

using namespace crawler;
using Bytes = std::vector<uint8_t>;

constexpr int MOTORS = 4;
constexpr float RESISTANCE = 2.0f;       // Ω
constexpr float PER_AMPERE = 0.2f;       // N·m/A, at the output shaft
constexpr size_t REMEMBERED = 4096;      // frames for replays

class Fuzz {
  public:
    Fuzz() {
        for (crawler_in& in : in_) in = {0, 0, 0, NAN, NAN, 1, {}};
        start();
    }
    ~Fuzz() { crawler_board_free(board_); }

    // Send one frame of the host, or one piece of damage, then sometimes run a tick.
    void step() {
        switch (number(12)) {
            case 0: return talk();
            case 1:
            case 2: return push();
            case 3: return damage(flipped(next_push()));
            case 4: return damage(cut(next_push()));
            case 5: return damage(glued());
            case 6: return damage(played_back());
            case 7: return reordered();
            case 8: return damage(noise());
            case 9: return damage(flipped(next_command()));
            case 10: return damage(cut(next_command()));
            default: return damage(foreign());
        }
    }

    void tick() {
        if (number(3) == 0) now_ += 1000;  // the watchdog expires sometimes
        crawler_board_tick(board_, now_ += 1000, in_, out_, 12.0f, 0);
        drain();
        if (armed_ && now_ - fed_ > watchdog_) armed_ = false, faulty_ = true;
        for (int i = 0; i < MOTORS; ++i) {
            const bool closed = armed_ && driven_[i];
            if ((out_[i].closed != 0) != closed) wrong(closed ? "a torque was lost" : "a motor has torque that nobody gave it");
            if (closed && std::fabs(out_[i].volts - volts_[i]) > 1e-5f) wrong("a motor has another torque than it was given");
        }
        ++ticks_;
        closed_ += armed_;
    }

    void report() const {
        std::printf("%ld frames, %ld taken, %ld damaged, %ld ticks, %ld of them with torque\n", fuzz_frame, taken_,
                    damaged_, ticks_, closed_);
    }

  private:
    uint32_t number(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

    // the valid host

    void start() {
        crawler_board_free(board_);
        board_ = crawler_board_make(++boot_, MOTORS, "fuzz");
        armed_ = faulty_ = false;
        crawler_board_tick(board_, now_ += 1000, in_, out_, 12.0f, 0);
        drain();
        begin();
    }

    void begin() {
        uint8_t fields[5];
        Writer out(fields);
        out.u8(PROTOCOL);
        out.u32(number(UINT32_MAX));
        deliver(frame(Message::HELLO, fields, sizeof fields, 0, 0), Message::HELLO);
        const Bytes welcome = only_answer(Message::WELCOME);
        session_ = Reader(&welcome[13]).u32();
        last_ = 0;
        armed_ = false;
        watchdog_ = 5000u + 1000u * number(20);
        uint8_t board[12];
        Writer to(board);
        to.u16(static_cast<uint16_t>(watchdog_ / 1000u));
        to.u16((1u << MOTORS) - 1);
        to.f32(6.0f);
        to.f32(30.0f);
        command(Message::CONFIGURE_BOARD, board, sizeof board);
        for (uint8_t i = 0; i < MOTORS; ++i) {
            uint8_t motor[55];
            configuration(motor, i);
            command(Message::CONFIGURE_MOTOR, motor, sizeof motor);
        }
    }

    static void configuration(uint8_t* fields, uint8_t motor) {
        Writer out(fields);
        out.u8(motor);
        out.u8(0);
        out.u16(0);
        out.u32(4096);
        for (float value : {10.0f, PER_AMPERE / 10.0f, RESISTANCE, 3.0f, 0.5f, 20.0f, 2.0f, 0.05f}) out.f32(value);
        for (int i = 0; i < 3; ++i) out.i32(0);
        out.i8(MotorConfig::NO_LIMIT);
        out.u16(0);
    }

    // Send a valid command, and check its answer.
    void command(Message type, const uint8_t* fields = nullptr, size_t length = 0) {
        deliver(frame(type, fields, length, ++last_, session_), type);
        ++taken_;
        const Bytes ack = only_answer(Message::ACK);
        if (Reader(&ack[5]).u32() != last_) wrong("an answer names another frame");
        if (ack[10] != static_cast<uint8_t>(Code::OK)) wrong("a command that is right was refused");
    }

    void talk() {
        const uint32_t which = number(40);
        if (which == 0) return start();
        if (which == 1) return begin();
        if (which < 4) return disarm(Message::DISARM);
        if (which == 4) {
            command(Message::ESTOP);
            armed_ = false;
            faulty_ = true;
            return;
        }
        if (faulty_) {
            disarm(Message::RESET);
            faulty_ = false;
        }
        if (armed_) return push();
        command(Message::ARM);
        armed_ = true;
        fed_ = now_;
        for (bool& driven : driven_) driven = false;
    }

    void disarm(Message type) {
        command(type);
        armed_ = false;
    }

    void push() {
        const Bytes data = next_push();
        deliver(data);
        accept(Reader(&wanted_[0]));
        only_answer(Message::STATE);
    }

    // Apply accepted setpoints to the expected voltages.
    void accept(Reader in) {
        last_ = wanted_number_;
        ++taken_;
        if (!armed_) return;
        fed_ = now_;
        const uint16_t named = in.u16();
        for (int i = 0; i < MOTORS; ++i) {
            driven_[i] = named >> i & 1;
            if (!driven_[i]) continue;
            in.u8();
            volts_[i] = RESISTANCE * in.f32() / PER_AMPERE;
        }
    }

    // Make setpoints with the next number: valid if they arrive undamaged.
    Bytes next_push(uint32_t ahead = 1) {
        wanted_.assign(2 + 5 * MOTORS, 0);
        Writer out(&wanted_[0]);
        const uint16_t named = static_cast<uint16_t>(number(1u << MOTORS));
        out.u16(named);
        for (int i = 0; i < MOTORS; ++i) {
            if (!(named >> i & 1)) continue;
            out.u8(static_cast<uint8_t>(Mode::TORQUE));
            out.f32(static_cast<float>(number(1000)) * 1e-3f - 0.5f);
        }
        wanted_number_ = last_ + ahead;
        return frame(Message::SETPOINTS, &wanted_[0], static_cast<size_t>(out.at() - &wanted_[0]), wanted_number_, session_);
    }

    // Make another message that would change the state.
    Bytes next_command() {
        const Message all[] = {Message::ARM, Message::DISARM, Message::RESET, Message::CONFIGURE_MOTOR, Message::REBOOT};
        const Message type = all[number(5)];
        uint8_t fields[55];
        configuration(fields, static_cast<uint8_t>(number(MOTORS)));
        return frame(type, fields, type == Message::CONFIGURE_MOTOR ? sizeof fields : 0, last_ + 1, session_);
    }

    // damage: none of it may be accepted

    void damage(Bytes data) {
        ++damaged_;
        data.push_back(0);  // otherwise it swallows the next frame
        deliver(data);
        if (!heard_.empty()) wrong("a damaged frame was answered");
    }

    Bytes flipped(Bytes data) {
        const size_t bits = 8 * (data.size() - 1);
        std::vector<size_t> places;
        for (uint32_t many = 1 + number(8); places.size() < many;) {
            const size_t place = number(static_cast<uint32_t>(bits));
            bool again = false;
            for (size_t other : places) again |= other == place;
            if (!again) places.push_back(place);
        }
        for (size_t place : places) data[place / 8] ^= static_cast<uint8_t>(1u << place % 8);
        return data;
    }

    Bytes cut(Bytes data) {
        const size_t at = number(static_cast<uint32_t>(data.size() - 1));
        const size_t many = 1 + number(static_cast<uint32_t>(data.size() - 1 - at));
        const auto from = data.begin() + static_cast<Bytes::difference_type>(at);
        data.erase(from, from + static_cast<Bytes::difference_type>(many));
        return data;
    }

    // Send two frames without the 0 between them.
    Bytes glued() {
        Bytes first = next_push();
        first.pop_back();
        const Bytes second = number(2) ? next_push() : next_command();
        first.insert(first.end(), second.begin(), second.end());
        return first;
    }

    // Replay a frame of this session or of another one; neither HELLO nor ESTOP, which are always obeyed.
    Bytes played_back() {
        if (sent_.empty()) return noise();
        return sent_[number(static_cast<uint32_t>(sent_.size()))];
    }

    // Swap two frames: the first to arrive is accepted, the other is too late.
    void reordered() {
        const Bytes late = next_push();
        const Bytes early = next_push(2);
        deliver(early);
        accept(Reader(&wanted_[0]));
        only_answer(Message::STATE);
        damage(late);
    }

    Bytes noise() {
        Bytes data(1 + number(700));
        const uint32_t below = number(2) ? 256 : 4;
        for (uint8_t& byte : data) byte = static_cast<uint8_t>(number(below));
        return data;
    }

    // Send a frame that is valid except for its session or its number.
    Bytes foreign() {
        const uint32_t far = number(2) ? 1001 + number(100000) : -number(last_ + 1);
        const bool other = number(2);
        Bytes fields(1 + 2, 0);
        return frame(Message::SETPOINTS, &fields[0], 2, last_ + (other ? 1 : far), session_ + other);
    }

    // the line

    Bytes frame(Message type, const uint8_t* fields, size_t length, uint32_t sequence, uint32_t session) {
        uint8_t packet[MOST_PACKET];
        Writer out(packet);
        out.u8(static_cast<uint8_t>(type));
        out.u32(sequence);
        if (length) std::memcpy(out.at(), fields, length);
        const size_t whole = HEAD + length;
        Writer(packet + whole).u32(packet_crc(session, packet, whole));
        Bytes data(MOST_FRAME);
        data.resize(encode(packet, whole + TAIL, data.data()));
        return data;
    }

    // Deliver bytes in random portions. Answers may be replayed.
    void deliver(const Bytes& data, Message of = Message::SETPOINTS) {
        heard_.clear();
        for (size_t at = 0; at < data.size();) {
            const size_t some = std::min<size_t>(1 + number(64), data.size() - at);
            crawler_board_receive(board_, &data[at], static_cast<int>(some));
            at += some;
        }
        drain();
        if (!heard_.empty() && of != Message::HELLO && of != Message::ESTOP) remember(data);
    }

    void remember(const Bytes& data) {
        if (sent_.size() < REMEMBERED)
            sent_.push_back(data);
        else
            sent_[number(REMEMBERED)] = data;
    }

    void drain() {
        uint8_t some[512];
        for (int many; (many = crawler_board_send(board_, some, sizeof some)) > 0;)
            for (int i = 0; i < many; ++i)
                if (decoder_.take(some[i])) heard_.emplace_back(decoder_.packet(), decoder_.packet() + decoder_.length());
    }

    Bytes only_answer(Message type) {
        if (heard_.size() != 1) wrong("not one answer");
        if (heard_[0][0] != static_cast<uint8_t>(type)) wrong("another answer");
        return heard_[0];
    }

    std::mt19937_64 random_{fuzz_seed};
    void* board_ = nullptr;
    uint32_t boot_ = 0, now_ = 0, session_ = 0, last_ = 0, watchdog_ = 0, fed_ = 0, wanted_number_ = 0;
    bool armed_ = false, faulty_ = false, driven_[MOTORS] = {};
    float volts_[MOTORS] = {};
    crawler_in in_[MOTORS];
    crawler_out out_[MOTORS] = {};
    Bytes wanted_;
    std::vector<Bytes> sent_, heard_;
    Decoder decoder_;
    long taken_ = 0, damaged_ = 0, ticks_ = 0, closed_ = 0;
};

}  // namespace

void fuzz_line(long frames) {
    Fuzz fuzz;
    for (; fuzz_frame < frames; ++fuzz_frame) {
        fuzz.step();
        if (fuzz_frame % 3 == 0) fuzz.tick();
    }
    fuzz.report();
}
