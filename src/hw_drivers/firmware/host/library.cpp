#include "library.h"

#include <cmath>
#include <cstring>
#include <new>

#include "../core/board.h"
#include "../core/bytes.h"
#include "../core/quadrature.h"
#include "emulated_imu.h"

namespace {

using namespace crawler;

class Given final : public Hardware {
  public:
    Given(uint32_t boot, int motors, const char* name) : boot_(boot), motors_(motors) {
        std::strncpy(name_, name, NAME_LENGTH);
        for (crawler_in& in : in_) in = {0, 0, 0, NAN, NAN, 1, {}};
    }

    int motors() const override { return motors_; }
    const char* name() const override { return name_; }
    uint32_t boot() const override { return boot_; }
    uint8_t measures() const override {
        uint8_t some = STOP;
        for (const crawler_in& in : in_) {
            if (finite(in.current)) some |= CURRENTS;
            if (finite(in.temperature)) some |= TEMPERATURES;
        }
        return some;
    }
    uint32_t now() override { return now_; }
    EncoderReading encoder(int motor) override {
        const crawler_in& in = in_[motor];
        return {in.count, in.index_count, in.index_pulses, in.encoder_ok != 0};
    }
    float current(int motor) override { return in_[motor].current; }
    float temperature(int motor) override { return in_[motor].temperature; }
    float supply() override { return supply_; }
    bool stop_pressed() override { return stop_; }
    ImuSetup begin_imu(uint16_t angular_range, uint16_t linear_range) override {
        return world_.imu ? driver_.begin(angular_range, linear_range) : ImuSetup{};
    }
    bool imu(ImuSample& sample) override { return driver_.read(sample, now_); }
    int inputs() const override { return world_.inputs; }
    float input_scale(int) const override { return VOLTS; }
    uint16_t input(int i) override {
        const float counts = world_.volts[i] / VOLTS;
        return finite(counts) ? static_cast<uint16_t>(within(counts + 0.5f, 0.0f, COUNTS - 1.0f)) : 0;
    }
    int switches() const override { return world_.switches; }
    bool switch_closed(int i) override { return world_.closed >> i & 1; }
    void drive(int motor, float volts) override { out_[motor] = {volts, 1, {}}; }
    void release(int motor) override { out_[motor] = {0.0f, 0, {}}; }
    void led(bool on) override { led_ = on; }
    void send(const uint8_t* data, size_t length) override {
        if (length > sizeof waiting_ - filled_) return;
        std::memcpy(waiting_ + filled_, data, length);
        filled_ += length;
    }
    void reboot() override { reboots_ = true; }

    int take(uint8_t* data, int room) {
        const size_t some = room < 0 ? 0 : static_cast<size_t>(room) < filled_ ? static_cast<size_t>(room) : filled_;
        std::memcpy(data, waiting_, some);
        filled_ -= some;
        std::memmove(waiting_, waiting_ + some, filled_);
        return static_cast<int>(some);
    }
    void set(uint32_t now, const crawler_in* in, float supply, bool stop) {
        now_ = now;
        supply_ = supply;
        stop_ = stop;
        std::memcpy(in_, in, sizeof(crawler_in) * static_cast<size_t>(motors_));
    }
    void sense(const crawler_world& world) {
        const bool is_new = world.sample != world_.sample;
        world_ = world;
        if (world_.inputs > MOST_INPUTS) world_.inputs = MOST_INPUTS;
        if (world_.switches > MOST_SWITCHES) world_.switches = MOST_SWITCHES;
        const bool powered = world_.imu == 1 || world_.imu == 3;
        if (part_.powered() && !powered) part_.power_off();
        if (powered && !part_.powered()) part_.power_on(world_.imu == 1 ? Lsm6dso::IDENTITY : OTHER_IDENTITY);
        if (is_new) part_.measure(world_.angular, world_.linear);
    }
    void get(crawler_out* out) const { std::memcpy(out, out_, sizeof(crawler_out) * static_cast<size_t>(motors_)); }
    bool reboots() const { return reboots_; }
    bool led() const { return led_; }

  private:
    static constexpr float COUNTS = 4096.0f, VOLTS = 3.3f / COUNTS;
    static constexpr uint8_t OTHER_IDENTITY = 0x68;

    const uint32_t boot_;
    const int motors_;
    char name_[NAME_LENGTH + 1] = {};
    crawler_in in_[MOST_MOTORS];
    crawler_out out_[MOST_MOTORS] = {};
    crawler_world world_ = {};
    EmulatedImu part_;
    Lsm6dso driver_{part_};
    uint32_t now_ = 0;
    float supply_ = NAN;
    bool stop_ = false, led_ = false, reboots_ = false;
    uint8_t waiting_[8192];
    size_t filled_ = 0;
};

struct Whole {
    Whole(uint32_t boot, int motors, const char* name) : hardware(boot, motors, name), board(hardware) {}

    Given hardware;
    Board board;
};

Whole& whole(void* board) { return *static_cast<Whole*>(board); }

}  // namespace

void* crawler_board_make(uint32_t boot, int motors, const char* name) {
    if (motors < 1 || motors > MOST_MOTORS) return nullptr;
    return new (std::nothrow) Whole(boot, motors, name);
}

void crawler_board_free(void* board) { delete static_cast<Whole*>(board); }

void crawler_board_receive(void* board, const uint8_t* data, int length) {
    if (length > 0) whole(board).board.receive(data, static_cast<size_t>(length));
}

int crawler_board_send(void* board, uint8_t* data, int room) { return whole(board).hardware.take(data, room); }

void crawler_board_sense(void* board, const crawler_world* world) { whole(board).hardware.sense(*world); }

void crawler_board_tick(void* board, uint32_t now_us, const crawler_in* in, crawler_out* out, float supply, int stop) {
    Whole& it = whole(board);
    it.hardware.set(now_us, in, supply, stop != 0);
    it.board.tick();
    it.hardware.get(out);
}

int crawler_board_wants_reboot(void* board) { return whole(board).hardware.reboots(); }

int crawler_board_led(void* board) { return whole(board).hardware.led(); }

int crawler_quadrature(const uint8_t* levels, int length, uint8_t first, int32_t* count) {
    Quadrature encoder;
    encoder.begin(first & 2, first & 1);
    for (int i = 0; i < length; ++i) encoder.edge(levels[i] & 2, levels[i] & 1);
    *count = encoder.count();
    return encoder.well();
}
