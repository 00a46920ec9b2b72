#include "shaft.h"

namespace crawler {
namespace {

constexpr uint32_t WINDOW = 4000;         // µs, minimum time of a velocity estimate
constexpr uint32_t STANDSTILL = 1000000;  // µs without an edge
constexpr double DRIFT = 1.0 / 16.0;      // turns, tolerance of the index, which has a width
constexpr double WRAP = 4096.0;           // turns, period of angles
constexpr double RADIANS = 6.283185307179586;

int64_t rounded(double value) { return static_cast<int64_t>(value < 0.0 ? value - 0.5 : value + 0.5); }

}  // namespace

void Shaft::configure(const MotorConfig& config) {
    const bool was_absolute = is_absolute();
    config_ = &config;
    per_turn_ = static_cast<double>(config.counts);
    if (!config.is(MotorConfig::ON_OUTPUT)) per_turn_ *= static_cast<double>(config.gear);
    if (was_absolute || is_absolute()) started_ = indexed_ = false;
    count_ = forwards(raw_);
    known_ = way_ = 0;
    velocity_ = 0.0f;
}

void Shaft::search() { indexed_ = homed_ = false; }

void Shaft::read(const EncoderReading& reading, uint32_t now) {
    moved_ = false;
    plausible_ = reading.ok && (!is_absolute() || static_cast<uint32_t>(reading.count) < config_->counts);
    if (!plausible_) {
        well_ = false;
        return;
    }
    if (!started_)
        jump_to(reading);
    else
        count_on(reading);
    if (!is_absolute()) note_index(reading);
    const int64_t before = count_;
    count_ = forwards(raw_);
    if (moved_) note_edge(count_ > before ? 1 : -1, now);
    estimate(now);
    if (config_) place();
}

double Shaft::turns() const { return static_cast<double>(count_) / per_turn_; }

void Shaft::jump_to(const EncoderReading& reading) {
    started_ = true;
    last_ = reading.count;
    pulses_ = reading.index_pulses;
    raw_ = 0;
    if (!is_absolute()) return;
    const bool reverse = config_->is(MotorConfig::REVERSE_ENCODER);
    raw_ = static_cast<int64_t>(reading.count) - (reverse ? config_->counts : 0);  // forwards, it is 0 or above
    if (!config_->is(MotorConfig::LIMITED)) return;
    // the encoder gives an angle within a turn: start in the turn that is nearest to the middle of the limits
    count_ = forwards(raw_);
    place();
    const double middle = 0.5 * (static_cast<double>(config_->lower) + static_cast<double>(config_->upper));
    const int64_t more = rounded((middle - static_cast<double>(angle_)) / TURN) * config_->counts;
    raw_ += reverse ? -more : more;
}

void Shaft::count_on(const EncoderReading& reading) {
    // unsigned, since both kinds wrap
    int32_t step = static_cast<int32_t>(static_cast<uint32_t>(reading.count) - static_cast<uint32_t>(last_));
    if (is_absolute()) {
        const int32_t counts = static_cast<int32_t>(config_->counts);
        if (step > counts / 2) step -= counts;
        if (step < -counts / 2) step += counts;
        const int32_t most = counts / 4 > 1 ? counts / 4 : 1;
        if (step > most || step < -most) well_ = false;
    }
    last_ = reading.count;
    raw_ += step;
    moved_ = step != 0;
}

void Shaft::note_index(const EncoderReading& reading) {
    if (reading.index_pulses == pulses_) return;
    pulses_ = reading.index_pulses;
    const uint32_t since = static_cast<uint32_t>(reading.count) - static_cast<uint32_t>(reading.index_count);
    const int64_t here = raw_ - static_cast<int32_t>(since);
    if (!indexed_) {
        indexed_ = true;
        raw_index_ = here;
        return;
    }
    if (!config_) return;
    const double apart = static_cast<double>(here - raw_index_) / per_turn_;
    const double drift = apart - static_cast<double>(rounded(apart));
    if (drift > DRIFT || drift < -DRIFT) well_ = false;
}

void Shaft::note_edge(int way, uint32_t now) {
    const int64_t border = way > 0 ? count_ : count_ + 1;
    // a shaft that turns back passes the same border again, which gives no velocity
    if (way != way_) known_ = 0;
    way_ = way;
    if (known_ == EDGES) --known_;
    for (int i = known_; i > 0; --i) edges_[i] = edges_[i - 1];
    edges_[0] = {now, border};
    ++known_;
}

void Shaft::estimate(uint32_t now) {
    if (known_ && now - edges_[0].time > STANDSTILL) known_ = 0;
    velocity_ = 0.0f;
    if (known_ < 2) return;
    int from = 1;
    while (from + 1 < known_ && edges_[0].time - edges_[from].time < WINDOW) ++from;
    const double time = 1e-6 * static_cast<double>(edges_[0].time - edges_[from].time);
    if (time <= 0.0) return;
    double speed = static_cast<double>(edges_[0].border - edges_[from].border) / time;  // counts/s
    const uint32_t waited = now - edges_[0].time;
    const double most = waited ? 1e6 / static_cast<double>(waited) : 1e12;  // a faster shaft would have made another edge
    speed = speed > most ? most : speed < -most ? -most : speed;
    velocity_ = static_cast<float>(speed * RADIANS / per_turn_);
}

void Shaft::place() {
    homed_ = is_absolute() || indexed_;
    double counts = static_cast<double>(count_);
    int32_t base = config_->index_angle;
    if (is_absolute())
        counts += 0.5;
    else if (indexed_)
        counts -= static_cast<double>(forwards(raw_index_));
    else
        base = 0;
    double turns = counts / per_turn_;
    turns -= WRAP * static_cast<double>(rounded(turns / WRAP));
    const int64_t units = rounded(turns * TURN);
    angle_ = static_cast<int32_t>(static_cast<uint32_t>(units) + static_cast<uint32_t>(base));
}

int64_t Shaft::forwards(int64_t raw) const {
    if (!config_ || !config_->is(MotorConfig::REVERSE_ENCODER)) return raw;
    return is_absolute() ? -1 - raw : -raw;
}

}  // namespace crawler
