"""The tools: hockeystick and its peers, each through its public interface at its default accuracy.

Modules are imported by name inside the worker process, so a missing package is a fact to report and
never an error, and nothing is imported that is not being measured.
"""

from __future__ import annotations

import importlib.util
import math
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from typing import Any

from benchmarks.workloads import CHECKPOINTS, Step, Workload


class Unsupported(Exception):
    """The tool has no way to express the workload."""


@dataclass(frozen=True)
class Answer:
    """The tool's upper ends (one, or one for each checkpoint), and its lower ends if it has any."""

    upper: tuple[float, ...]
    lower: tuple[float, ...] | None = None


class Tool:
    """A tool answers three questions; ``epsilon`` is the one every tool must know."""

    name: str
    package: str
    needs: tuple[str, ...]  # the modules that a call needs, the package itself first

    def installed(self) -> bool:
        return importlib.util.find_spec(self.needs[0]) is not None

    def version(self) -> str:
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return "unknown"

    def load(self) -> None:
        """Import ahead of the first call, so that its own memory can be told from the imports'."""
        for module in self.needs:
            import_module(module)

    def answer(self, workload: Workload) -> Answer:
        ask = {"epsilon": self.epsilon, "noise": self.noise, "curve": self.curve}
        return ask[workload.question](workload)

    def epsilon(self, workload: Workload) -> Answer:
        raise NotImplementedError

    def noise(self, workload: Workload) -> Answer:
        raise Unsupported("does not calibrate")

    def curve(self, workload: Workload) -> Answer:
        """Ask again after every step, as a training loop that logs epsilon does."""
        (step,) = workload.steps
        found = [
            self.epsilon(replace(workload, steps=(replace(step, count=n),))).upper[0]
            for n in range(1, step.count + 1)
        ]
        return Answer(tuple(found[n - 1] for n in CHECKPOINTS))


class Hockeystick(Tool):
    name, package, needs = "hockeystick", "hockeystick", ("hockeystick",)

    def _mechanism(self, step: Step) -> Any:
        hs = import_module("hockeystick")
        kinds = {
            "gaussian": hs.Gaussian,
            "laplace": hs.Laplace,
            "discrete gaussian": hs.DiscreteGaussian,
            "response": lambda epsilon: hs.RandomizedResponse(epsilon, int(step.detail)),
            "approximate": lambda epsilon: hs.ApproximateDP(epsilon, step.detail),
        }
        plain = kinds[step.kind](step.noise)
        return plain.on(hs.Poisson(step.rate)) if step.rate < 1 else plain

    def epsilon(self, workload: Workload) -> Answer:
        run: Any = sum(self._mechanism(step) * step.count for step in workload.steps)
        bound = run.epsilon(delta=workload.delta)
        return Answer((bound.upper,), (bound.lower,))

    def noise(self, workload: Workload) -> Answer:
        """The answer is the mechanism itself; its noise is the one that it was made with."""
        (step,) = workload.steps
        made: dict[Any, float] = {}

        def family(noise: float) -> Any:
            mechanism = self._mechanism(replace(step, noise=noise)) * step.count
            made[mechanism] = noise
            return mechanism

        budget = {"epsilon": workload.epsilon, "delta": workload.delta}
        found = import_module("hockeystick").calibrate(family, **budget)
        return Answer((made[found],))

    def curve(self, workload: Workload) -> Answer:
        (step,) = workload.steps
        counts = range(1, step.count + 1)
        found = self._mechanism(step).epsilons(delta=workload.delta, counts=counts)
        ends = (tuple(float(end[n - 1]) for n in CHECKPOINTS) for end in (found.upper, found.lower))
        return Answer(*ends)


class DpAccounting(Tool):
    """Google's dp-accounting; the subclasses name the accountant."""

    package = "dp-accounting"
    accountant: str

    def _fresh(self) -> Any:
        return getattr(import_module(self.needs[1]), self.accountant)()

    def _event(self, step: Step) -> Any:
        dp = import_module("dp_accounting")
        if step.kind == "response":
            share = step.detail / (math.exp(step.noise) + step.detail - 1)  # answers at random
            event = dp.RandomizedResponseDpEvent(share, int(step.detail))
        elif step.kind in ("discrete gaussian", "approximate"):
            raise Unsupported("there is no such event")
        else:
            plain = dp.GaussianDpEvent if step.kind == "gaussian" else dp.LaplaceDpEvent
            event = plain(step.noise)
        event = dp.PoissonSampledDpEvent(step.rate, event) if step.rate < 1 else event
        return dp.SelfComposedDpEvent(event, step.count)

    def epsilon(self, workload: Workload) -> Answer:
        accountant = self._fresh()
        if not accountant.supports(self._event(workload.steps[0])):
            raise Unsupported("the accountant refuses the event")
        for step in workload.steps:
            accountant.compose(self._event(step))
        return Answer((float(accountant.get_epsilon(workload.delta)),))

    def noise(self, workload: Workload) -> Answer:
        (step,) = workload.steps
        found = import_module("dp_accounting").calibrate_dp_mechanism(
            self._fresh,
            lambda noise: self._event(replace(step, noise=noise)),
            workload.epsilon,
            workload.delta,
            tol=1e-6,
        )
        return Answer((float(found),))


class DpAccountingPld(DpAccounting):
    name, accountant = "dp-accounting PLD", "PLDAccountant"
    needs = "dp_accounting", "dp_accounting.pld"


class DpAccountingRdp(DpAccounting):
    name, accountant = "dp-accounting RDP", "RdpAccountant"
    needs = "dp_accounting", "dp_accounting.rdp"


class Opacus(Tool):
    """Meta's Opacus, which knows the sampled Gaussian only."""

    package, needs = "opacus", ("opacus", "opacus.accountants")
    accountant: str

    def epsilon(self, workload: Workload) -> Answer:
        if any(step.kind != "gaussian" for step in workload.steps):
            raise Unsupported("Gaussian noise only")
        accountant = import_module("opacus.accountants").create_accountant(self.accountant)
        accountant.history = [(step.noise, step.rate, step.count) for step in workload.steps]
        return Answer((float(accountant.get_epsilon(workload.delta)),))

    def noise(self, workload: Workload) -> Answer:
        (step,) = workload.steps
        found = import_module("opacus.accountants.utils").get_noise_multiplier(
            target_epsilon=workload.epsilon,
            target_delta=workload.delta,
            sample_rate=step.rate,
            steps=step.count,
            accountant=self.accountant,
        )
        return Answer((float(found),))


class OpacusRdp(Opacus):
    name, accountant = "opacus RDP", "rdp"


class OpacusPrv(Opacus):
    name, accountant = "opacus PRV", "prv"


class PrvAccountant(Tool):
    """Microsoft's prv_accountant, at the error that its authors use: 0.01 in epsilon."""

    name, package, needs = "prv-accountant", "prv-accountant", ("prv_accountant",)
    error = 0.01

    def _variable(self, step: Step) -> Any:
        prv = import_module("prv_accountant")
        if step.kind not in ("gaussian", "laplace"):
            raise Unsupported("Gaussian and Laplace noise only")
        if step.kind == "laplace":
            if step.rate < 1:
                raise Unsupported("no sampled Laplace")
            return prv.LaplaceMechanism(1 / step.noise)
        if step.rate == 1:
            return prv.GaussianMechanism(step.noise)
        return prv.PoissonSubsampledGaussianMechanism(step.rate, step.noise)

    def epsilon(self, workload: Workload) -> Answer:
        counts = [step.count for step in workload.steps]
        accountant = import_module("prv_accountant").PRVAccountant(
            prvs=[self._variable(step) for step in workload.steps],
            max_self_compositions=counts,
            eps_error=self.error,
            delta_error=workload.delta / 1000,
        )
        low, _, high = accountant.compute_epsilon(workload.delta, counts)
        return Answer((float(high),), (float(low),))

    def noise(self, workload: Workload) -> Answer:
        (step,) = workload.steps
        found = import_module("prv_accountant.dpsgd").find_noise_multiplier(
            step.rate, step.count, workload.epsilon, workload.delta, eps_error=self.error
        )
        return Answer((float(found),))


class Autodp(Tool):
    """autodp's analytical moments accountant."""

    name, package = "autodp", "autodp"
    needs = "autodp", "autodp.mechanism_zoo", "autodp.transformer_zoo"

    def _mechanism(self, step: Step) -> Any:
        if step.kind not in ("gaussian", "laplace"):
            raise Unsupported("only Gaussian and Laplace noise is compared")
        zoo = import_module("autodp.mechanism_zoo")
        kind = zoo.GaussianMechanism if step.kind == "gaussian" else zoo.LaplaceMechanism
        plain = kind(step.noise)
        if step.rate == 1:
            return plain
        transform = import_module("autodp.transformer_zoo")
        sample = transform.AmplificationBySampling(PoissonSampling=True)
        return sample(plain, step.rate, improved_bound_flag=True)

    def epsilon(self, workload: Workload) -> Answer:
        transform = import_module("autodp.transformer_zoo")
        exact = all(step.rate == 1 and step.kind == "gaussian" for step in workload.steps)
        compose = transform.ComposeGaussian() if exact else transform.Composition()
        counts = [step.count for step in workload.steps]
        composed = compose([self._mechanism(step) for step in workload.steps], counts)
        return Answer((float(composed.get_approxDP(workload.delta)),))

    def noise(self, workload: Workload) -> Answer:
        (step,) = workload.steps
        calibrate = import_module("autodp.calibrator_zoo").generalized_eps_delta_calibrator()
        found = calibrate(
            import_module("autodp.mechanism_zoo").SubsampleGaussianMechanism,
            workload.epsilon,
            workload.delta,
            [0.5, 10],
            params={"prob": step.rate, "sigma": None, "coeff": step.count},
            para_name="sigma",
        )
        return Answer((float(found.params["sigma"]),))


OURS = Hockeystick.name
BASELINE = DpAccountingPld.name
TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Hockeystick(), DpAccountingPld(), DpAccountingRdp(), OpacusPrv(), OpacusRdp(),
        PrvAccountant(), Autodp(),
    )
}  # fmt: skip
