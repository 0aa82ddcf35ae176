# SPDX-License-Identifier: BSD-3-Clause
"""The environment variables that shape an MPI run; no others are stored."""

from __future__ import annotations

from collections.abc import Mapping

PREFIXES = (
    "BLIS_",
    "FI_",
    "FLIB_",
    "GOMP_",
    "HFI_",
    "HWLOC_",
    "HYDRA_",
    "I_MPI_",
    "KMP_",
    "MALLOC_",
    "MKL_",
    "MP_",
    "MPI",
    "MV2_",
    "NUMEXPR_",
    "OMP",  # OMP_ and OMPI_
    "OPAL_",
    "OPENBLAS_",
    "PJM_",
    "PLE_",
    "PMI_",
    "PMIX_",
    "PRTE_",
    "PSM",
    "PBS_",
    "SLURM_",
    "TRANSRANK_",
    "UCX_",
    "UTOFU_",
    "VECLIB_",
    "XOS_MMM_",
)
NAMES = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
# Credentials that launchers pass on, and what merely repeats long lists of the job.
SECRETS = ("TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "COOKIE", "_KEY", "_AUTH")


def relevant(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables worth storing with a run, by name."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if (name.startswith(PREFIXES) or name in NAMES)
        and not any(word in name.upper() for word in SECRETS)
    }
