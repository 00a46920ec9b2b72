#include "messages.h"

#include "bytes.h"

namespace crawler {
namespace {

constexpr size_t BOARD_FIELDS = 12, MOTOR_FIELDS = 55, SEARCH_FIELDS = 13, SENSOR_FIELDS = 7;
constexpr uint16_t SHORTEST_WATCHDOG = 5, LONGEST_WATCHDOG = 1000;  // ms
constexpr uint32_t FEWEST_COUNTS = 2, MOST_COUNTS = 1u << 24;
constexpr float LEAST_GEAR = 1e-3f, MOST_GEAR = 1e4f, MOST_TURNS = 100.0f;
constexpr float MOST_NUMBER = 1e6f;  // so that products are finite
constexpr uint16_t MOTOR_FLAGS = 0x001F;

Answer bad(size_t offset) { return {Code::VALUE, static_cast<uint8_t>(offset)}; }

Answer wrong_length(size_t expected) { return {Code::LENGTH, static_cast<uint8_t>(expected)}; }

bool positive(float value) { return value > 0.0f && value <= MOST_NUMBER; }

}  // namespace

Answer parse_board(const uint8_t* packet, size_t length, int motors, BoardConfig& config) {
    if (length != HEAD + BOARD_FIELDS) return wrong_length(BOARD_FIELDS);
    Reader in(packet + HEAD);
    config.watchdog = in.u16();
    config.used = in.u16();
    config.supply_low = in.f32();
    config.supply_high = in.f32();
    if (config.watchdog < SHORTEST_WATCHDOG || config.watchdog > LONGEST_WATCHDOG) return bad(5);
    for (int i = motors; i < MOST_MOTORS; ++i)
        if (config.used >> i & 1) return {Code::MOTOR, static_cast<uint8_t>(i)};
    if (!config.used) return bad(7);
    if (!finite(config.supply_low)) return bad(9);
    if (!finite(config.supply_high) || config.supply_high <= config.supply_low) return bad(13);
    return {};
}

Answer parse_motor(const uint8_t* packet, size_t length, uint8_t& motor, MotorConfig& config) {
    if (length != HEAD + MOTOR_FIELDS) return wrong_length(MOTOR_FIELDS);
    Reader in(packet + HEAD);
    motor = in.u8();
    const uint8_t encoder = in.u8();
    config.encoder = static_cast<EncoderKind>(encoder);
    config.flags = in.u16();
    config.counts = in.u32();
    if (encoder > 1) return bad(6);
    const bool absolute = config.encoder == EncoderKind::ABSOLUTE;
    if (config.flags & ~MOTOR_FLAGS || (absolute && !config.is(MotorConfig::ON_OUTPUT))) return bad(7);
    if (config.counts < FEWEST_COUNTS || config.counts > MOST_COUNTS) return bad(9);
    float* const numbers[] = {&config.gear,          &config.torque_constant, &config.resistance, &config.most_current,
                              &config.most_torque,   &config.most_velocity,   &config.stiffness,  &config.damping};
    for (float* number : numbers) {
        const size_t offset = static_cast<size_t>(in.at() - packet);
        *number = in.f32();
        const bool may_be_zero = number == &config.stiffness || number == &config.damping;
        if (!positive(*number) && !(may_be_zero && *number == 0.0f)) return bad(offset);
    }
    if (config.gear < LEAST_GEAR || config.gear > MOST_GEAR) return bad(13);
    config.index_angle = in.i32();
    config.lower = in.i32();
    config.upper = in.i32();
    config.hottest = in.i8();
    config.stall = in.u16();
    if (config.is(MotorConfig::LIMITED) && config.upper <= config.lower) return bad(53);
    return {};
}

Answer parse_search(const uint8_t* packet, size_t length, uint8_t& motor, Search& search) {
    if (length != HEAD + SEARCH_FIELDS) return wrong_length(SEARCH_FIELDS);
    Reader in(packet + HEAD);
    motor = in.u8();
    search.velocity = in.f32();
    search.torque = in.f32();
    search.turns = in.f32();
    if (!finite(search.velocity) || search.velocity == 0.0f) return bad(6);
    if (!positive(search.torque)) return bad(10);
    if (!positive(search.turns) || search.turns > MOST_TURNS) return bad(14);
    return {};
}

Answer parse_sensors(const uint8_t* packet, size_t length, int inputs, int switches, SensorConfig& config) {
    if (length != HEAD + SENSOR_FIELDS) return wrong_length(SENSOR_FIELDS);
    Reader in(packet + HEAD);
    config.flags = in.u8();
    config.inputs = in.u8();
    config.switches = in.u8();
    config.angular_range = in.u16();
    config.linear_range = in.u16();
    if (config.flags & ~SensorConfig::IMU) return bad(5);
    if (config.inputs >> inputs) return bad(6);
    if (config.switches >> switches) return bad(7);
    return {};
}

Answer parse_setpoints(const uint8_t* packet, size_t length, uint16_t& named, Setpoint* setpoints) {
    if (length < HEAD + 2) return wrong_length(0);
    Reader in(packet + HEAD);
    const uint8_t* const end = packet + length;
    named = in.u16();
    for (int i = 0; i < MOST_MOTORS; ++i) {
        Setpoint& setpoint = setpoints[i] = Setpoint{};
        if (!(named >> i & 1)) continue;
        if (in.at() == end) return wrong_length(0);
        const uint8_t mode = in.u8();
        if (mode > static_cast<uint8_t>(Mode::POSITION)) return bad(static_cast<size_t>(in.at() - 1 - packet));
        setpoint.mode = static_cast<Mode>(mode);
        if (end - in.at() < 4 * mode) return wrong_length(0);  // each mode has one number more than the previous one
        if (setpoint.mode == Mode::POSITION) setpoint.angle = in.i32();
        float* const numbers[] = {&setpoint.velocity, &setpoint.torque};
        for (int k = mode >= 2 ? 0 : 1; k < 2 && mode; ++k) {
            const size_t offset = static_cast<size_t>(in.at() - packet);
            *numbers[k] = in.f32();
            if (!finite(*numbers[k])) return bad(offset);
        }
    }
    return in.at() == end ? Answer{} : wrong_length(0);
}

}  // namespace crawler
