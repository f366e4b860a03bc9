"""Every run of the suite tries the same examples, however slow the machine."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "same",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.generate],  # to shrink a failure takes minutes: do it by hand
)
settings.load_profile("same")
