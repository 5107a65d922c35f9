"""Tries the CMake packages of a wheel in containers: no recipe, old and new CMake."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.containers.engine import Engine
from orchestrator.errors import UsageError
from orchestrator.ground.emulation import advice, interpreters
from orchestrator.images.imageset import ImageSet, Policy
from orchestrator.plan.select import python_version
from orchestrator.recipe.sdk import EnvironmentSpec
from orchestrator.report.model import CheckRecord, Verdict
from orchestrator.store.store import Store
from orchestrator.verify.any_package.ask import data, package_probes
from orchestrator.verify.any_package.contract import contract
from orchestrator.verify.any_package.found import TRIED, Chosen, FoundPackage, chosen
from orchestrator.verify.any_package.records import RULES, judged, records
from orchestrator.verify.dynamic.findings import DynamicResult, Findings, step_of
from orchestrator.verify.dynamic.guards import not_run
from orchestrator.verify.dynamic.install import install
from orchestrator.verify.dynamic.records import Results
from orchestrator.verify.dynamic.session import Session
from orchestrator.verify.subject import StaticSubject

IMAGE = "bookworm"
"""Where the row's Python is of no image, or the wheel needs none."""


def try_packages(
    engine: Engine, images: ImageSet, store: Store, subject: StaticSubject, *, policy: Policy, logs: Path, keep: bool
) -> DynamicResult:
    """K6, K7 and K8 of every CMake package of the wheel; nothing where it has none.

    Raises:
        EngineError: the engine refuses or goes away.
        FetchError: CMake cannot be had.
    """
    packages = chosen(subject.wheel)
    if not (packages.tried or packages.left):
        return _nothing("no CMake package: nothing to try in containers", subject)
    if not packages.tried:
        return DynamicResult(_left_out(packages))
    arch = subject.row.arch
    if arch != engine.info.arch and engine.info.address.startswith("unix://") and arch not in interpreters():
        return _nothing(f"CMake packages are not tried: programs for {arch} do not run here. {advice(arch)}", subject)
    session = open_session(engine, images, store, subject, policy=policy, logs=logs, keep=keep)
    run = Run(session, packages.tried)
    run.findings.checks += _left_out(packages)
    return run.all()


def open_session(
    engine: Engine, images: ImageSet, store: Store, subject: StaticSubject, *, policy: Policy, logs: Path, keep: bool
) -> Session:
    """What the environments share in which the CMake packages of a wheel are tried.

    Raises:
        UsageError: it has none.
    """
    packages = chosen(subject.wheel).tried
    if not packages:
        raise UsageError(
            f"{subject.wheel.filename} has no CMake package that can be tried in containers.",
            advice="Give a wheel that has one.",
        )
    image, own_python = _image(images, subject)
    recipe = contract(subject.wheel, subject.row, packages, image=image, own_python=own_python)
    return Session(
        engine=engine,
        images=images,
        store=store,
        subject=subject,
        recipe=recipe,
        policy=policy,
        logs=logs,
        keep=keep,
        gpus=None,
        beside=(),
    )


def _left_out(packages: Chosen) -> tuple[CheckRecord, ...]:
    """A record of K6 for each package of which nothing is asked."""
    return tuple(RULES["K6"].record(Verdict.NOT_RUN, package.config, reason) for package, reason in packages.left)


def _nothing(text: str, subject: StaticSubject) -> DynamicResult:
    return DynamicResult(notes=(RULES["K6"].note(subject.wheel.filename, text),))


def _image(images: ImageSet, subject: StaticSubject) -> tuple[str, bool]:
    """The image whose Python can import the wheel, and whether there is one."""
    wanted = python_version(subject.row.python)
    if any(tag.interpreter == "py3" or tag.abi == "abi3" for tag in subject.wheel.tags):
        return IMAGE, True
    fitting = [one.name for one in images.definitions.values() if one.role == "test" and one.python == wanted]
    return (fitting[0], True) if fitting else (IMAGE, False)


@dataclass
class Run:
    """The packages of one wheel, and the records as they are made."""

    session: Session
    packages: tuple[FoundPackage, ...]
    findings: Findings = field(default_factory=Findings)
    endless: dict[str, str] = field(default_factory=dict)
    """By config file: the environment in which a configure had to be stopped.  Nothing is asked in others then."""

    def all(self) -> DynamicResult:
        """Every environment, one container each."""
        recipe = self.session.recipe
        for spec in recipe.cmake.environments if recipe.cmake else ():
            self._environment(spec)
        for installed in self.session.installed.values():
            self.session.done(installed.work)
        made = self.findings.result()
        return replace(made, checks=tuple(sorted(made.checks, key=lambda one: one.id)))

    def _environment(self, spec: EnvironmentSpec) -> None:
        context = self.session.environment(spec)
        packages = [package for package in self.packages if package.config not in self.endless]
        for package in self.packages:
            if where := self.endless.get(package.config):
                reason = f"a configure that uses {package.name} had to be stopped in {where}"
                self._add(records("K6", context, package, not_run(reason)))
        if not packages:
            return
        probes = [install(context), data(context)]
        for package in packages:
            probes += package_probes(context, package)
        tools = self.session.toolchains(spec, self.findings)
        result = self.session.ask(context.image, context, tuple(probes), self.findings, tools)
        self.findings.steps.append(step_of(context.name, result.command, result.run))
        for package in packages:
            if result.answers is None:
                self._add(records("K6", context, package, not_run(result.reason)))
                continue
            for id_ in TRIED:
                self._add(judged(id_, context, package, result.answers))
            if any(result.answers[probe.id].timed_out for probe in package_probes(context, package)):
                self.endless[package.config] = context.name

    def _add(self, results: Results) -> None:
        checks, notes = results
        self.findings.checks += checks
        self.findings.notes += [note for note in notes if note not in self.findings.notes]
