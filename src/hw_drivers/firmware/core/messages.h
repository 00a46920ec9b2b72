// The messages of docs/board_protocol.md: their types, codes, flags and fields.
#pragma once

#include <cstddef>
#include <cstdint>

namespace crawler {

constexpr uint8_t PROTOCOL = 2, OLDEST_PROTOCOL = 1;  // a session has the host's version
constexpr uint8_t SENSORS_SINCE = 2;                   // version
constexpr uint8_t FIRMWARE[3] = {2, 0, 0};
constexpr int MOST_MOTORS = 16;
constexpr int MOST_INPUTS = 8;    // analogue ones
constexpr int MOST_SWITCHES = 8;
constexpr size_t NAME_LENGTH = 12;
constexpr size_t HEAD = 5;  // bytes before a message's fields: type and number
constexpr size_t TAIL = 4;  // CRC
constexpr int32_t TURN = 1 << 20;  // angles

enum class Message : uint8_t {
    HELLO = 0x01,
    CONFIGURE_BOARD = 0x02,
    CONFIGURE_MOTOR = 0x03,
    ARM = 0x04,
    DISARM = 0x05,
    RESET = 0x06,
    ESTOP = 0x07,
    FIND_INDEX = 0x08,
    REBOOT = 0x09,
    CONFIGURE_SENSORS = 0x0A,
    SETPOINTS = 0x10,
    POLL = 0x11,
    WELCOME = 0x81,
    ACK = 0x83,
    STATE = 0x84,
    SENSORS = 0x85,
};

enum class Code : uint8_t {
    OK = 0,
    VERSION = 1,
    UNKNOWN = 2,
    LENGTH = 3,
    VALUE = 4,
    MOTOR = 5,
    NOT_CONFIGURED = 6,
    ARMED = 7,
    FAULT = 8,
    CAUSE = 9,
    NOT_HOMED = 10,
    NOT_ARMED = 11,
};

struct Answer {
    Code code = Code::OK;
    uint8_t detail = 0;
};

enum class Condition : uint8_t { UNCONFIGURED = 0, IDLE = 1, ARMED = 2, FAULT = 3 };

namespace board_fault {
constexpr uint16_t LINK_LOST = 0x0001, ESTOP = 0x0002, ESTOP_INPUT = 0x0004, UNDER_VOLTAGE = 0x0008,
                   OVER_VOLTAGE = 0x0010, LATE = 0x0020;
}

namespace motor_fault {
constexpr uint16_t OVER_CURRENT = 0x0001, HOT = 0x0002, OVER_SPEED = 0x0004, ENCODER = 0x0008,
                   INDEX_NOT_FOUND = 0x0010, STALLED = 0x0020;
}

namespace motor_state {
constexpr uint8_t HOMED = 0x01, SEARCHING = 0x02, CUT = 0x04, CLOSED = 0x08;
}

struct BoardConfig {
    uint16_t watchdog = 0;  // ms
    uint16_t used = 0;      // bit 0: motor 0
    float supply_low = 0.0f, supply_high = 0.0f;  // V
};

enum class EncoderKind : uint8_t { QUADRATURE = 0, ABSOLUTE = 1 };

struct MotorConfig {
    static constexpr uint16_t REVERSE_MOTOR = 0x0001, REVERSE_ENCODER = 0x0002, ON_OUTPUT = 0x0004, LIMITED = 0x0008,
                              REGULATED = 0x0010;
    static constexpr int8_t NO_LIMIT = 127;  // of temperature

    EncoderKind encoder = EncoderKind::QUADRATURE;
    uint16_t flags = 0;
    uint32_t counts = 4;            // per turn of the encoder's shaft
    float gear = 1.0f;              // turns of the motor for one of the output shaft
    float torque_constant = 1.0f;   // N·m/A, and V·s/rad, of the motor
    float resistance = 1.0f;        // Ω
    float most_current = 1.0f;      // A
    float most_torque = 1.0f;       // N·m, at the output shaft, like all below
    float most_velocity = 1.0f;     // rad/s
    float stiffness = 0.0f;         // N·m/rad
    float damping = 0.0f;           // N·m·s/rad
    int32_t index_angle = 0, lower = 0, upper = 0;
    int8_t hottest = NO_LIMIT;      // °C
    uint16_t stall = 0;             // ms; 0: never

    bool is(uint16_t flag) const { return flags & flag; }
};

enum class Mode : uint8_t { OFF = 0, TORQUE = 1, VELOCITY = 2, POSITION = 3 };

struct Setpoint {
    Mode mode = Mode::OFF;
    int32_t angle = 0;
    float velocity = 0.0f, torque = 0.0f;  // rad/s, N·m
};

struct Search {
    float velocity = 0.0f, torque = 0.0f, turns = 0.0f;  // rad/s, N·m
};

// What STATE carries beside the motors.
struct SensorConfig {
    static constexpr uint8_t IMU = 0x01;

    uint8_t flags = 0;
    uint8_t inputs = 0, switches = 0;               // bit 0: the first one
    uint16_t angular_range = 0, linear_range = 0;   // degrees/s, m/s²; 0: the largest

    bool imu() const { return flags & IMU; }
    bool any() const { return flags || inputs || switches; }
};

// Of the IMU, as its set-up found it.
enum class ImuState : uint8_t { NONE = 0, RUNS = 1, SILENT = 2, OTHER_PART = 3 };

namespace sensor_flag {
constexpr uint8_t IMU_SAMPLE = 0x01, IMU_SILENT = 0x02;
}

// Parse the fields of a message; the answer has the reason of a refusal. `packet` is the whole packet, so that offsets are
// those of docs/board_protocol.md.
Answer parse_board(const uint8_t* packet, size_t length, int motors, BoardConfig& config);
Answer parse_motor(const uint8_t* packet, size_t length, uint8_t& motor, MotorConfig& config);
Answer parse_search(const uint8_t* packet, size_t length, uint8_t& motor, Search& search);
Answer parse_sensors(const uint8_t* packet, size_t length, int inputs, int switches, SensorConfig& config);
// `setpoints` has MOST_MOTORS entries; motors that the message does not name become OFF.
Answer parse_setpoints(const uint8_t* packet, size_t length, uint16_t& named, Setpoint* setpoints);

}  // namespace crawler
