# SPDX-License-Identifier: BSD-3-Clause
"""The environment variables that shape an MPI run; no others are stored."""

from __future__ import annotations

from collections.abc import Mapping

_PREFIXES = """
    BLIS_ FI_ FLIB_ GOMP_ HFI_ HWLOC_ HYDRA_ I_MPI_ KMP_ MALLOC_ MKL_ MP_ MPI MV2_
    NUMEXPR_ OMP OPAL_ OPENBLAS_ PJM_ PLE_ PMI_ PMIX_ PRTE_ PSM PBS_ SLURM_ TRANSRANK_
    UCX_ UTOFU_ VECLIB_ XOS_MMM_
"""
PREFIXES = tuple(_PREFIXES.split())
NAMES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
# Credentials that launchers pass on, and what merely repeats long lists of the job.
SECRETS = ("TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "COOKIE", "_KEY", "_AUTH")


# What a batch system or a launcher says of one job: elsewhere it would pretend that this job runs.
_JOB_PREFIXES = """
    HYDRA_BSTRAP_ HYDI_ MPI_LOCAL OMPI_APP_CTX OMPI_COMM_WORLD_ OMPI_FILE_LOCATION
    OMPI_FIRST_RANKS OMPI_NUM_APP_CTX OMPI_UNIVERSE_SIZE OMPI_VERSION PBS_ PJM_ PMI_
    PMIX_ PRTE_ SLURM_ TRANSRANK_
"""
JOB_PREFIXES = tuple(_JOB_PREFIXES.split())
# Of these prefixes the settings that hold everywhere.
SETTINGS = ("PMIX_MCA_", "PRTE_MCA_", "SLURM_MPI_TYPE", "TRANSRANK_LAUNCHER")
LOCALE = ("LANG", "LC_ALL")


def portable(environment: Mapping[str, str]) -> dict[str, str]:
    """Return of a run's stored variables those that shape MPI in any job, by name."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if name not in LOCALE
        and (name.startswith(SETTINGS) or not name.startswith(JOB_PREFIXES))
        and name in relevant({name: value})
    }


def relevant(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables worth storing with a run, by name."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if (name.startswith(PREFIXES) or name in NAMES)
        and not any(word in name.upper() for word in SECRETS)
    }
