// SPDX-License-Identifier: BSD-3-Clause
// PetscSF and VecScatter from C on the memory of vectors, by types basic and transrank in turns.
//
//     mpiexec -n 2 petsc_sf -dll_prepend PATH/libtransranksf.so -widths 1,6,20 -updates 200
//
// Each rank pulls the six faces of a 32x32x32 block of rows from the next rank, or adds its copies
// to them. Owners rewrite what they send before each update, and readers read within the timed
// region. Each round gives every type a median of the slowest rank; prints them as JSON, in
// seconds.

#include <petscsf.h>
#include <petscvec.h>

enum { EXTENT = 32, BLOCK = EXTENT * EXTENT * EXTENT, FACES = 6 * EXTENT * EXTENT };
enum { TYPES = 2, MOST_WIDTHS = 16, UPDATES_PER_CHECK = 50 };

static const char* const types[TYPES] = {"basic", "transrank"};

typedef enum { PULL, ADD, SCATTER } Way;
static const char* const ways[] = {"bcast", "reduce", "scatter"};

/// One way to move rows of `width` numbers, by each type.
typedef struct {
    Way way;
    PetscInt width;
    MPI_Datatype unit;
    PetscSF forest[TYPES];
    Vec owned, ghosts;
} Job;

static PetscInt row_of(PetscInt ghost) {
    const PetscInt face = ghost / (EXTENT * EXTENT), dimension = face / 2;
    const PetscInt side = (face % 2) * (EXTENT - 1);
    const PetscInt slow = ghost / EXTENT % EXTENT, fast = ghost % EXTENT;
    const PetscInt at[3] = {dimension == 0 ? side : slow,
                            dimension == 1 ? side : (dimension == 0 ? slow : fast),
                            dimension == 2 ? side : fast};
    return (((at[0] * EXTENT) + at[1]) * EXTENT) + at[2];
}

static PetscErrorCode make(Job* job) {
    const PetscMPIInt next = (PetscGlobalRank + 1) % PetscGlobalSize;
    PetscSFNode remote[FACES];
    PetscInt blocks[FACES];
    IS rows;
    PetscFunctionBegin;
    for (PetscInt i = 0; i < FACES; ++i) {
        remote[i] = (PetscSFNode){.rank = next, .index = row_of(i)};
        blocks[i] = (next * BLOCK) + row_of(i);
    }
    if (job->width == 1) {  // a row of one `basic` does not add
        job->unit = MPIU_SCALAR;
    } else {
        PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)job->width, MPIU_SCALAR, &job->unit));
        PetscCallMPI(MPI_Type_commit(&job->unit));
    }
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, BLOCK * job->width, PETSC_DETERMINE, &job->owned));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, FACES * job->width, &job->ghosts));
    PetscCall(ISCreateBlock(PETSC_COMM_SELF, job->width, FACES, blocks, PETSC_COPY_VALUES, &rows));
    for (int type = 0; type < TYPES; ++type) {
        if (job->way == SCATTER) {
            PetscCall(PetscOptionsSetValue(NULL, "-sf_type", types[type]));
            PetscCall(VecScatterCreate(job->owned, rows, job->ghosts, NULL, &job->forest[type]));
        } else {
            PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &job->forest[type]));
            PetscCall(PetscSFSetType(job->forest[type], types[type]));
            PetscCall(PetscSFSetGraph(job->forest[type], BLOCK, FACES, NULL, PETSC_OWN_POINTER,
                                      remote, PETSC_COPY_VALUES));
        }
        PetscCall(PetscSFSetUp(job->forest[type]));
    }
    PetscCall(ISDestroy(&rows));
    PetscFunctionReturn(0);
}

static PetscErrorCode move(const Job* job, int type) {
    PetscScalar *owned, *ghosts;
    PetscFunctionBegin;
    if (job->way == SCATTER) {
        PetscCall(VecScatterBegin(job->forest[type], job->owned, job->ghosts, INSERT_VALUES,
                                  SCATTER_FORWARD));
        PetscCall(VecScatterEnd(job->forest[type], job->owned, job->ghosts, INSERT_VALUES,
                                SCATTER_FORWARD));
        PetscFunctionReturn(0);
    }
    PetscCall(VecGetArray(job->owned, &owned));
    PetscCall(VecGetArray(job->ghosts, &ghosts));
    if (job->way == PULL) {
        PetscCall(PetscSFBcastBegin(job->forest[type], job->unit, owned, ghosts, MPI_REPLACE));
        PetscCall(PetscSFBcastEnd(job->forest[type], job->unit, owned, ghosts, MPI_REPLACE));
    } else {
        PetscCall(PetscSFReduceBegin(job->forest[type], job->unit, ghosts, owned, MPI_SUM));
        PetscCall(PetscSFReduceEnd(job->forest[type], job->unit, ghosts, owned, MPI_SUM));
    }
    PetscCall(VecRestoreArray(job->ghosts, &ghosts));
    PetscCall(VecRestoreArray(job->owned, &owned));
    PetscFunctionReturn(0);
}

/// Every number says which it is, whose, and of which update.
static PetscErrorCode write_all(Vec vector, PetscInt update, PetscInt rank) {
    PetscScalar* values;
    PetscInt size;
    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(vector, &size));
    PetscCall(VecGetArrayWrite(vector, &values));
    for (PetscInt i = 0; i < size; ++i) {
        values[i] = i + ((PetscScalar)size * ((update * PetscGlobalSize) + rank));
    }
    PetscCall(VecRestoreArrayWrite(vector, &values));
    PetscFunctionReturn(0);
}

static PetscErrorCode check(const Job* job, PetscInt update) {
    const PetscInt next = (PetscGlobalRank + 1) % PetscGlobalSize, width = job->width;
    const PetscInt before = (PetscGlobalRank + PetscGlobalSize - 1) % PetscGlobalSize;
    const PetscScalar owner = (PetscScalar)BLOCK * width, holder = (PetscScalar)FACES * width;
    const PetscScalar *owned, *ghosts;
    PetscScalar* expected;
    PetscInt wrong = 0;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(BLOCK * width, &expected));
    PetscCall(VecGetArrayRead(job->owned, &owned));
    PetscCall(VecGetArrayRead(job->ghosts, &ghosts));
    for (PetscInt i = 0; i < BLOCK * width; ++i) {
        expected[i] = i + (owner * ((update * PetscGlobalSize) + PetscGlobalRank));
    }
    for (PetscInt i = 0; i < FACES; ++i) {
        for (PetscInt j = 0; j < width; ++j) {
            const PetscInt place = (row_of(i) * width) + j;
            if (job->way == ADD) {
                expected[place] +=
                    (i * width) + j + (holder * ((update * PetscGlobalSize) + before));
            } else {
                wrong += ghosts[(i * width) + j] !=
                         place + (owner * ((update * PetscGlobalSize) + next));
            }
        }
    }
    for (PetscInt i = 0; job->way == ADD && i < BLOCK * width; ++i) {
        wrong += owned[i] != expected[i];
    }
    PetscCall(VecRestoreArrayRead(job->ghosts, &ghosts));
    PetscCall(VecRestoreArrayRead(job->owned, &owned));
    PetscCall(PetscFree(expected));
    PetscCheck(wrong == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%d wrong numbers", (int)wrong);
    PetscFunctionReturn(0);
}

static PetscErrorCode time_updates(const Job* job, int type, PetscInt updates, PetscReal* median) {
    PetscReal* seconds;
    PetscScalar read;
    PetscFunctionBegin;
    PetscCall(PetscMalloc1(updates, &seconds));
    for (PetscInt update = 0; update < updates; ++update) {
        double begin;
        PetscCall(write_all(job->owned, update, PetscGlobalRank));
        PetscCall(write_all(job->ghosts, update, PetscGlobalRank));
        PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
        begin = MPI_Wtime();
        PetscCall(move(job, type));
        PetscCall(VecSum(job->ghosts, &read));
        seconds[update] = MPI_Wtime() - begin;
        if (update % UPDATES_PER_CHECK == 0) {
            PetscCall(check(job, update));
        }
    }
    PetscCall(MPIU_Allreduce(MPI_IN_PLACE, seconds, (PetscMPIInt)updates, MPIU_REAL, MPIU_MAX,
                             PETSC_COMM_WORLD));
    PetscCall(PetscSortReal(updates, seconds));
    *median = seconds[updates / 2];
    PetscCall(PetscFree(seconds));
    PetscFunctionReturn(0);
}

static PetscErrorCode time_job(Job* job, PetscInt updates, PetscInt rounds) {
    PetscReal* medians[TYPES];
    PetscFunctionBegin;
    PetscCall(make(job));
    for (int type = 0; type < TYPES; ++type) {
        PetscCall(PetscMalloc1(rounds + 1, &medians[type]));
    }
    for (PetscInt round = 0; round <= rounds; ++round) {  // the first warms up
        for (int i = 0; i < TYPES; ++i) {
            const int type = (i + (int)round) % TYPES;
            PetscCall(time_updates(job, type, updates, &medians[type][round]));
        }
    }
    for (int type = 0; type < TYPES; ++type) {
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", \"%s %d %s\": [", ways[job->way],
                              (int)job->width, types[type]));
        for (PetscInt round = 1; round <= rounds; ++round) {
            PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%.4g", round > 1 ? ", " : "",
                                  medians[type][round]));
        }
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "]\n"));
        PetscCall(PetscFree(medians[type]));
        PetscCall(PetscSFDestroy(&job->forest[type]));
    }
    if (job->width > 1) {
        PetscCallMPI(MPI_Type_free(&job->unit));
    }
    PetscCall(VecDestroy(&job->owned));
    PetscCall(VecDestroy(&job->ghosts));
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscInt widths[MOST_WIDTHS] = {6}, number = MOST_WIDTHS, updates = 200, rounds = 4;
    PetscBool given;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-widths", widths, &number, &given));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-updates", &updates, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"ranks\": %d\n", PetscGlobalSize));
    for (Way way = PULL; way <= SCATTER; ++way) {
        for (PetscInt i = 0; i < (given ? number : 1); ++i) {
            Job job = {.way = way, .width = widths[i]};
            PetscCall(time_job(&job, updates, rounds));
        }
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "}\n"));
    PetscCall(PetscFinalize());
    return 0;
}
