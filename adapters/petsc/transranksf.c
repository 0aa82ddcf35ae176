// SPDX-License-Identifier: BSD-3-Clause
// PetscSF type `transrank`: transrank moves the data of PetscSFBcast and PetscSFReduce, also those
// of VecScatter. docs/petsc.md says how a program gets it.
//
// It is the type `basic` in all but four operations. A bound exchange serves calls of one kind, one
// after the other; where several are under way at once, each has its own. Calls are collective, so
// that all ranks bind in the same one: the first that finds no exchange free.

#include <petsc/private/sfimpl.h>
#include <string.h>

#include "transrank/transrank.h"

/// Which way data go; the index of the route.
enum { BCAST = 0, REDUCE = 1 };

typedef struct Bound {
    struct Bound* next;
    transrank_exchange* exchange;
    PetscBool busy;
    const void* source;  ///< of the call that is under way
    void *destination, *copy;
} Bound;

/// Calls that an exchange can serve one after the other.
typedef struct Kind {
    struct Kind* next;
    int way, operation, scalar;
    int64_t unit_bytes;
    int64_t calls, exchanges;
    PetscBool refused;
    Bound* bound;
} Kind;

typedef struct {
    struct _PetscSFOps basic;
    PetscInt from;  ///< the first call of a kind for which ranks bind
    transrank_route* route[2];
    Kind* kinds;
} Own;

static const char key[] = "transrank";

static PetscErrorCode FindOwn(PetscSF sf, Own** own) {
    PetscContainer container = NULL;
    PetscFunctionBegin;
    PetscCall(PetscObjectQuery((PetscObject)sf, key, (PetscObject*)&container));
    PetscCall(PetscContainerGetPointer(container, (void**)own));
    PetscFunctionReturn(0);
}

/// Sets operation, scalar and unit_bytes; leaves 0 bytes for what transrank does not do.
static PetscErrorCode Describe(MPI_Datatype unit, MPI_Op op, Kind* kind) {
    const struct {
        MPI_Datatype type;
        int scalar, bytes;
    } scalars[] = {
        {MPI_DOUBLE, TRANSRANK_FLOAT64, 8},      {MPI_FLOAT, TRANSRANK_FLOAT32, 4},
        {MPI_INT, TRANSRANK_INT32, 4},           {MPI_INT64_T, TRANSRANK_INT64, 8},
        {MPI_LONG_LONG, TRANSRANK_INT64, 8},     {MPI_SIGNED_CHAR, TRANSRANK_INT8, 1},
        {MPI_UNSIGNED_CHAR, TRANSRANK_UINT8, 1}, {MPI_C_DOUBLE_COMPLEX, TRANSRANK_FLOAT64, 16}};
    MPI_Aint lower, bytes;
    PetscInt count;
    PetscFunctionBegin;
    if (op == MPI_REPLACE) {  // what lies between elements is copied, too, as by `basic`
        PetscCallMPI(MPI_Type_get_extent(unit, &lower, &bytes));
        kind->unit_bytes = lower == 0 && bytes > 0 ? bytes : 0;
    } else if (op == MPI_SUM || op == MPI_MIN || op == MPI_MAX) {
        kind->operation = op == MPI_SUM   ? TRANSRANK_ADD
                          : op == MPI_MIN ? TRANSRANK_MIN
                                          : TRANSRANK_MAX;
        for (size_t i = 0; !kind->unit_bytes && i < sizeof scalars / sizeof *scalars; ++i) {
            PetscCall(MPIPetsc_Type_compare_contig(unit, scalars[i].type, &count));
            if (count > 0 && (scalars[i].bytes <= 8 || op == MPI_SUM)) {
                kind->scalar = scalars[i].scalar;
                kind->unit_bytes = (int64_t)count * scalars[i].bytes;
            }
        }
    }
    PetscFunctionReturn(0);
}

/// NULL where `basic` must do it.
static PetscErrorCode FindKind(Own* own, int way, MPI_Datatype unit, MPI_Op op, Kind** found) {
    Kind kind = {.next = own->kinds, .way = way};
    PetscFunctionBegin;
    PetscCall(Describe(unit, op, &kind));
    for (*found = own->kinds; *found; *found = (*found)->next) {
        if ((*found)->way == way && (*found)->operation == kind.operation &&
            (*found)->scalar == kind.scalar && (*found)->unit_bytes == kind.unit_bytes) {
            PetscFunctionReturn(0);
        }
    }
    if (kind.unit_bytes > 0) {
        PetscCall(PetscNew(found));
        **found = kind;
        own->kinds = *found;
    }
    PetscFunctionReturn(0);
}

/// Collective. Leaves are counted from the first one on.
static PetscErrorCode MakeRoutes(PetscSF sf, Own* own, int* status) {
    const MPI_Comm comm = PetscObjectComm((PetscObject)sf);
    transrank_numbering* numbering = NULL;
    int64_t *ghosts, *places;
    PetscFunctionBegin;
    PetscCall(PetscMalloc2(sf->nleaves, &ghosts, sf->nleaves, &places));
    *status = transrank_numbering_create(comm, sf->nroots, 1, &numbering);
    for (PetscInt i = 0; *status == TRANSRANK_OK && i < sf->nleaves; ++i) {
        ghosts[i] = -1;  // which all ranks refuse
        (void)transrank_numbering_index(numbering, (int)sf->remote[i].rank, sf->remote[i].index,
                                        &ghosts[i]);
        places[i] = (sf->mine ? sf->mine[i] : i) - sf->minleaf;
    }
    if (*status == TRANSRANK_OK) {
        *status = transrank_route_ghost_pull_at(comm, numbering, sf->nleaves, ghosts, places,
                                                sf->nleaves > 0 ? sf->maxleaf - sf->minleaf + 1 : 0,
                                                &own->route[BCAST]);
    }
    if (*status == TRANSRANK_OK) {
        *status = transrank_route_transposed(own->route[BCAST], &own->route[REDUCE]);
    }
    (void)transrank_numbering_free(&numbering);
    PetscCall(PetscFree2(ghosts, places));
    PetscFunctionReturn(0);
}

static transrank_field FieldOf(PetscSF sf, const Kind* kind, const void* source,
                               void* destination) {
    static char nothing;  // stands for arrays without a unit that moves
    const int64_t before = sf->nleaves > 0 ? sf->minleaf * kind->unit_bytes : 0;
    const int64_t leaves = sf->nleaves > 0 ? (sf->maxleaf + 1) * kind->unit_bytes - before : 0;
    const int64_t roots = sf->nroots * kind->unit_bytes;
    const int is_bcast = kind->way == BCAST;
    return (transrank_field){
        .source = source ? (const char*)source + (is_bcast ? 0 : before) : &nothing,
        .source_bytes = is_bcast ? roots : leaves,
        .destination = destination ? (char*)destination + (is_bcast ? before : 0) : &nothing,
        .destination_bytes = is_bcast ? leaves : roots,
        .unit_bytes = kind->unit_bytes,
        .scalar = kind->scalar};
}

/// Collective where none is free. NULL where `basic` must do it.
static PetscErrorCode FindBound(PetscSF sf, Own* own, Kind* kind, PetscBool on_host,
                                const transrank_field* field, Bound** found) {
    const transrank_options options = {.operation = kind->operation, .any_memory = 1};
    Bound** end = &kind->bound;
    transrank_exchange* exchange = NULL;
    int status = TRANSRANK_OK;
    PetscFunctionBegin;
    if (kind->refused || ++kind->calls < own->from) {
        PetscFunctionReturn(0);
    }
    while (*end && (*end)->busy) {
        end = &(*end)->next;
    }
    PetscCheck(!*end || on_host, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Device memory, where such calls had host memory before; use -sf_type basic");
    *found = *end;
    if (*found) {
        PetscFunctionReturn(0);
    }
    if (!on_host) {
        (void)transrank_refuse("device memory");
    }
    if (!own->route[BCAST]) {
        PetscCall(MakeRoutes(sf, own, &status));
    }
    if (status == TRANSRANK_OK) {
        status = transrank_exchange_bind(PetscObjectComm((PetscObject)sf), own->route[kind->way], 1,
                                         field, &options, &exchange);
    }
    kind->refused = status == TRANSRANK_ERROR_AGREED ? PETSC_TRUE : PETSC_FALSE;
    if (kind->refused) {
        PetscCall(PetscInfo(sf, "Left to basic: %s\n", transrank_error_text()));
        PetscFunctionReturn(0);
    }
    PetscCheck(status == TRANSRANK_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s",
               transrank_error_text());
    ++kind->exchanges;
    PetscCall(PetscNew(end));
    (*end)->exchange = exchange;
    *found = *end;
    PetscFunctionReturn(0);
}

static PetscErrorCode Begin(PetscSF sf, int way, MPI_Datatype unit, PetscMemType source_type,
                            const void* source, PetscMemType destination_type, void* destination,
                            MPI_Op op) {
    const int on_host = PetscMemTypeHost(source_type) && PetscMemTypeHost(destination_type);
    Own* own;
    Kind* kind;
    Bound* bound = NULL;
    transrank_field field = {0};
    PetscFunctionBegin;
    PetscCall(FindOwn(sf, &own));
    PetscCall(FindKind(own, way, unit, op, &kind));
    if (kind) {
        field = FieldOf(sf, kind, source, destination);
        PetscCall(FindBound(sf, own, kind, on_host ? PETSC_TRUE : PETSC_FALSE, &field, &bound));
    }
    if (!bound) {
        PetscCall((way == BCAST ? own->basic.BcastBegin : own->basic.ReduceBegin)(
            sf, unit, source_type, source, destination_type, destination, op));
        PetscFunctionReturn(0);
    }
    bound->source = source;
    bound->destination = destination;
    if ((const char*)field.source < (char*)field.destination + field.destination_bytes &&
        (char*)field.destination < (const char*)field.source + field.source_bytes) {
        PetscCall(PetscMalloc((size_t)field.source_bytes, &bound->copy));
        field.source = memcpy(bound->copy, field.source, (size_t)field.source_bytes);
    }
    PetscCheck(transrank_exchange_start_with(bound->exchange, 1, &field) == TRANSRANK_OK,
               PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", transrank_error_text());
    bound->busy = PETSC_TRUE;
    PetscFunctionReturn(0);
}

static PetscErrorCode End(PetscSF sf, int way, MPI_Datatype unit, const void* source,
                          void* destination, MPI_Op op) {
    Own* own;
    Kind* kind;
    int status;
    PetscFunctionBegin;
    PetscCall(FindOwn(sf, &own));
    PetscCall(FindKind(own, way, unit, op, &kind));
    for (Bound* bound = kind ? kind->bound : NULL; bound; bound = bound->next) {
        if (bound->busy && bound->source == source && bound->destination == destination) {
            status = transrank_exchange_wait(bound->exchange);
            bound->busy = PETSC_FALSE;
            PetscCall(PetscFree(bound->copy));
            PetscCheck(status == TRANSRANK_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s",
                       transrank_error_text());
            PetscFunctionReturn(0);
        }
    }
    PetscCall((way == BCAST ? own->basic.BcastEnd : own->basic.ReduceEnd)(sf, unit, source,
                                                                          destination, op));
    PetscFunctionReturn(0);
}

static PetscErrorCode BcastBegin(PetscSF sf, MPI_Datatype unit, PetscMemType root_type,
                                 const void* roots, PetscMemType leaf_type, void* leaves,
                                 MPI_Op op) {
    return Begin(sf, BCAST, unit, root_type, roots, leaf_type, leaves, op);
}

static PetscErrorCode BcastEnd(PetscSF sf, MPI_Datatype unit, const void* roots, void* leaves,
                               MPI_Op op) {
    return End(sf, BCAST, unit, roots, leaves, op);
}

static PetscErrorCode ReduceBegin(PetscSF sf, MPI_Datatype unit, PetscMemType leaf_type,
                                  const void* leaves, PetscMemType root_type, void* roots,
                                  MPI_Op op) {
    return Begin(sf, REDUCE, unit, leaf_type, leaves, root_type, roots, op);
}

static PetscErrorCode ReduceEnd(PetscSF sf, MPI_Datatype unit, const void* leaves, void* roots,
                                MPI_Op op) {
    return End(sf, REDUCE, unit, leaves, roots, op);
}

static PetscErrorCode Forget(Own* own) {
    PetscFunctionBegin;
    for (Kind* kind = own->kinds; kind; kind = own->kinds) {
        for (Bound* bound = kind->bound; bound; bound = kind->bound) {
            kind->bound = bound->next;
            (void)transrank_exchange_free(&bound->exchange);
            PetscCall(PetscFree(bound->copy));
            PetscCall(PetscFree(bound));
        }
        own->kinds = kind->next;
        PetscCall(PetscFree(kind));
    }
    (void)transrank_route_free(&own->route[BCAST]);
    (void)transrank_route_free(&own->route[REDUCE]);
    PetscFunctionReturn(0);
}

static PetscErrorCode Reset(PetscSF sf) {
    Own* own;
    PetscFunctionBegin;
    PetscCall(FindOwn(sf, &own));
    PetscCall(Forget(own));
    PetscCall(own->basic.Reset(sf));
    PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(PetscSF sf) {
    Own* own;
    PetscFunctionBegin;
    PetscCall(FindOwn(sf, &own));
    PetscCall(Forget(own));
    PetscCall(PetscObjectCompose((PetscObject)sf, key, NULL));
    PetscCall(own->basic.Destroy(sf));
    PetscCall(PetscFree(own));
    PetscFunctionReturn(0);
}

static PetscErrorCode View(PetscSF sf, PetscViewer viewer) {
    static const char* const operations[] = {"replace", "sum", "min", "max"};
    Own* own;
    PetscBool is_text;
    PetscFunctionBegin;
    PetscCall(FindOwn(sf, &own));
    PetscCall(own->basic.View(sf, viewer));
    PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &is_text));
    for (const Kind* kind = is_text ? own->kinds : NULL; kind; kind = kind->next) {
        PetscCall(PetscViewerASCIIPrintf(viewer, "  %s of %d B, %s: %ld calls, %ld exchanges\n",
                                         kind->way == BCAST ? "bcast" : "reduce",
                                         (int)kind->unit_bytes, operations[kind->operation],
                                         (long)kind->calls, (long)kind->exchanges));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode Create(PetscSF sf) {
    PetscErrorCode (*create_basic)(PetscSF) = NULL;
    PetscContainer container;
    PetscMPIInt ranks;
    Own* own;
    PetscFunctionBegin;
    PetscCall(PetscFunctionListFind(PetscSFList, PETSCSFBASIC, &create_basic));
    PetscCall(create_basic(sf));
    PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)sf), &ranks));
    if (ranks == 1) {
        PetscFunctionReturn(0);
    }
    PetscCall(PetscNew(&own));
    own->basic = *sf->ops;
    own->from = 10;
    PetscCall(PetscOptionsGetInt(((PetscObject)sf)->options, ((PetscObject)sf)->prefix,
                                 "-sf_transrank_from", &own->from, NULL));
    PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
    PetscCall(PetscContainerSetPointer(container, own));
    PetscCall(PetscObjectCompose((PetscObject)sf, key, (PetscObject)container));
    PetscCall(PetscContainerDestroy(&container));
    sf->ops->BcastBegin = BcastBegin;
    sf->ops->BcastEnd = BcastEnd;
    sf->ops->ReduceBegin = ReduceBegin;
    sf->ops->ReduceEnd = ReduceEnd;
    sf->ops->Reset = Reset;
    sf->ops->Destroy = Destroy;
    sf->ops->View = View;
    PetscFunctionReturn(0);
}

/// What PETSc calls when it has loaded this library.
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_transranksf(void) {
    PetscFunctionBegin;
    PetscCall(PetscSFRegister(key, Create));
    PetscFunctionReturn(0);
}
