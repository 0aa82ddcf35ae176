// SPDX-License-Identifier: BSD-3-Clause
// Model of memory/doorbell.hpp and of the counters it is rung for, for the model checker Spin.
//
// A bringer writes news (a counter in its control block) and rings the doorbell of a sleeper. Every
// process has a store buffer, as on x86 (TSO): its writes reach memory later, in order, and until then
// only it could see them. The announcement of the sleeper is modelled as a plain buffered store,
// which is weaker than the atomic addition of the code. Nobody ever times out: a lost wake-up is a
// deadlock. Each of the following must make the check fail:
//   -DNO_BRINGER_FENCE   no fence between writing the news and looking for sleepers
//   -DNO_SLEEPER_FENCE   no fence between announcing the sleep and examining the news
//   -DLOOKS_FIRST        the bringer looks for sleepers before it writes the news
//   -DSLEEPS_BLINDLY     the futex does not compare the doorbell with what was seen before
#define ROUNDS 2
#define BRINGER 0
#define SLEEPER 1

mtype = { news, sleepers };

byte memory_news = 0;
byte memory_sleepers = 0;
byte memory_rings = 0;
bool dozing = false;

chan buffer[2] = [2] of { mtype, byte };

// What leaves a store buffer, in order, at any time.
proctype drain(byte owner) {
    mtype variable;
    byte value;
end:
    do
    :: atomic {
        buffer[owner]?variable, value;
        if
        :: variable == news -> memory_news = value
        :: variable == sleepers -> memory_sleepers = value
        fi
    }
    od
}

#define store(owner, variable, value) buffer[owner]!variable, value
#define fence(owner) empty(buffer[owner])

proctype bringer() {
    byte round = 1;
    bool somebody;
    do
    :: round > ROUNDS -> break
    :: else ->
#ifdef LOOKS_FIRST
        somebody = memory_sleepers != 0;
        store(BRINGER, news, round);
        fence(BRINGER);
#else
        store(BRINGER, news, round);
#ifndef NO_BRINGER_FENCE
        fence(BRINGER);
#endif
        somebody = memory_sleepers != 0;
#endif
        if
        :: somebody ->
            // Atomic addition, then FUTEX_WAKE; the system call is a fence too.
            atomic { fence(BRINGER) -> memory_rings++ }
            dozing = false
        :: else
        fi;
        round++
    od
}

proctype sleeper() {
    byte wanted = 1;
    byte seen;
    do
    :: wanted > ROUNDS -> break
    :: memory_news >= wanted -> wanted++
    :: else ->
        seen = memory_rings;
        store(SLEEPER, sleepers, 1);
#ifndef NO_SLEEPER_FENCE
        fence(SLEEPER);
#endif
        if
        :: memory_news >= wanted
        :: else ->
            // FUTEX_WAIT compares and goes to sleep in one step.
            atomic {
#ifndef SLEEPS_BLINDLY
                if
                :: memory_rings == seen -> dozing = true
                :: else
                fi
#else
                dozing = true
#endif
            }
            !dozing
        fi;
        store(SLEEPER, sleepers, 0)
    od
}

init {
    atomic {
        run drain(BRINGER);
        run drain(SLEEPER);
        run bringer();
        run sleeper()
    }
}
