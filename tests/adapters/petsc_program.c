// SPDX-License-Identifier: BSD-3-Clause
// Random star forests, scatters of vectors and solvers, by PetscSF's types basic and transrank:
// both must give the same. Sums are of whole numbers, which no order of adding changes.
//
//     mpiexec -n 2 petsc_program -dll_prepend PATH/libtransranksf.so -seeds 20 -sf_transrank_from 1

#include <math.h>
#include <petscdmda.h>
#include <petscksp.h>
#include <petscsf.h>
#include <string.h>

enum { TYPES = 2, ROWS = 40, WIDTH = 3, UNDER_WAY = 3, CALLS = 30 };

static const char* const types[TYPES] = {"basic", "transrank"};
static PetscRandom together, own;

static PetscInt below(PetscRandom random, PetscInt end) {
    PetscReal drawn = 0;
    PetscCallAbort(PETSC_COMM_SELF, PetscRandomGetValueReal(random, &drawn));
    return (PetscInt)(drawn * (PetscReal)end) % end;
}

/// What moves: rows of numbers, in memory of its own for each type of forest.
typedef struct {
    MPI_Datatype unit;
    MPI_Op op;
    int is_double, is_reduce;
    size_t bytes;
    void *roots[TYPES], *leaves[TYPES];
} Call;

/// Leaf i of a forest is at place[i] and belongs to root[i] of all.
typedef struct {
    PetscSF forest[TYPES];
    PetscInt roots, leaves, extent;
    PetscInt place[ROWS];
    PetscInt root[ROWS];
} Graph;

static PetscErrorCode make_graph(Graph* graph) {
    const int ranks = PetscGlobalSize;
    PetscSFNode remote[ROWS];
    PetscInt counts[16], order[ROWS];
    PetscFunctionBegin;
    for (int rank = 0; rank < ranks; ++rank) {
        counts[rank] = below(together, 4) == 0 ? 0 : below(together, ROWS);
    }
    graph->roots = counts[PetscGlobalRank];
    graph->extent = ROWS;
    graph->leaves = 0;
    for (PetscInt i = 0; i < ROWS; ++i) {  // a random order of some places
        const PetscInt other = below(own, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (PetscInt i = below(own, ROWS); i < ROWS; ++i) {
        const PetscInt rank = below(own, ranks);
        if (counts[rank] > 0) {
            const PetscInt index = below(own, counts[rank]);
            remote[graph->leaves] = (PetscSFNode){.rank = rank, .index = index};
            graph->root[graph->leaves] = (rank * ROWS) + index;
            graph->place[graph->leaves++] = order[i];
        }
    }
    for (int type = 0; type < TYPES; ++type) {
        PetscCall(PetscSFCreate(PETSC_COMM_WORLD, &graph->forest[type]));
        PetscCall(PetscSFSetType(graph->forest[type], types[type]));
        PetscCall(PetscSFSetGraph(graph->forest[type], graph->roots, graph->leaves, graph->place,
                                  PETSC_COPY_VALUES, remote, PETSC_COPY_VALUES));
    }
    PetscFunctionReturn(0);
}

static void set(const Call* call, void* memory, PetscInt at, PetscInt value) {
    const size_t scalar = call->is_double ? sizeof(double) : sizeof(int);
    for (size_t i = 0; i < call->bytes / scalar; ++i) {
        const size_t place = ((size_t)at * (call->bytes / scalar)) + i;
        if (call->is_double) {
            ((double*)memory)[place] = (double)(value + (PetscInt)i);
        } else {
            ((int*)memory)[place] = (int)(value + (PetscInt)i);
        }
    }
}

static PetscErrorCode make_call(const Graph* graph, Call* call) {
    const MPI_Op ops[] = {MPI_REPLACE, MPI_SUM, MPI_MAX, MPI_MIN, MPI_REPLACE, MPI_PROD};
    const PetscInt width = 1 + below(together, WIDTH);
    const PetscInt salt = below(together, 1000);
    MPI_Datatype inner;
    PetscFunctionBegin;
    call->is_double = below(together, 3) > 0;
    call->is_reduce = below(together, 2) == 0;
    call->op = ops[below(together, 6)];
    call->bytes = (size_t)width * (call->is_double ? sizeof(double) : sizeof(int));
    call->unit = call->is_double ? MPI_DOUBLE : MPI_INT;
    if (width > 1) {  // `basic` adds no rows of one
        PetscCallMPI(MPI_Type_contiguous((int)width, call->unit, &inner));
        PetscCallMPI(MPI_Type_dup(inner, &call->unit));
        PetscCallMPI(MPI_Type_free(&inner));
        PetscCallMPI(MPI_Type_commit(&call->unit));
    }
    for (int type = 0; type < TYPES; ++type) {
        PetscCall(PetscCalloc1((size_t)graph->extent * call->bytes, (char**)&call->leaves[type]));
        PetscCall(PetscCalloc1((size_t)ROWS * call->bytes, (char**)&call->roots[type]));
        for (PetscInt i = 0; i < graph->roots; ++i) {
            set(call, call->roots[type], i, salt + (7 * i) + PetscGlobalRank);
        }
        for (PetscInt i = 0; i < graph->leaves; ++i) {  // what replaces a root is one value
            const PetscInt value = call->op == MPI_REPLACE && call->is_reduce
                                       ? graph->root[i]
                                       : (i % 11) - PetscGlobalRank;
            set(call, call->leaves[type], graph->place[i], salt + value);
        }
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode begin(const Graph* graph, const Call* call) {
    PetscFunctionBegin;
    for (int type = 0; type < TYPES; ++type) {
        PetscCall((call->is_reduce ? PetscSFReduceBegin : PetscSFBcastBegin)(
            graph->forest[type], call->unit,
            call->is_reduce ? call->leaves[type] : call->roots[type],
            call->is_reduce ? call->roots[type] : call->leaves[type], call->op));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode end(const Graph* graph, Call* call) {
    PetscFunctionBegin;
    for (int type = 0; type < TYPES; ++type) {
        PetscCall((call->is_reduce ? PetscSFReduceEnd : PetscSFBcastEnd)(
            graph->forest[type], call->unit,
            call->is_reduce ? call->leaves[type] : call->roots[type],
            call->is_reduce ? call->roots[type] : call->leaves[type], call->op));
    }
    PetscCheck(memcmp(call->leaves[0], call->leaves[1], (size_t)graph->extent * call->bytes) == 0 &&
                   memcmp(call->roots[0], call->roots[1], (size_t)graph->roots * call->bytes) == 0,
               PETSC_COMM_SELF, PETSC_ERR_PLIB, "the types differ");
    for (int type = 0; type < TYPES; ++type) {
        PetscCall(PetscFree(call->leaves[type]));
        PetscCall(PetscFree(call->roots[type]));
    }
    if (call->bytes > (call->is_double ? sizeof(double) : sizeof(int))) {
        PetscCallMPI(MPI_Type_free(&call->unit));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode forests(PetscBool show) {
    Graph graph;
    Call calls[UNDER_WAY];
    PetscSF copy;
    PetscFunctionBegin;
    PetscCall(make_graph(&graph));
    for (int round = 0; round < CALLS; ++round) {
        const PetscInt under_way = 1 + below(together, UNDER_WAY);
        const PetscInt first = below(together, under_way);  // to end
        for (PetscInt i = 0; i < under_way; ++i) {
            PetscCall(make_call(&graph, &calls[i]));
            PetscCall(begin(&graph, &calls[i]));
        }
        for (PetscInt i = 0; i < under_way; ++i) {
            PetscCall(end(&graph, &calls[(first + i) % under_way]));
        }
        if (round == CALLS / 2) {  // the rest is moved by a duplicate
            PetscCall(PetscSFDuplicate(graph.forest[1], PETSCSF_DUPLICATE_GRAPH, &copy));
            PetscCall(PetscSFDestroy(&graph.forest[1]));
            graph.forest[1] = copy;
        }
    }
    if (show) {
        PetscCall(PetscViewerPushFormat(PETSC_VIEWER_STDOUT_WORLD, PETSC_VIEWER_ASCII_INFO));
        PetscCall(PetscSFView(graph.forest[1], PETSC_VIEWER_STDOUT_WORLD));
    }
    PetscCall(PetscSFReset(graph.forest[1]));
    PetscCall(PetscSFDestroy(&graph.forest[0]));
    PetscCall(PetscSFDestroy(&graph.forest[1]));
    PetscFunctionReturn(0);
}

/// Values of a vector by global indices, and back, added up.
static PetscErrorCode scatters(void) {
    Vec global, local, sums[TYPES];
    IS indices;
    PetscInt wanted[ROWS], extent;
    PetscBool same;
    PetscFunctionBegin;
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, 3 + PetscGlobalRank, PETSC_DETERMINE, &global));
    PetscCall(VecGetSize(global, &extent));
    for (PetscInt i = 0; i < ROWS; ++i) {
        wanted[i] = below(own, extent);
    }
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, ROWS, wanted, PETSC_COPY_VALUES, &indices));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, ROWS, &local));
    for (int type = 0; type < TYPES; ++type) {
        const PetscScalar* values;
        PetscScalar* written;
        PetscInt begin, end;
        VecScatter scatter;
        PetscCall(PetscOptionsSetValue(NULL, "-sf_type", types[type]));
        PetscCall(VecScatterCreate(global, indices, local, NULL, &scatter));
        PetscCall(VecDuplicate(global, &sums[type]));
        PetscCall(VecGetOwnershipRange(global, &begin, &end));
        for (int round = 0; round < 5; ++round) {
            PetscCall(VecGetArrayWrite(global, &written));
            for (PetscInt i = begin; i < end; ++i) {
                written[i - begin] = i + (1000 * round);
            }
            PetscCall(VecRestoreArrayWrite(global, &written));
            PetscCall(VecScatterBegin(scatter, global, local, INSERT_VALUES, SCATTER_FORWARD));
            PetscCall(VecScatterEnd(scatter, global, local, INSERT_VALUES, SCATTER_FORWARD));
            PetscCall(VecGetArrayRead(local, &values));
            for (PetscInt i = 0; i < ROWS; ++i) {
                PetscCheck(values[i] == wanted[i] + (1000 * round), PETSC_COMM_SELF, PETSC_ERR_PLIB,
                           "a scatter has brought something else");
            }
            PetscCall(VecRestoreArrayRead(local, &values));
            PetscCall(VecScatterBegin(scatter, local, sums[type], ADD_VALUES, SCATTER_REVERSE));
            PetscCall(VecScatterEnd(scatter, local, sums[type], ADD_VALUES, SCATTER_REVERSE));
        }
        PetscCall(VecScatterDestroy(&scatter));
    }
    PetscCall(VecEqual(sums[0], sums[1], &same));
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "scattered sums differ");
    PetscCall(VecDestroy(&sums[0]));
    PetscCall(VecDestroy(&sums[1]));
    PetscCall(VecDestroy(&local));
    PetscCall(VecDestroy(&global));
    PetscCall(ISDestroy(&indices));
    PetscFunctionReturn(0);
}

static PetscErrorCode laplacian(DM grid, Mat* matrix) {
    DMDALocalInfo info;
    PetscFunctionBegin;
    PetscCall(DMCreateMatrix(grid, matrix));
    PetscCall(DMDAGetLocalInfo(grid, &info));
    for (PetscInt k = info.zs; k < info.zs + info.zm; ++k) {
        for (PetscInt j = info.ys; j < info.ys + info.ym; ++j) {
            for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
                const MatStencil row = {.k = k, .j = j, .i = i};
                const MatStencil columns[] = {row,
                                              {.k = k - 1, .j = j, .i = i},
                                              {.k = k + 1, .j = j, .i = i},
                                              {.k = k, .j = j - 1, .i = i},
                                              {.k = k, .j = j + 1, .i = i},
                                              {.k = k, .j = j, .i = i - 1},
                                              {.k = k, .j = j, .i = i + 1}};
                const PetscScalar values[] = {6.1, -1, -1, -1, -1, -1, -1};
                const int is_inner = i > 0 && j > 0 && k > 0 && i < info.mx - 1 &&
                                     j < info.my - 1 && k < info.mz - 1;
                PetscCall(MatSetValuesStencil(*matrix, 1, &row, is_inner ? 7 : 1, columns, values,
                                              INSERT_VALUES));
            }
        }
    }
    PetscCall(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(const char* solver, const char* preconditioner) {
    enum { CELLS = 12 };
    Vec solution[TYPES];
    PetscInt iterations[TYPES];
    PetscReal size, difference;
    PetscFunctionBegin;
    for (int type = 0; type < TYPES; ++type) {
        DM grid;
        Mat matrix;
        Vec right;
        KSP ksp;
        PC pc;
        PetscCall(PetscOptionsSetValue(NULL, "-sf_type", types[type]));
        PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE,
                               DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, CELLS, CELLS, CELLS,
                               PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, NULL,
                               &grid));
        PetscCall(DMSetUp(grid));
        PetscCall(laplacian(grid, &matrix));
        PetscCall(MatCreateVecs(matrix, &solution[type], &right));
        PetscCall(VecSet(right, 1));
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
        PetscCall(KSPSetOperators(ksp, matrix, matrix));
        PetscCall(KSPSetType(ksp, solver));
        PetscCall(KSPGetPC(ksp, &pc));
        PetscCall(PCSetType(pc, preconditioner));
        PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
        PetscCall(KSPSolve(ksp, right, solution[type]));
        PetscCall(KSPGetIterationNumber(ksp, &iterations[type]));
        PetscCall(KSPDestroy(&ksp));
        PetscCall(VecDestroy(&right));
        PetscCall(MatDestroy(&matrix));
        PetscCall(DMDestroy(&grid));
    }
    PetscCall(VecNorm(solution[0], NORM_2, &size));
    PetscCall(VecAXPY(solution[1], -1, solution[0]));
    PetscCall(VecNorm(solution[1], NORM_2, &difference));
    PetscCheck(difference <= 1e-12 * size && iterations[0] == iterations[1], PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "%s with %s: solutions differ by %g of %g, %d and %d iterations",
               solver, preconditioner, difference, size, (int)iterations[0], (int)iterations[1]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s with %s: %d iterations\n", solver, preconditioner,
                          (int)iterations[0]));
    PetscCall(VecDestroy(&solution[0]));
    PetscCall(VecDestroy(&solution[1]));
    PetscFunctionReturn(0);
}

int main(int argc, char** argv) {
    PetscInt seeds = 10;
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-seeds", &seeds, NULL));
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &together));
    PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &own));
    for (PetscInt seed = 0; seed < seeds; ++seed) {
        PetscCall(PetscRandomSetSeed(together, (unsigned long)seed));
        PetscCall(PetscRandomSeed(together));
        PetscCall(PetscRandomSetSeed(own, (unsigned long)((100 * seed) + PetscGlobalRank + 1)));
        PetscCall(PetscRandomSeed(own));
        PetscCall(forests(seed == 0 ? PETSC_TRUE : PETSC_FALSE));
        PetscCall(scatters());
    }
    PetscCall(solve(KSPGMRES, PCSOR));
    PetscCall(solve(KSPBCGS, PCJACOBI));
    PetscCall(solve(KSPCG, PCGAMG));
    PetscCall(PetscRandomDestroy(&together));
    PetscCall(PetscRandomDestroy(&own));
    PetscCall(PetscFinalize());
    return 0;
}
