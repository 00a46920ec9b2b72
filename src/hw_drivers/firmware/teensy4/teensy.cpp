#include "teensy.h"

#include <Arduino.h>
#include <SPI.h>
#include <avr/eeprom.h>

#include "../core/bytes.h"
#include "../core/cobs.h"
#include "../core/crc32.h"
#include "../core/lsm6dso.h"
#include "../core/quadrature.h"
#include "wiring.h"

namespace crawler {
namespace {

using wiring::MOTORS;
using wiring::NONE;

constexpr int COUNT = sizeof MOTORS / sizeof *MOTORS;
static_assert(COUNT >= 1 && COUNT <= MOST_MOTORS, "the protocol has 1 to 16 motors");

constexpr int BITS = 12;                      // of converters and of PWM
constexpr float FULL = 1 << BITS;
constexpr float LEAST_SUPPLY = 1.0f;          // V: below it nothing can be driven

constexpr int INPUT_COUNT = sizeof wiring::INPUTS / sizeof *wiring::INPUTS;
constexpr int SWITCH_COUNT = sizeof wiring::SWITCHES / sizeof *wiring::SWITCHES;
static_assert(INPUT_COUNT <= MOST_INPUTS && SWITCH_COUNT <= MOST_SWITCHES, "the protocol has 8 of each");
static_assert(INPUT_COUNT == sizeof wiring::INPUT_VOLTS / sizeof *wiring::INPUT_VOLTS, "each input has its scale");

Quadrature encoders[COUNT];

// Registers of a part on SPI, mode 3. A burst of 12 takes 15 µs.
class SpiRegisters final : public Registers {
  public:
    bool read(uint8_t first, uint8_t* values, size_t length) override {
        begin();
        SPI.transfer(first | READ);
        while (length--) *values++ = SPI.transfer(0);
        end();
        return true;
    }
    bool write(uint8_t at, uint8_t value) override {
        begin();
        SPI.transfer(at);
        SPI.transfer(value);
        end();
        return true;
    }

  private:
    static constexpr uint8_t READ = 0x80;
    static constexpr uint32_t CLOCK = 8000000;  // Hz; the part takes 10 MHz

    void begin() {
        SPI.beginTransaction(SPISettings(CLOCK, MSBFIRST, SPI_MODE3));
        digitalWriteFast(wiring::IMU_SELECT, LOW);
    }
    void end() {
        digitalWriteFast(wiring::IMU_SELECT, HIGH);
        SPI.endTransaction();
    }
};

SpiRegisters registers;
Lsm6dso imu_part(registers);

void on_edge(int i) { encoders[i].edge(digitalReadFast(MOTORS[i].a), digitalReadFast(MOTORS[i].b)); }

// Interrupts have no argument: each motor has functions of its own.
template <int I>
void begin_encoders() {
    if constexpr (I < COUNT) {
        if (MOTORS[I].a != NONE) {
            pinMode(MOTORS[I].a, INPUT_PULLUP);
            pinMode(MOTORS[I].b, INPUT_PULLUP);
            encoders[I].begin(digitalRead(MOTORS[I].a), digitalRead(MOTORS[I].b));
            attachInterrupt(MOTORS[I].a, [] { on_edge(I); }, CHANGE);
            attachInterrupt(MOTORS[I].b, [] { on_edge(I); }, CHANGE);
        }
        if (MOTORS[I].index != NONE) {
            pinMode(MOTORS[I].index, INPUT_PULLUP);
            attachInterrupt(MOTORS[I].index, [] { encoders[I].index(); }, RISING);
        }
        begin_encoders<I + 1>();
    }
}

// Return a new number at each start, from the chip's id and the count of its starts.
uint32_t next_boot() {
    const uint32_t starts = eeprom_read_dword(nullptr) + 1;
    eeprom_write_dword(nullptr, starts);
    uint8_t seed[12];
    Writer out(seed);
    out.u32(HW_OCOTP_CFG0);
    out.u32(HW_OCOTP_CFG1);
    out.u32(starts);
    return crc32(seed, sizeof seed);
}

void begin_watchdog() {
    CCM_CCGR3 |= CCM_CCGR3_WDOG1(3);
    WDOG1_WMCR = 0;
    WDOG1_WCR = WDOG_WCR_SRS | WDOG_WCR_WDA | WDOG_WCR_WDE | WDOG_WCR_WT(0);  // 0.5 s
}

}  // namespace

void Teensy::begin() {
    analogWriteResolution(BITS);
    analogReadResolution(BITS);
    analogReadAveraging(1);
    for (int i = 0; i < COUNT; ++i) {
        for (uint8_t pin : {MOTORS[i].forward, MOTORS[i].backward}) {
            pinMode(pin, OUTPUT);
            digitalWrite(pin, LOW);
            analogWriteFrequency(pin, wiring::PWM);
        }
        release(i);
    }
    pinMode(wiring::STOP, INPUT_PULLUP);
    pinMode(wiring::LED, OUTPUT);
    for (uint8_t pin : wiring::SWITCHES) pinMode(pin, INPUT_PULLUP);
    if (wiring::IMU_SELECT != NONE) {
        pinMode(wiring::IMU_SELECT, OUTPUT);
        digitalWrite(wiring::IMU_SELECT, HIGH);
        SPI.begin();
    }
    begin_encoders<0>();
    boot_ = next_boot();
    LINE.begin(wiring::BAUD);
    begin_watchdog();
}

size_t Teensy::read(uint8_t* data, size_t room) {
    size_t some = 0;
    while (some < room && LINE.available()) data[some++] = static_cast<uint8_t>(LINE.read());
    return some;
}

void Teensy::alive() {
    WDOG1_WSR = 0x5555;
    WDOG1_WSR = 0xAAAA;
}

int Teensy::motors() const { return COUNT; }

uint8_t Teensy::measures() const {
    for (const wiring::Motor& motor : MOTORS)
        if (motor.current == NONE) return STOP;
    return CURRENTS | STOP;
}

uint32_t Teensy::now() { return micros(); }

EncoderReading Teensy::encoder(int motor) {
    EncoderReading reading;
    if (MOTORS[motor].angle != NONE) {
        reading.count = analogRead(MOTORS[motor].angle);
        return reading;
    }
    Quadrature& encoder = encoders[motor];
    noInterrupts();
    reading = {encoder.count(), encoder.index_count(), encoder.index_pulses(), encoder.well()};
    interrupts();
    return reading;
}

float Teensy::current(int motor) {
    if (MOTORS[motor].current == NONE) return __builtin_nanf("");
    const float counts = static_cast<float>(analogRead(MOTORS[motor].current));
    return wiring::AMPERES * (counts - wiring::NO_AMPERES);
}

float Teensy::temperature(int) { return __builtin_nanf(""); }

float Teensy::supply() {
    supply_ = wiring::SUPPLY_VOLTS * static_cast<float>(analogRead(wiring::SUPPLY));
    return supply_;
}

bool Teensy::stop_pressed() { return digitalReadFast(wiring::STOP); }

ImuSetup Teensy::begin_imu(uint16_t angular_range, uint16_t linear_range) {
    return wiring::IMU_SELECT == NONE ? ImuSetup{} : imu_part.begin(angular_range, linear_range);
}

bool Teensy::imu(ImuSample& sample) { return wiring::IMU_SELECT != NONE && imu_part.read(sample, micros()); }

int Teensy::inputs() const { return INPUT_COUNT; }

float Teensy::input_scale(int input) const { return wiring::INPUT_VOLTS[input]; }

uint16_t Teensy::input(int input) { return static_cast<uint16_t>(analogRead(wiring::INPUTS[input])); }

int Teensy::switches() const { return SWITCH_COUNT; }

bool Teensy::switch_closed(int input) { return !digitalReadFast(wiring::SWITCHES[input]); }

void Teensy::drive(int motor, float volts) {
    if (supply_ < LEAST_SUPPLY) return release(motor);
    const float share = within(magnitude(volts) / supply_, 0.0f, 1.0f);
    const uint8_t high = volts < 0.0f ? MOTORS[motor].backward : MOTORS[motor].forward;
    const uint8_t low = volts < 0.0f ? MOTORS[motor].forward : MOTORS[motor].backward;
    // between its pulses the motor is shorted, so that it sees the mean voltage at any current
    analogWrite(high, static_cast<int>(FULL));
    analogWrite(low, static_cast<int>(FULL * (1.0f - share)));
}

void Teensy::release(int motor) {
    analogWrite(MOTORS[motor].forward, 0);
    analogWrite(MOTORS[motor].backward, 0);
}

void Teensy::led(bool on) { digitalWriteFast(wiring::LED, on); }

void Teensy::send(const uint8_t* data, size_t length) {
    if (LINE.availableForWrite() >= static_cast<int>(length)) LINE.write(data, length);
}

void Teensy::reboot() {
    LINE.flush();
    delay(10);               // ms, for USB to send it
    SCB_AIRCR = 0x05FA0004;  // restart
    while (true) {
    }
}

}  // namespace crawler
