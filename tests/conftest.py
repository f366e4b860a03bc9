"""Every run of the suite tries the same examples, however slow the machine; --deep tries more."""

import pytest
from hypothesis import HealthCheck, Phase, settings

EXAMPLES = {"same": 30, "deep": 100}
"""Of a test that does not say how many, by profile."""

for profile, examples in EXAMPLES.items():
    settings.register_profile(
        profile,
        max_examples=examples,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        phases=[Phase.explicit, Phase.generate],  # to shrink a failure takes minutes: do it by hand
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("deep" if config.getoption("--deep") else "same")
