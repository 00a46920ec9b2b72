// Counts of a quadrature encoder from the levels of its two lines, for boards without a counter for it.
#pragma once

#include <cstdint>

namespace crawler {

// Interrupts call `edge` and `index`. Other callers disable these interrupts meanwhile.
class Quadrature {
  public:
    // Take the levels of both lines after an edge. Forwards, `a` rises first.
    void edge(bool a, bool b) {
        const uint8_t now = static_cast<uint8_t>(a << 1 | b);
        // counts from the previous state (its two bits first) to this one: 2 is a missed state
        static constexpr int8_t STEPS[16] = {0, -1, 1, 2, 1, 0, 2, -1, -1, 2, 0, 1, 2, 1, -1, 0};
        const int8_t step = STEPS[state_ << 2 | now];
        state_ = now;
        if (step == 2)
            well_ = false;
        else
            count_ = static_cast<int32_t>(static_cast<uint32_t>(count_) + static_cast<uint32_t>(step));
    }

    // Take the begin of an index.
    void index() {
        index_count_ = count_;
        ++index_pulses_;
    }

    // Set the first levels.
    void begin(bool a, bool b) { state_ = static_cast<uint8_t>(a << 1 | b); }

    int32_t count() const { return count_; }
    int32_t index_count() const { return index_count_; }
    uint32_t index_pulses() const { return index_pulses_; }

    // Return true if no state was missed since the last call.
    bool well() {
        const bool was = well_;
        well_ = true;
        return was;
    }

  private:
    uint8_t state_ = 0;
    bool well_ = true;
    int32_t count_ = 0, index_count_ = 0;
    uint32_t index_pulses_ = 0;
};

}  // namespace crawler
