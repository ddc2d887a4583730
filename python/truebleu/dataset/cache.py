"""What the cache holds: which sets and models are there, where, and whether they are sound."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from truebleu._atomic import discard
from truebleu.dataset import registry
from truebleu.dataset import user_sets as own
from truebleu.errors import BundleError, CacheError, InvalidTestSet, NameTaken, UnknownTestSet
from truebleu.store.bundle import Bundle, pack, unpack_bundle
from truebleu.store.config import cache_folder
from truebleu.store.files import RemoteFile, fetch, problem_of
from truebleu.store.folders import built_folders, folder_problem


@dataclass(frozen=True)
class Holding:
    """A file or folder of a set: where it is or would be, its size if it is there."""

    name: str
    kind: str
    path: Path
    bytes: int | None


@dataclass(frozen=True)
class Finding:
    """What verifying found: nothing (None), or what is wrong. What sacreBLEU keeps is not ours to mend."""

    path: Path
    problem: str | None
    ours: bool = True


def files_of(name: str) -> list[RemoteFile]:
    """The files a set or a SentencePiece model is made from, wherever they are."""
    from truebleu.tokenizers.spm import MODELS

    return [MODELS[name]] if name in MODELS else registry.remote_files(name)


def names() -> list[str]:
    """All sets and models there are, but for one's own."""
    from truebleu.tokenizers.spm import MODELS

    mine = own.own_sets()
    return [*(name for name in registry.set_names() if name not in mine), *(name for name in MODELS if name != "spm")]


def holdings(wanted: Sequence[str] = ()) -> list[Holding]:
    """What is in the cache of all sets, or of those named, missing files included for these."""
    mine = own.own_sets()
    found = []
    for name in wanted or [*names(), *mine]:
        if name in mine:
            found += [Holding(name, "own", path, _size(path)) for path in [mine[name].path, *mine[name].files]]
        else:
            found += [_holding(name, file) for file in files_of(name)]
    found += [Holding(name, "text", folder, _size(folder)) for folder, name in _texts() if not wanted or name in wanted]
    return [holding for holding in found if wanted or holding.bytes is not None]


def verify(wanted: Sequence[str] = ()) -> Iterator[Finding]:
    """Read all that is cached, or what is cached of some sets, and compare it with its checksums."""
    mine = own.own_sets()
    seen: set[Path] = set()
    for name in wanted or [*names(), *mine]:
        found = _verify_own(mine[name]) if name in mine else _verify_files(name, missing_too=bool(wanted))
        for finding in found:
            if finding.path not in seen:
                seen.add(finding.path)
                yield finding
    for folder, name in _texts():
        if not wanted or name in wanted:
            yield Finding(folder, folder_problem(folder))
    if not wanted:
        for path, problem in own.damaged_descriptions().items():
            yield Finding(path, problem)


def pack_sets(wanted: Sequence[str], target: Path) -> Bundle:
    """Write a bundle with all that the named sets need; what is not cached is downloaded first."""
    return pack({name: _packed(name) for name in wanted}, target)


def unpack_sets(path: Path, *, force: bool = False) -> Bundle:
    """Bring the sets of a bundle into the cache. Those of one's own replace others only with `force`."""

    def check(folder: Path, bundle: Bundle) -> None:
        for description in sorted(folder.glob("registry/*.json")):
            _check_description(path, description, force)

    before = own.own_sets()
    bundle = unpack_bundle(path, check)
    for name, now in own.own_sets().items():
        if name in bundle.sets and name in before:
            own.drop_old_files(before[name], now)
    return bundle


def remove(wanted: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Remove what the cache has of some sets: what is gone, and what stays because other sets need it.

    A set of one's own is gone for good; others are downloaded again when they are used.
    """
    mine = own.own_sets()
    kept_for_others = {
        file.home for name in names() if name not in wanted for file in files_of(name) if file.home.exists()
    }
    gone, kept = [], []
    plan = {name: files_of(name) for name in wanted if name not in mine}
    for files in plan.values():
        for file in files:
            if file.home in kept_for_others:
                kept.append(file.home)
            elif file.home.exists():
                gone.append(_discarded(file.home))
    for folder, name in list(_texts()):
        if name in wanted:
            gone.append(_discarded(folder))
    for name in wanted:
        if name in mine:
            gone += own.remove(name)
    return gone, kept


def _discarded(path: Path) -> Path:
    discard(path)
    if path.exists():
        raise CacheError(f"cannot remove {path}: it may not be written")
    return path


def is_built_in(name: str) -> bool:
    """Whether a name belongs to a set or model that truebleu knows by itself."""
    try:
        files_of(name)
    except UnknownTestSet:
        return False
    # Asked last: another process may just have added a set of that name, which the registry then has too.
    return name not in own.own_sets()


def _holding(name: str, file: RemoteFile) -> Holding:
    copies = file.copies
    path = copies[0] if copies else file.home
    kind = "model" if file.folder == "models" else "download"
    if path != file.home:
        kind = "sacreBLEU"
    return Holding(name, kind, path, path.stat().st_size if copies else None)


def _size(path: Path) -> int | None:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.is_file() else None


def _texts() -> Iterator[tuple[Path, str]]:
    """Built folders and the sets they belong to: the longest name on the path, as wmt21/B lies in wmt21."""
    known = sorted([*names(), *own.own_sets()], key=len, reverse=True)
    for folder in built_folders(cache_folder()):
        inside = f"/{folder.relative_to(cache_folder()).as_posix()}/"
        yield (
            folder,
            next((name for name in known if f"/{name}/" in inside or f"/{name.replace('/', '_')}/" in inside), ""),
        )


def _verify_files(name: str, *, missing_too: bool) -> Iterator[Finding]:
    for file in files_of(name):
        copies = file.copies
        for copy in copies:
            yield Finding(copy, problem_of(copy, file), ours=copy == file.home)
        if missing_too and not copies:
            yield Finding(file.home, "is not there")


def _verify_own(mine: own.OwnSet) -> Iterator[Finding]:
    problems = own.problems_of(mine)
    for path in (mine.path, *mine.files):
        yield Finding(path, problems.get(path))


def _packed(name: str) -> Mapping[str, Path]:
    mine = own.own_sets().get(name)
    if mine is None:
        return {f"{file.folder}/{file.filename}": fetch(file) for file in files_of(name)}
    problems = own.problems_of(mine)
    if problems:
        raise InvalidTestSet("\n".join(f"{path} {problem}" for path, problem in problems.items()))
    outside = [path for path in mine.files if path.parent != mine.path.parent]
    if outside:
        raise InvalidTestSet(f"{name!r} uses {outside[0]}, which is not in the cache: add it with `truebleu data add`")
    return {path.relative_to(cache_folder()).as_posix(): path for path in [mine.path, *mine.files]}


def _check_description(bundle: Path, description: Path, force: bool) -> None:
    for new in own.read_description(description):
        if own.description_file(new.name).name != description.name or is_built_in(new.name):
            raise BundleError(
                f"{bundle} has a set {new.name!r} under a name that is not its own; nothing was brought in"
            )
        outside = [path for path in new.files if path.parent != description.parent]
        problems = own.problems_of(new)
        if outside or problems:
            raise BundleError(f"{bundle} lacks files of the set {new.name!r}: {[*outside, *problems][0].name}")
        replaced = own.conflict(new)
        if replaced and not force:
            raise NameTaken(f"{replaced}; replace it with --force, or remove it first")
