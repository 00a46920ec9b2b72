/* The firmware's core as a library, for programs that are the board around it: they give it time, sensors and bytes. */
#ifndef CRAWLER_BOARD_LIBRARY_H
#define CRAWLER_BOARD_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int32_t count;          /* of the encoder; quadrature: runs, and wraps; absolute: 0 to counts - 1 */
    int32_t index_count;    /* the count when the index last began */
    uint32_t index_pulses;  /* how often it has */
    float current;          /* A, in the direction of the voltage; NaN: not measured */
    float temperature;      /* degrees C; NaN: not measured */
    uint8_t encoder_ok;     /* 0: the encoder itself says that it is not well */
    uint8_t unused[3];
} crawler_in;

typedef struct {
    float volts;
    uint8_t closed; /* 0: the bridge is open, and the motor coasts */
    uint8_t unused[3];
} crawler_out;

/* A board that starts. `boot`: another number each time. `name` is copied. NULL where there is no memory, or no motor. */
void* crawler_board_make(uint32_t boot, int motors, const char* name);
void crawler_board_free(void* board);

/* Bytes from the host, which it answers at once. */
void crawler_board_receive(void* board, const uint8_t* data, int length);
/* Bytes for the host: at most `room`; returns how many. What nobody takes is dropped, frame by frame. */
int crawler_board_send(void* board, uint8_t* data, int room);

/* One pass of the loop, due every 1000 us. `in` and `out` have an entry for each motor. `supply`: V, NaN: not measured. */
void crawler_board_tick(void* board, uint32_t now_us, const crawler_in* in, crawler_out* out, float supply, int stop);

/* Whether it was told to restart: free it, and make another one. */
int crawler_board_wants_reboot(void* board);
int crawler_board_led(void* board);

/* Counts of a quadrature encoder: `levels` are those of its lines after each edge, 2 a + b, after they were `first`.
   Returns whether no state was missed. */
int crawler_quadrature(const uint8_t* levels, int length, uint8_t first, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
