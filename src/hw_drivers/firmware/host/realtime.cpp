// The firmware as a process of its own with emulated motors, on a pseudo-terminal, in real time.
//
//     realtime MOTORS SECONDS        0 seconds: until it is terminated
//
// The first line of its output is the port for the host. The last one is JSON: the lateness and the duration of the loop's
// ticks, in µs.

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "library.h"

namespace {

constexpr int64_t TICK = 1000000;  // ns
constexpr int MOST = 16;
constexpr float SUPPLY = 12.0f;    // V
constexpr size_t MEASURED = 600000;  // ticks, the first ones

volatile std::sig_atomic_t ending = 0;

int64_t nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{1000000000} * now.tv_sec + now.tv_nsec;
}

// A motor behind a gear, with a quadrature encoder of 4096 counts and an index at each turn of the output shaft.
struct Motor {
    static constexpr double RESISTANCE = 2.0, CONSTANT = 0.02, GEAR = 10.0;  // Ω, N·m/A
    static constexpr double INERTIA = 2e-3, FRICTION = 1e-2;                 // kg·m², N·m·s/rad, at the output shaft
    static constexpr double COUNTS = 4096.0 * GEAR;                          // per turn of the output shaft

    double angle = 0.0, rate = 0.0;  // turns, rad/s

    void turn(const crawler_out& out, crawler_in& in) {
        const double induced = GEAR * CONSTANT * rate;
        const double current = out.closed ? (static_cast<double>(out.volts) - induced) / RESISTANCE : 0.0;
        rate += (GEAR * CONSTANT * current - FRICTION * rate) / INERTIA * 1e-3;
        const double before = std::floor(angle);
        angle += rate * 1e-3 / (2.0 * M_PI);
        in.count = static_cast<int32_t>(static_cast<int64_t>(std::floor(angle * COUNTS)));
        in.current = static_cast<float>(current);
        if (std::floor(angle) == before) return;
        in.index_count = static_cast<int32_t>(static_cast<int64_t>(std::max(std::floor(angle), before) * COUNTS));
        ++in.index_pulses;
    }
};

int open_port() {
    const int port = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (port < 0 || grantpt(port) || unlockpt(port)) return -1;
    const int other = open(ptsname(port), O_RDWR | O_NOCTTY);  // stays open, for any number of hosts
    termios raw;
    if (other < 0 || tcgetattr(other, &raw)) return -1;
    cfmakeraw(&raw);
    return tcsetattr(other, TCSANOW, &raw) ? -1 : port;
}

void listen(int port, void* board) {
    uint8_t some[512];
    for (ssize_t many; (many = read(port, some, sizeof some)) > 0;)
        crawler_board_receive(board, some, static_cast<int>(many));
    for (int many; (many = crawler_board_send(board, some, sizeof some)) > 0;)
        if (write(port, some, static_cast<size_t>(many)) < 0) return;  // without a reader the bytes are lost, as on a wire
}

void print(const char* name, std::vector<int64_t>& values, const char* end) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) {
        return 1e-3 * static_cast<double>(values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))]);
    };
    std::printf("\"%s\": {\"p50\": %.1f, \"p99\": %.1f, \"worst\": %.1f}%s", name, at(0.5), at(0.99), at(1.0), end);
}

}  // namespace

int main(int count, char** words) {
    const int motors = count == 3 ? std::atoi(words[1]) : 0;
    if (motors < 1 || motors > MOST) {
        std::fputs("realtime MOTORS SECONDS: 1 to 16 motors\n", stderr);
        return 2;
    }
    const int64_t ticks = static_cast<int64_t>(std::atof(words[2]) * 1e3);
    const int port = open_port();
    if (port < 0) {
        std::perror("there is no pseudo-terminal");
        return 2;
    }
    for (int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { ending = 1; });
    void* board = crawler_board_make(static_cast<uint32_t>(nanoseconds()), motors, "realtime");
    crawler_in in[MOST];
    crawler_out out[MOST] = {};
    Motor plant[MOST];
    for (crawler_in& motor : in) motor = {0, 0, 0, 0.0f, NAN, 1, {}};
    std::printf("%s\n", ptsname(port));
    std::fflush(stdout);

    std::vector<int64_t> late, took;
    const int64_t start = nanoseconds();
    int64_t due = start;
    for (int64_t tick = 0; !ending && (ticks == 0 || tick < ticks); ++tick) {
        due += TICK;
        for (int64_t left; (left = due - nanoseconds()) > 0;) {
            pollfd line{port, POLLIN, 0};
            const timespec patience{0, static_cast<long>(left)};
            if (ppoll(&line, 1, &patience, nullptr) > 0) listen(port, board);
        }
        const int64_t began = nanoseconds();
        for (int i = 0; i < motors; ++i) plant[i].turn(out[i], in[i]);
        crawler_board_tick(board, static_cast<uint32_t>((began - start) / 1000), in, out, SUPPLY, 0);
        const int64_t done = nanoseconds();
        listen(port, board);
        if (late.size() < MEASURED) {
            late.push_back(began - due);
            took.push_back(done - began);
        }
        if (began - due > TICK) due = began;  // missed ticks are not made up for
    }
    crawler_board_free(board);
    if (late.empty()) return 0;
    std::printf("{\"ticks\": %zu, ", late.size());
    print("late_us", late, ", ");
    print("pass_us", took, "}\n");
    return 0;
}
