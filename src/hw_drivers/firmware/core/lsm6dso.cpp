#include "lsm6dso.h"

#include "bytes.h"

namespace crawler {
namespace {

struct Range {
    uint16_t most;  // degrees/s, or m/s²
    uint8_t bits;   // of its control register
    float count;    // rad/s, or m/s²
};

constexpr float DEGREE = 3.14159265f / 180.0f, GRAVITY = 9.80665f;
// sensitivities of the data sheet: 4.375 to 70 mdps and 0.061 to 0.488 mg
constexpr Range ANGULAR[] = {{125, 0x02, 4.375e-3f * DEGREE},
                             {250, 0x00, 8.75e-3f * DEGREE},
                             {500, 0x04, 17.5e-3f * DEGREE},
                             {1000, 0x08, 35e-3f * DEGREE},
                             {2000, 0x0C, 70e-3f * DEGREE}};
constexpr Range LINEAR[] = {{19, 0x00, 0.061e-3f * GRAVITY},
                            {39, 0x08, 0.122e-3f * GRAVITY},
                            {78, 0x0C, 0.244e-3f * GRAVITY},
                            {156, 0x04, 0.488e-3f * GRAVITY}};

template <int N>
const Range& choose(const Range (&ranges)[N], uint16_t wanted) {
    for (const Range& range : ranges)
        if (wanted && range.most >= wanted) return range;
    return ranges[N - 1];
}

}  // namespace

ImuSetup Lsm6dso::begin(uint16_t angular_range, uint16_t linear_range) {
    ImuSetup setup;
    setup.state = ImuState::SILENT;
    const Range& angular = choose(ANGULAR, angular_range);
    const Range& linear = choose(LINEAR, linear_range);
    if (!registers_.read(WHO_AM_I, &setup.identity, 1)) return setup;
    if (setup.identity == 0x00 || setup.identity == 0xFF) return setup;  // a line without a part
    setup.state = ImuState::OTHER_PART;
    if (setup.identity != IDENTITY) return setup;
    const uint8_t settings[][2] = {{CTRL3_C, BDU | IF_INC},
                                   {CTRL4_C, LPF1_SEL_G},
                                   {CTRL1_XL, static_cast<uint8_t>(ODR_1667_HZ | linear.bits)},
                                   {CTRL2_G, static_cast<uint8_t>(ODR_1667_HZ | angular.bits)}};
    for (const auto& setting : settings) {
        uint8_t now = 0;
        const bool done = registers_.write(setting[0], setting[1]) && registers_.read(setting[0], &now, 1);
        if (!done || now != setting[1]) {
            setup.state = ImuState::SILENT;
            return setup;
        }
    }
    setup.state = ImuState::RUNS;
    setup.angular = angular.count;
    setup.linear = linear.count;
    return setup;
}

bool Lsm6dso::read(ImuSample& sample, uint32_t now) {
    uint8_t status = 0, values[SAMPLE];
    if (!registers_.read(STATUS, &status, 1) || status & NEVER || (status & READY) != READY) return false;
    if (!registers_.read(OUTX_L_G, values, sizeof values)) return false;
    Reader in(values);
    sample.time = now;
    for (int16_t& value : sample.angular) value = static_cast<int16_t>(in.u16());
    for (int16_t& value : sample.linear) value = static_cast<int16_t>(in.u16());
    return true;
}

}  // namespace crawler
