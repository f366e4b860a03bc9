"""The theorems of the papers as plain functions.

Balle, Barthe and Gaboardi (2018): profiles, group privacy, amplification by sampling. Wang, Balle
and Kasiviswanathan (2019), Zhu and Wang (2019): Rényi curves under sampling, the analytical moments
accountant. Dwork, Rothblum and Vadhan (2010), Kairouz, Oh and Viswanath (2015): composition. The
rest of the library composes exactly and does not need them; they are here to compare with and to
build on.
"""

from hockeystick.classical.amplification import (
    amplified_epsilon,
    amplify_poisson,
    amplify_poisson_replace_one,
    amplify_with_replacement,
    amplify_without_replacement,
    base_epsilon,
    poisson_profile,
    poisson_replace_one_profile,
    shuffle_epsilon,
    with_replacement_profile,
    without_replacement_profile,
)
from hockeystick.classical.asymptotics import (
    approximate_divergence_on_bad_data,
    approximate_divergence_on_data,
    approximate_divergence_on_good_data,
)
from hockeystick.classical.composition import (
    compose_profile,
    naive_composition,
    naive_composition_of,
    optimal_composition,
    optimal_composition_delta,
    strong_composition,
)
from hockeystick.classical.concentrated import (
    classical_gaussian_epsilon,
    classical_gaussian_noise,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_of_curve,
    zcdp_of_pure,
    zcdp_within,
)
from hockeystick.classical.conversion import (
    epsilon_from_curve,
    improved_delta,
    improved_epsilon,
    mironov_delta,
    mironov_epsilon,
    optimal_delta,
    optimal_epsilon,
    pearson_vajda_delta,
    pearson_vajda_epsilon,
)
from hockeystick.classical.couplings import (
    Coupling,
    additions_or_removals,
    couple,
    replacements,
)
from hockeystick.classical.group import (
    gaussian_group_profile,
    group_profile,
    laplace_group_profile,
)
from hockeystick.classical.joint_convexity import (
    JointConvexity,
    advanced_joint_convexity,
    hockey_stick,
)
from hockeystick.classical.membership import (
    membership_profile,
    poisson_samples,
    randomized_membership,
    sampled_output,
    with_replacement_samples,
    without_replacement_samples,
)
from hockeystick.classical.moments import (
    gaussian_log_moment,
    laplace_log_moment,
    moments_of_curve,
    randomized_response_log_moment,
)
from hockeystick.classical.moments_accountant import (
    get_delta,
    get_epsilon,
)
from hockeystick.classical.profiles import (
    approximate_profile,
    gaussian_log_profile,
    gaussian_profile,
    laplace_log_profile,
    laplace_profile,
)
from hockeystick.classical.projection import (
    project_cgf,
    project_points,
)
from hockeystick.classical.rdp_poisson import rdp_lower_bound, rdp_poisson
from hockeystick.classical.rdp_without_replacement import (
    rdp_without_replacement,
    rdp_without_replacement_from_curve,
    rdp_without_replacement_pure,
    rdp_without_replacement_self_consistent,
)
from hockeystick.classical.ternary import (
    pearson_vajda,
    rdp_from_ternary,
    sampled_ternary,
    signed_pearson_vajda,
    ternary_by_hoelder,
    ternary_from_binary,
    ternary_from_renyi,
    ternary_pearson_vajda,
)
from hockeystick.classical.transforms import (
    discrete_profile,
    moment_generating_function,
    profile_from_moments,
    profile_from_tails,
)

__all__ = [
    "Coupling",
    "JointConvexity",
    "additions_or_removals",
    "advanced_joint_convexity",
    "amplified_epsilon",
    "amplify_poisson",
    "amplify_poisson_replace_one",
    "amplify_with_replacement",
    "amplify_without_replacement",
    "approximate_divergence_on_bad_data",
    "approximate_divergence_on_data",
    "approximate_divergence_on_good_data",
    "approximate_profile",
    "base_epsilon",
    "classical_gaussian_epsilon",
    "classical_gaussian_noise",
    "compose_profile",
    "couple",
    "discrete_profile",
    "epsilon_from_curve",
    "gaussian_group_profile",
    "gaussian_log_moment",
    "gaussian_log_profile",
    "gaussian_profile",
    "get_delta",
    "get_epsilon",
    "group_profile",
    "hockey_stick",
    "improved_delta",
    "improved_epsilon",
    "laplace_group_profile",
    "laplace_log_moment",
    "laplace_log_profile",
    "laplace_profile",
    "membership_profile",
    "mironov_delta",
    "mironov_epsilon",
    "moment_generating_function",
    "moments_of_curve",
    "naive_composition",
    "naive_composition_of",
    "optimal_composition",
    "optimal_composition_delta",
    "optimal_delta",
    "optimal_epsilon",
    "pearson_vajda",
    "pearson_vajda_delta",
    "pearson_vajda_epsilon",
    "poisson_profile",
    "poisson_replace_one_profile",
    "poisson_samples",
    "profile_from_moments",
    "profile_from_tails",
    "project_cgf",
    "project_points",
    "randomized_membership",
    "randomized_response_log_moment",
    "rdp_from_ternary",
    "rdp_lower_bound",
    "rdp_poisson",
    "rdp_without_replacement",
    "rdp_without_replacement_from_curve",
    "rdp_without_replacement_pure",
    "rdp_without_replacement_self_consistent",
    "replacements",
    "sampled_output",
    "sampled_ternary",
    "shuffle_epsilon",
    "signed_pearson_vajda",
    "strong_composition",
    "ternary_by_hoelder",
    "ternary_from_binary",
    "ternary_from_renyi",
    "ternary_pearson_vajda",
    "with_replacement_profile",
    "with_replacement_samples",
    "without_replacement_profile",
    "without_replacement_samples",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_of_curve",
    "zcdp_of_pure",
    "zcdp_within",
]
