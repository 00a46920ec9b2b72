#include "sensors.h"

#include "bytes.h"

namespace crawler {
namespace {

constexpr uint32_t SILENCE = 100000;  // µs without a sample until the IMU counts as silent
constexpr uint32_t RETRY = 500000;    // µs between two attempts to set it up again
constexpr uint8_t OPEN_TICKS = 3;     // without contact, until a switch that bounces is open

}  // namespace

void Sensors::configure(const SensorConfig& config) {
    config_ = config;
    imu_ = config.imu() ? hardware_.begin_imu(config.angular_range, config.linear_range) : ImuSetup{};
    has_sample_ = silent_ = false;
    waits_ = config.imu();
    closed_ = 0;
    for (uint8_t& ticks : open_ticks_) ticks = OPEN_TICKS;
}

void Sensors::sense(uint32_t now) {
    if (config_.imu()) sense_imu(now);
    for (int i = 0; i < MOST_INPUTS; ++i)
        if (config_.inputs >> i & 1) inputs_[i] = hardware_.input(i);
    sense_switches();
}

void Sensors::sense_imu(uint32_t now) {
    if (waits_) {  // the first tick since its set-up
        heard_ = tried_ = now;
        waits_ = false;
    }
    if (imu_.state == ImuState::RUNS && hardware_.imu(sample_)) {
        has_sample_ = true;
        silent_ = false;
        heard_ = now;
        return;
    }
    if (!silent_ && now - heard_ < SILENCE) return;
    silent_ = true;
    if (now - tried_ < RETRY) return;
    tried_ = now;  // a part that has lost its supply has lost its settings too
    const ImuSetup again = hardware_.begin_imu(config_.angular_range, config_.linear_range);
    // the host has the scale of the first set-up
    if (again.state == ImuState::RUNS && imu_.state != ImuState::RUNS && imu_.angular > 0.0f) imu_.state = again.state;
}

void Sensors::sense_switches() {
    for (int i = 0; i < MOST_SWITCHES; ++i) {
        if (!(config_.switches >> i & 1)) continue;
        if (hardware_.switch_closed(i)) {
            open_ticks_[i] = 0;
            closed_ |= static_cast<uint8_t>(1u << i);
        } else if (open_ticks_[i] < OPEN_TICKS && ++open_ticks_[i] == OPEN_TICKS) {
            closed_ &= static_cast<uint8_t>(~(1u << i));
        }
    }
}

size_t Sensors::report(uint8_t* fields) const {
    if (!config_.any()) return 0;
    const bool sample = has_sample_ && !silent_;
    Writer out(fields);
    out.u8(static_cast<uint8_t>((sample ? sensor_flag::IMU_SAMPLE : 0) | (silent_ ? sensor_flag::IMU_SILENT : 0)));
    out.u8(config_.inputs);
    out.u8(config_.switches);
    out.u8(closed_);
    if (sample) {
        out.u32(sample_.time);
        for (int16_t value : sample_.angular) out.u16(static_cast<uint16_t>(value));
        for (int16_t value : sample_.linear) out.u16(static_cast<uint16_t>(value));
    }
    for (int i = 0; i < MOST_INPUTS; ++i)
        if (config_.inputs >> i & 1) out.u16(inputs_[i]);
    return static_cast<size_t>(out.at() - fields);
}

}  // namespace crawler
