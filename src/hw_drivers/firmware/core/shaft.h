// Angle and velocity of an output shaft from the counts of its encoder.
#pragma once

#include <cstdint>

#include "hardware.h"
#include "messages.h"

namespace crawler {

// A quadrature encoder is counted from the start of the board on, with any configuration, and so is its index. An absolute one
// is counted from its configuration on. Velocities come from the times at which counts change, in ticks.
class Shaft {
  public:
    // Use `config` from now on; it must outlive this.
    void configure(const MotorConfig& config);

    // Take the reading of one tick. `now` in µs.
    void read(const EncoderReading& reading, uint32_t now);

    // Forget the index: the next one counts.
    void search();

    int32_t angle() const { return angle_; }
    float velocity() const { return velocity_; }  // rad/s
    bool homed() const { return homed_; }
    bool well() const { return well_; }           // the encoder is trusted
    bool plausible() const { return plausible_; }         // its last reading was plausible
    bool moved() const { return moved_; }         // by at least one count, in the last tick
    double turns() const;                         // of the output shaft, from an arbitrary zero

    // Trust the encoder again, from its next reading on.
    void forgive() { well_ = true; }

  private:
    struct Edge {
        uint32_t time;    // µs
        int64_t border;   // between two counts
    };
    static constexpr int EDGES = 8;

    void count_on(const EncoderReading& reading);
    void jump_to(const EncoderReading& reading);
    void note_index(const EncoderReading& reading);
    void note_edge(int way, uint32_t now);
    void estimate(uint32_t now);
    void place();
    bool is_absolute() const { return config_ && config_->encoder == EncoderKind::ABSOLUTE; }
    int64_t forwards(int64_t raw) const;

    const MotorConfig* config_ = nullptr;
    double per_turn_ = 1.0;   // counts for a turn of the output shaft
    int32_t last_ = 0;        // the encoder's count
    uint32_t pulses_ = 0;
    int64_t raw_ = 0;         // counts of the encoder
    int64_t raw_index_ = 0;
    int64_t count_ = 0;       // counts forwards
    bool started_ = false, indexed_ = false, homed_ = false, well_ = true, plausible_ = true, moved_ = false;
    Edge edges_[EDGES] = {};  // the newest first
    int known_ = 0;           // number of valid edges
    int way_ = 0;             // direction of the last one
    int32_t angle_ = 0;
    float velocity_ = 0.0f;
};

}  // namespace crawler
