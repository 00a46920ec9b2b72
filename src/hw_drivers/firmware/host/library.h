/* The firmware's core as a library, for programs that emulate the board around it: time, sensors and bytes. */
#ifndef CRAWLER_BOARD_LIBRARY_H
#define CRAWLER_BOARD_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t count;          /* of the encoder; quadrature: wraps; absolute: 0 to counts - 1 */
    int32_t index_count;    /* count at the last begin of the index */
    uint32_t index_pulses;  /* number of indices so far */
    float current;          /* A, in the direction of the voltage; NaN: not measured */
    float temperature;      /* degrees C; NaN: not measured */
    uint8_t encoder_ok;     /* 0: the encoder itself reports a fault */
    uint8_t unused[3];
} crawler_in;

typedef struct {
    float volts;
    uint8_t closed; /* 0: the bridge is open, and the motor coasts */
    uint8_t unused[3];
} crawler_out;

/* The world of the sensors beside the motors. The IMU is a part behind registers, as on a board. */
typedef struct {
    float angular[3];      /* rad/s, in the part's axes */
    float linear[3];       /* m/s2, specific force */
    uint32_t sample;       /* number of the IMU's measurement: another number is a new one */
    float volts[8];        /* at the analogue inputs, which take 0 to 3.3 V in 4096 counts */
    uint8_t imu;           /* 0: none, 1: an LSM6DSO, 2: its cable is off, 3: another part is in its place */
    uint8_t inputs;        /* number of analogue inputs */
    uint8_t switches;      /* number of switches */
    uint8_t closed;        /* bit 0: the first switch */
} crawler_world;

/* Start a board. `boot`: a new number each time. `name` is copied. NULL without memory, or without a motor. */
void* crawler_board_make(uint32_t boot, int motors, const char* name);
void crawler_board_free(void* board);

/* Handle bytes from the host, and answer at once. */
void crawler_board_receive(void* board, const uint8_t* data, int length);
/* Write bytes for the host, at most `room`; return their number. Frames that are not fetched are dropped. */
int crawler_board_send(void* board, uint8_t* data, int room);

/* Set what the sensors beside the motors measure from now on; a board has none before. */
void crawler_board_sense(void* board, const crawler_world* world);

/* Run the loop once, every 1000 us. `in` and `out` have an entry for each motor. `supply`: V, NaN: not measured. */
void crawler_board_tick(void* board, uint32_t now_us, const crawler_in* in, crawler_out* out, float supply, int stop);

/* Return 1 after a command to restart: free the board, and make another one. */
int crawler_board_wants_reboot(void* board);
int crawler_board_led(void* board);

/* Count a quadrature encoder: `levels` of its lines after each edge, 2 a + b, starting from `first`.
   Returns 1 if no state was missed. */
int crawler_quadrature(const uint8_t* levels, int length, uint8_t first, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
