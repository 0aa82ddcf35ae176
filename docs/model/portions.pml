// SPDX-License-Identifier: BSD-3-Clause
// Model of the counters of transport/control_block.hpp as shared_staged.cpp uses them, with the
// sleeping of memory/doorbell.hpp, for the model checker Spin.
//
// A rank packs portions into a box that another one unpacks, through EPOCHS epochs: the box holds
// those of one epoch, and who only sends may be ahead by as many. Every process has a store buffer,
// as on x86 (TSO). Checked: each portion is unpacked once, in its order, and stays in the box while
// it is; and, since nobody ever times out, nothing deadlocks. Each of the following must make the
// check fail:
//   -DPACKED_TOO_EARLY    `packed` is published before the portion is in the box
//   -DNO_WAIT_FOR_ROOM    a portion is packed over one that nobody has unpacked yet
//   -DNO_WAIT_FOR_PACKED  a portion is unpacked before it has come
//   -DDONE_TOO_EARLY      `done` is published before the portion has been unpacked
//   -DNO_RING_FOR_PACKED  nobody is rung for after `packed`
//   -DNO_RING_FOR_DONE    nobody is rung for after `done`
//   -DNO_FENCE            no fence between publishing and looking for sleepers
#define EPOCHS 2
#define ROOM 2  // portions of an epoch
#define ALL (EPOCHS * ROOM)
#define SENDER 0
#define RECEIVER 1

mtype = { portion, packed, done };

byte memory_box[ROOM];
byte memory_packed;
byte memory_done;
bool sleeps[2];
byte rings[2];
bool dozing[2];

chan buffer[2] = [3] of { mtype, byte };

// What leaves a store buffer, in order, at any time.
proctype drain(byte owner) {
    mtype variable;
    byte value;
end:
    do
    :: atomic {
        buffer[owner]?variable, value;
        if
        :: variable == portion -> memory_box[(value - 1) % ROOM] = value
        :: variable == packed -> memory_packed = value
        :: variable == done -> memory_done = value
        fi
    }
    od
}

#define fence(owner) empty(buffer[owner])

inline ring(me, other) {
#ifndef NO_FENCE
    fence(me);
#endif
    if
    :: sleeps[other] ->
        // Atomic addition, then FUTEX_WAKE.
        atomic { fence(me) -> rings[other] = (rings[other] + 1) % 4; dozing[other] = false }
    :: else
    fi
}

inline sleep_unless(me, news) {
    seen = rings[me];
    atomic { fence(me) -> sleeps[me] = true }  // atomic addition
    if
    :: news
    :: else ->
        atomic {
            if
            :: rings[me] == seen -> dozing[me] = true
            :: else
            fi
        }
        !dozing[me]
    fi;
    atomic { fence(me) -> sleeps[me] = false }
}

// `next` counts through all epochs, from 1 on.
#ifdef NO_WAIT_FOR_ROOM
#define has_room true
#else
#define has_room (memory_done + ROOM >= next)
#endif
#ifdef NO_WAIT_FOR_PACKED
#define has_come true
#else
#define has_come (memory_packed >= next)
#endif

proctype sender() {
    byte next = 1;
    byte seen;
    do
    :: next > ALL -> break
    :: else ->
        if
        :: has_room ->
#ifdef PACKED_TOO_EARLY
            buffer[SENDER]!packed, next;
            buffer[SENDER]!portion, next;
#else
            buffer[SENDER]!portion, next;
            buffer[SENDER]!packed, next;
#endif
#ifndef NO_RING_FOR_PACKED
            ring(SENDER, RECEIVER);
#endif
            next++
        :: else -> sleep_unless(SENDER, has_room)
        fi
    od
}

proctype receiver() {
    byte next = 1;
    byte seen;
    do
    :: next > ALL -> break
    :: else ->
        if
        :: has_come ->
#ifdef DONE_TOO_EARLY
            buffer[RECEIVER]!done, next;
            ring(RECEIVER, SENDER);
#endif
            assert(memory_box[(next - 1) % ROOM] == next);
            assert(memory_box[(next - 1) % ROOM] == next);  // at the end of the copy as before
#ifndef DONE_TOO_EARLY
            buffer[RECEIVER]!done, next;
#ifndef NO_RING_FOR_DONE
            ring(RECEIVER, SENDER);
#endif
#endif
            next++
        :: else -> sleep_unless(RECEIVER, has_come)
        fi
    od
}

init {
    atomic {
        run drain(SENDER);
        run drain(RECEIVER);
        run sender();
        run receiver()
    }
}
