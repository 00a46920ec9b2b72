#include "motor.h"

#include "bytes.h"

namespace crawler {
namespace {

constexpr float TICK = 1e-3f;                  // s
constexpr float RADIANS = 6.2831853f / TURN;   // per unit of angle
constexpr float SLOWING = 0.1f;                // share of the velocity limit over which the torque falls to 0
constexpr float TOO_MUCH = 1.5f;               // times a limit: a fault
constexpr float NEARLY = 0.9f;                 // share of the current limit: at a standstill it is a stall
constexpr float LEARNING = 10.0f;              // 1/s, of a search's velocity loop
constexpr float TRIMMING = 50.0f;              // 1/s, of the current's loop
constexpr float MOST_TRIM = 0.25f;             // share of the voltage for the current limit
constexpr uint32_t CURRENT_TICKS = 3, HOT_TICKS = 10, SPEED_TICKS = 5;

}  // namespace

void Motor::configure(const MotorConfig& config) {
    config_ = config;
    configured_ = true;
    shaft_.configure(config_);
    rest();
}

void Motor::search(const Search& search) {
    search_ = search;
    searching_ = true;
    learnt_ = 0.0f;
    began_ = shaft_.turns();
    shaft_.search();
}

void Motor::rest() {
    setpoint_ = Setpoint{};
    searching_ = false;
    trim_ = 0.0f;
    least_ = INT32_MIN;
    most_ = INT32_MAX;
    hold_within();
}

void Motor::hold_within() {
    const int32_t here = shaft_.angle();
    const int32_t low = here < config_.lower ? here : config_.lower, high = here > config_.upper ? here : config_.upper;
    least_ = least_ > low ? least_ : low;
    most_ = most_ < high ? most_ : high;
}

void Motor::sense(const Sensed& sensed, bool armed, uint32_t now) {
    sensed_ = sensed;
    shaft_.read(sensed.encoder, now);
    if (!configured_) return;
    hold_within();
    if (finite(sensed.current)) current_ = config_.is(MotorConfig::REVERSE_MOTOR) ? -sensed.current : sensed.current;
    watch(armed);
    if (searching_) watch_search();
}

void Motor::watch(bool armed) {
    using namespace motor_fault;
    if (!shaft_.well()) faults_ |= ENCODER;
    if (hot_.now(hot(), HOT_TICKS)) faults_ |= HOT;
    const bool too_much = finite(sensed_.current) && magnitude(sensed_.current) > TOO_MUCH * config_.most_current;
    if (over_current_.now(too_much, CURRENT_TICKS)) faults_ |= OVER_CURRENT;
    const bool too_fast = armed && magnitude(shaft_.velocity()) > TOO_MUCH * config_.most_velocity;
    if (over_speed_.now(too_fast, SPEED_TICKS)) faults_ |= OVER_SPEED;
    const bool stands = closed_ && !shaft_.moved() && magnitude(current_) >= NEARLY * most_current();
    if (config_.stall && stalled_.now(stands, config_.stall)) faults_ |= STALLED;
}

void Motor::watch_search() {
    const double turned = shaft_.turns() - began_;
    if (shaft_.homed())
        rest();
    else if ((turned < 0.0 ? -turned : turned) > static_cast<double>(search_.turns))
        faults_ |= motor_fault::INDEX_NOT_FOUND;
}

Drive Motor::drive() {
    if (!searching_ && setpoint_.mode == Mode::OFF) return open();
    const float torque = wanted();
    const float given = allowed(torque);
    const float needed = given / (config_.gear * config_.torque_constant);
    const float current = within(needed, -config_.most_current, config_.most_current);
    const float volts = to_volts(current);
    cut_ = saturated_ || given != torque || current != needed;
    closed_ = true;
    if (!finite(sensed_.current)) current_ = (volts - induced()) / config_.resistance;
    return {config_.is(MotorConfig::REVERSE_MOTOR) ? -volts : volts, true};
}

Drive Motor::open() {
    closed_ = cut_ = saturated_ = false;
    trim_ = 0.0f;
    if (!finite(sensed_.current)) current_ = 0.0f;
    return {};
}

float Motor::wanted() {
    const float speed = shaft_.velocity();
    if (searching_) {
        const float slow = search_.velocity - speed;
        learnt_ = within(learnt_ + LEARNING * TICK * config_.damping * slow, -search_.torque, search_.torque);
        return within(config_.damping * slow + learnt_, -search_.torque, search_.torque);
    }
    float torque = setpoint_.torque;
    if (setpoint_.mode == Mode::TORQUE) return torque;
    torque += config_.damping * (setpoint_.velocity - speed);
    if (setpoint_.mode == Mode::VELOCITY) return torque;
    int32_t goal = setpoint_.angle;
    if (config_.is(MotorConfig::LIMITED)) goal = goal < least_ ? least_ : goal > most_ ? most_ : goal;
    const uint32_t away = static_cast<uint32_t>(goal) - static_cast<uint32_t>(shaft_.angle());  // angles wrap
    return torque + config_.stiffness * RADIANS * static_cast<float>(static_cast<int32_t>(away));
}

float Motor::allowed(float torque) const {
    const float speed = shaft_.velocity();
    float most = config_.most_torque;
    if (torque * speed > 0.0f)
        most *= within((config_.most_velocity - magnitude(speed)) / (SLOWING * config_.most_velocity), 0.0f, 1.0f);
    if (config_.is(MotorConfig::LIMITED) && shaft_.homed()) {
        const int32_t angle = shaft_.angle();
        if ((angle >= config_.upper && torque > 0.0f) || (angle <= config_.lower && torque < 0.0f)) return 0.0f;
    }
    return within(torque, -most, most);
}

float Motor::to_volts(float current) {
    const float back = induced();
    const float most = config_.resistance * config_.most_current;
    float volts = config_.resistance * current;
    if (config_.is(MotorConfig::REGULATED)) {
        if (finite(sensed_.current) && closed_ && !saturated_) {
            const float missing = config_.resistance * (current - current_);
            trim_ = within(trim_ + TRIMMING * TICK * missing, -MOST_TRIM * most, MOST_TRIM * most);
        }
        volts += back + trim_;
    }
    float given = config_.is(MotorConfig::REGULATED) ? volts : within(volts, back - most, back + most);
    if (finite(sensed_.supply)) given = within(given, -sensed_.supply, sensed_.supply);
    saturated_ = given != volts;
    return given;
}

bool Motor::hot() const {
    return config_.hottest != MotorConfig::NO_LIMIT && finite(sensed_.temperature) &&
           sensed_.temperature > static_cast<float>(config_.hottest);
}

float Motor::induced() const { return config_.gear * config_.torque_constant * shaft_.velocity(); }

float Motor::most_current() const {
    const float by_torque = config_.most_torque / (config_.gear * config_.torque_constant);
    return by_torque < config_.most_current ? by_torque : config_.most_current;
}

void Motor::forgive() {
    faults_ = 0;
    shaft_.forgive();
    if (!configured_) return;
    if (!shaft_.plausible()) faults_ |= motor_fault::ENCODER;
    if (hot()) faults_ |= motor_fault::HOT;
}

void Motor::report(uint8_t* fields) const {
    Writer out(fields);
    out.i32(shaft_.angle());
    out.f32(shaft_.velocity());
    out.f32(current_);
    const bool measured = finite(sensed_.temperature);
    out.i8(measured ? static_cast<int8_t>(within(sensed_.temperature, -127.0f, 127.0f)) : -128);
    using namespace motor_state;
    out.u8(static_cast<uint8_t>((shaft_.homed() ? HOMED : 0) | (searching_ ? SEARCHING : 0) | (cut_ ? CUT : 0) |
                                (closed_ ? CLOSED : 0)));
    out.u16(faults_);
}

}  // namespace crawler
