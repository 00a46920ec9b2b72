#include "board.h"

#include "bytes.h"
#include "crc32.h"

namespace crawler {
namespace {

constexpr uint32_t WELCOME_PERIOD = 100000;  // µs
constexpr uint32_t LATEST = 5000;            // µs between two ticks
constexpr uint32_t LOW_TICKS = 20, HIGH_TICKS = 2;
constexpr uint32_t SLOW_BLINK = 1u << 19, FAST_BLINK = 1u << 16;  // µs, of half a period
constexpr uint8_t THE_BOARD = 255;

}  // namespace

void Board::receive(const uint8_t* data, size_t length) {
    Packet packet;
    while (length--)
        if (link_.take(*data++, packet)) take(packet);
}

void Board::take(const Packet& packet) {
    if (packet.type == Message::HELLO) return hello(packet);
    const Answer answer = obey(packet);
    const bool asks = packet.type == Message::SETPOINTS || packet.type == Message::POLL;
    if (answer.code != Code::OK) link_.refuse();
    if (asks && answer.code == Code::OK)
        tell_state();
    else if (packet.type == Message::CONFIGURE_SENSORS && answer.code == Code::OK)
        tell_sensors();
    else
        acknowledge(packet, answer);
    if (packet.type == Message::REBOOT && answer.code == Code::OK) hardware_.reboot();
}

void Board::hello(const Packet& packet) {
    constexpr size_t FIELDS = 5;
    Reader in(packet.data + HEAD);
    const uint8_t version = packet.length > HEAD ? in.u8() : PROTOCOL;
    if (version < OLDEST_PROTOCOL || version > PROTOCOL) return acknowledge(packet, {Code::VERSION, PROTOCOL});
    if (packet.length != HEAD + FIELDS) return acknowledge(packet, {Code::LENGTH, FIELDS});
    const uint32_t nonce = in.u32();
    disarm();
    configured_ = false;
    config_ = BoardConfig{};
    for (Motor& motor : motors_) motor.forget_config();
    sensors_.configure({});
    version_ = version;
    uint8_t seed[12];
    Writer out(seed);
    out.u32(hardware_.boot());
    out.u32(nonce);
    out.u32(++hellos_);
    session_ = crc32(seed, sizeof seed);
    if (!session_) session_ = 1;
    link_.begin(session_);
    welcome(nonce);
}

Answer Board::obey(const Packet& packet) {
    switch (packet.type) {
        case Message::CONFIGURE_BOARD: return configure_board(packet);
        case Message::CONFIGURE_MOTOR: return configure_motor(packet);
        case Message::FIND_INDEX: return find_index(packet);
        case Message::SETPOINTS: return setpoints(packet);
        case Message::CONFIGURE_SENSORS:
            if (version_ < SENSORS_SINCE) return {Code::UNKNOWN, 0};
            return configure_sensors(packet);
        case Message::ARM:
        case Message::DISARM:
        case Message::RESET:
        case Message::ESTOP:
        case Message::REBOOT:
        case Message::POLL: break;
        default: return {Code::UNKNOWN, 0};
    }
    if (packet.type == Message::ESTOP) {  // even with a wrong length
        faults_ |= board_fault::ESTOP;
        disarm();
    }
    if (packet.length != HEAD) return {Code::LENGTH, 0};
    if (packet.type == Message::ARM) return arm();
    if (packet.type == Message::RESET) return reset();
    if (packet.type == Message::DISARM || packet.type == Message::REBOOT) disarm();
    return {};
}

Answer Board::configure_board(const Packet& packet) {
    BoardConfig config;
    const Answer answer = parse_board(packet.data, packet.length, hardware_.motors(), config);
    if (answer.code != Code::OK) return answer;
    if (armed_) return {Code::ARMED, 0};
    config_ = config;
    configured_ = true;
    return {};
}

Answer Board::configure_motor(const Packet& packet) {
    uint8_t motor = 0;
    MotorConfig config;
    const Answer answer = parse_motor(packet.data, packet.length, motor, config);
    if (answer.code != Code::OK) return answer;
    if (motor >= MOST_MOTORS || !uses(motor)) return {Code::MOTOR, motor};
    if (armed_) return {Code::ARMED, 0};
    motors_[motor].configure(config);
    return {};
}

Answer Board::configure_sensors(const Packet& packet) {
    SensorConfig config;
    const Answer answer = parse_sensors(packet.data, packet.length, hardware_.inputs(), hardware_.switches(), config);
    if (answer.code != Code::OK) return answer;
    if (armed_) return {Code::ARMED, 0};
    sensors_.configure(config);
    return {};
}

Answer Board::arm() {
    if (armed_) return {};
    if (faulty()) return {Code::FAULT, 0};
    if (!configured_) return {Code::NOT_CONFIGURED, THE_BOARD};
    if (const int motor = unconfigured(); motor >= 0) return {Code::NOT_CONFIGURED, static_cast<uint8_t>(motor)};
    for (Motor& motor : motors_) motor.rest();
    fed_ = hardware_.now();
    armed_ = true;
    return {};
}

Answer Board::reset() {
    disarm();
    faults_ = 0;
    for (Motor& motor : motors_) motor.forgive();
    if (hardware_.stop_pressed()) faults_ |= board_fault::ESTOP_INPUT;
    if (over_voltage()) faults_ |= board_fault::OVER_VOLTAGE;
    if (faulty()) return {Code::CAUSE, 0};
    return {};
}

Answer Board::find_index(const Packet& packet) {
    uint8_t motor = 0;
    Search search;
    const Answer answer = parse_search(packet.data, packet.length, motor, search);
    if (answer.code != Code::OK) return answer;
    if (motor >= MOST_MOTORS || !uses(motor)) return {Code::MOTOR, motor};
    if (!armed_) return {Code::NOT_ARMED, 0};
    if (motors_[motor].config().encoder == EncoderKind::ABSOLUTE) return {Code::VALUE, HEAD};
    motors_[motor].search(search);
    return {};
}

Answer Board::setpoints(const Packet& packet) {
    uint16_t named = 0;
    Setpoint wanted[MOST_MOTORS];
    const Answer answer = parse_setpoints(packet.data, packet.length, named, wanted);
    if (answer.code != Code::OK) return answer;
    for (int i = 0; i < MOST_MOTORS; ++i) {
        if ((named >> i & 1) && !uses(i)) return {Code::MOTOR, static_cast<uint8_t>(i)};
        const bool lost = motors_[i].config().is(MotorConfig::LIMITED) && !motors_[i].homed();
        if (wanted[i].mode == Mode::POSITION && lost) return {Code::NOT_HOMED, static_cast<uint8_t>(i)};
    }
    if (!armed_) return {};
    for (int i = 0; i < MOST_MOTORS; ++i) motors_[i].aim(wanted[i]);
    fed_ = hardware_.now();
    return {};
}

void Board::acknowledge(const Packet& packet, Answer answer) {
    uint8_t data[HEAD + 7 + TAIL];
    Writer out(data + HEAD);
    out.u32(packet.number);
    out.u8(static_cast<uint8_t>(packet.type));
    out.u8(static_cast<uint8_t>(answer.code));
    out.u8(answer.detail);
    link_.send(Message::ACK, data, HEAD + 7, packet.in_session);
}

void Board::tell_state() {
    constexpr float LAST = 65534.0f;
    uint8_t data[MOST_PACKET];
    Writer out(data + HEAD);
    out.u32(link_.last());
    out.u32(tick_);
    out.u16(finite(supply_) ? static_cast<uint16_t>(within(100.0f * supply_ + 0.5f, 0.0f, LAST)) : 65535);
    out.u8(static_cast<uint8_t>(condition()));
    out.u16(config_.used);
    out.u16(faults_);
    out.u8(link_.ignored());
    uint8_t* at = out.at();
    for (int i = 0; i < MOST_MOTORS; ++i) {
        if (!uses(i)) continue;
        motors_[i].report(at);
        at += 16;
    }
    at += sensors_.report(at);
    link_.send(Message::STATE, data, static_cast<size_t>(at - data), true);
}

void Board::tell_sensors() {
    constexpr size_t FIELDS = 16 + 4 * MOST_INPUTS;
    uint8_t data[HEAD + FIELDS + TAIL];
    const ImuSetup& imu = sensors_.imu();
    Writer out(data + HEAD);
    out.u32(link_.last());
    out.u8(static_cast<uint8_t>(imu.state));
    out.u8(imu.identity);
    out.f32(imu.angular);
    out.f32(imu.linear);
    out.u8(static_cast<uint8_t>(hardware_.inputs()));
    out.u8(static_cast<uint8_t>(hardware_.switches()));
    for (int i = 0; i < MOST_INPUTS; ++i) out.f32(i < hardware_.inputs() ? hardware_.input_scale(i) : 0.0f);
    link_.send(Message::SENSORS, data, HEAD + FIELDS, true);
}

void Board::welcome(uint32_t nonce) {
    uint8_t data[HEAD + 30 + TAIL];
    Writer out(data + HEAD);
    out.u8(link_.has_session() ? version_ : PROTOCOL);
    for (uint8_t part : FIRMWARE) out.u8(part);
    out.u32(hardware_.boot());
    out.u32(session_);
    out.u32(nonce);
    out.u8(static_cast<uint8_t>(hardware_.motors()));
    out.u8(hardware_.measures());
    const char* name = hardware_.name();
    for (size_t i = 0; i < NAME_LENGTH; ++i) out.u8(static_cast<uint8_t>(*name ? *name++ : 0));
    link_.send(Message::WELCOME, data, HEAD + 30, false);
}

void Board::tick() {
    const uint32_t now = hardware_.now();
    if (armed_ && ticked_ && now - tick_ > LATEST) faults_ |= board_fault::LATE;
    tick_ = now;
    ticked_ = true;
    supply_ = hardware_.supply();
    for (int i = 0; i < hardware_.motors(); ++i) {
        const Sensed sensed{hardware_.encoder(i), hardware_.current(i), hardware_.temperature(i), supply_};
        motors_[i].sense(sensed, armed_, now);
    }
    sensors_.sense(now);
    watch(now);
    if (faulty()) disarm();
    for (int i = 0; i < hardware_.motors(); ++i) {
        const Drive drive = armed_ && uses(i) ? motors_[i].drive() : motors_[i].open();
        if (drive.closed)
            hardware_.drive(i, drive.volts);
        else
            hardware_.release(i);
    }
    if (!link_.has_session() && now - welcomed_ >= WELCOME_PERIOD) {
        welcomed_ = now;
        welcome(0);
    }
    blink(now);
}

void Board::watch(uint32_t now) {
    using namespace board_fault;
    if (armed_ && now - fed_ > 1000u * config_.watchdog) faults_ |= LINK_LOST;
    if (hardware_.stop_pressed()) faults_ |= ESTOP_INPUT;
    if (over_voltage_.now(over_voltage(), HIGH_TICKS)) faults_ |= OVER_VOLTAGE;
    const bool low = armed_ && finite(supply_) && supply_ < config_.supply_low;
    if (under_voltage_.now(low, LOW_TICKS)) faults_ |= UNDER_VOLTAGE;
}

bool Board::over_voltage() const { return configured_ && finite(supply_) && supply_ > config_.supply_high; }

void Board::disarm() {
    armed_ = false;
    for (int i = 0; i < hardware_.motors(); ++i) {
        motors_[i].rest();
        motors_[i].open();
        hardware_.release(i);
    }
}

void Board::blink(uint32_t now) {
    if (!link_.has_session()) return hardware_.led(false);
    hardware_.led(faulty() ? now & FAST_BLINK : armed_ || now & SLOW_BLINK);
}

bool Board::faulty() const {
    uint16_t all = faults_;
    for (const Motor& motor : motors_) all |= motor.faults();
    return all;
}

int Board::unconfigured() const {
    for (int i = 0; i < MOST_MOTORS; ++i)
        if (uses(i) && !motors_[i].configured()) return i;
    return -1;
}

Condition Board::condition() const {
    if (faulty()) return Condition::FAULT;
    if (armed_) return Condition::ARMED;
    return configured_ && unconfigured() < 0 ? Condition::IDLE : Condition::UNCONFIGURED;
}

}  // namespace crawler
