// SPDX-License-Identifier: BSD-3-Clause
// Model of the flags of transport/control_block.hpp as shared_direct.cpp uses them, with the
// sleeping of memory/doorbell.hpp, for the model checker Spin.
//
// Two ranks pull from each other, EPOCHS times, each time from one of two arrays, whose number is
// published in one word with the epoch. Then they rest, or rank 1 publishes that it will
// publish nothing more (a failure, or the end of its exchange) while rank 0 starts once more. Every
// process has a store buffer, as on x86 (TSO). Checked: what is pulled is of this epoch and stays so while it is
// read; no epoch that is complete is reported as broken; the one that cannot be completed is; and,
// since nobody ever times out, nothing deadlocks. Each of the following must make the check fail:
//   -DSTARTED_TOO_EARLY   `started` is published before the source is written
//   -DSET_AFTER_EPOCH     the number of the array is published after the epoch
//   -DNO_WAIT_FOR_DONE    an epoch ends without the peer's `done`
//   -DDONE_TOO_EARLY      `done` is published before the source has been read
//   -DNO_SECOND_LOOK      a failure counts although the counters were read before it
//   -DNO_RING_FOR_DONE    nobody is rung for after `done`
//   -DNO_RING_FOR_BROKEN  nobody is rung for after a failure
//   -DNO_FENCE            no fence between publishing and looking for sleepers
#define EPOCHS 2

mtype = { source, started, done, broken };

byte memory_source[4];  // two arrays of each rank
byte memory_started[2];
byte memory_done[2];
bool memory_broken[2];
bool sleeps[2];
byte rings[2];
bool dozing[2];
bool goes_on;  // rank 0 starts once more than rank 1

chan buffer[2] = [4] of { mtype, byte };

// What leaves a store buffer, in order, at any time.
proctype drain(byte owner) {
    mtype variable;
    byte value;
end:
    do
    :: atomic {
        buffer[owner]?variable, value;
        if
        :: variable == source -> memory_source[2 * owner + value % 2] = value / 2
        :: variable == started -> memory_started[owner] = value
        :: variable == done -> memory_done[owner] = value
        :: variable == broken -> memory_broken[owner] = true
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

// What a rank looks at before it goes to sleep, and what it is woken for.
#define word(epoch, set) (2 * (epoch) + (set))
#define peer_has_started(other, epoch) (memory_started[other] / 2 >= epoch)
#define peer_is_done(other, epoch) (memory_done[other] >= epoch)
#define news(other, epoch, moved) \
    ((!moved && peer_has_started(other, epoch)) || (moved && peer_is_done(other, epoch)) || \
     memory_broken[other])

inline pull(me, other, epoch) {
#ifdef DONE_TOO_EARLY
    buffer[me]!done, epoch;
    ring(me, other);
#endif
    theirs = 2 * other + memory_started[other] % 2;
    assert(memory_source[theirs] == epoch);
    assert(memory_source[theirs] == epoch);  // at the end of the copy as at its beginning
#ifndef DONE_TOO_EARLY
    buffer[me]!done, epoch;
#ifndef NO_RING_FOR_DONE
    ring(me, other);
#endif
#endif
    moved = true
}

proctype rank(byte me; byte last) {
    byte epoch = 1;
    byte other = 1 - me;
    byte seen;
    byte set = 0;
    byte before;
    byte theirs;
    bool moved;
    bool owes;
    bool is_broken = false;
    do
    :: is_broken || epoch > last -> break
    :: else ->
        moved = false;
        before = set;
        if
        :: set = 0
        :: set = 1
        fi;
#ifdef STARTED_TOO_EARLY
        buffer[me]!started, word(epoch, set);
        buffer[me]!source, word(epoch, set);
#else
        buffer[me]!source, word(epoch, set);
#ifdef SET_AFTER_EPOCH
        buffer[me]!started, word(epoch, before);
#endif
        buffer[me]!started, word(epoch, set);
#endif
        ring(me, other);
        do
        :: !moved && peer_has_started(other, epoch) -> pull(me, other, epoch)
#ifdef NO_WAIT_FOR_DONE
        :: moved -> break
#else
        :: moved && peer_is_done(other, epoch) -> break
#endif
        :: else ->
            // The failure is read first, then once more what the peer owes.
#ifdef NO_SECOND_LOOK
            owes = !peer_is_done(other, epoch);
            is_broken = memory_broken[other];
#else
            is_broken = memory_broken[other];
            owes = !peer_is_done(other, epoch);
#endif
            is_broken = is_broken && owes;
            if
            :: is_broken -> assert(epoch > EPOCHS); break
            :: else
            fi;
            seen = rings[me];
            atomic { fence(me) -> sleeps[me] = true }  // atomic addition
            if
            :: news(other, epoch, moved)
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
        od;
        epoch++
    od;
    assert(is_broken == (last > EPOCHS));
    if
    :: me == 1 && goes_on ->
        buffer[me]!broken, 1;
#ifndef NO_RING_FOR_BROKEN
        ring(me, other)
#endif
    :: else
    fi
}

init {
    atomic {
        if
        :: goes_on = true
        :: goes_on = false
        fi;
        run drain(0);
        run drain(1);
        run rank(0, EPOCHS + goes_on);
        run rank(1, EPOCHS)
    }
}
