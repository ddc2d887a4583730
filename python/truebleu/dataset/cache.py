"""The contents of the cache: which sets and models are there, where, and whether they are sound."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from truebleu._atomic import discard
from truebleu._logs import warn
from truebleu._shown import shown
from truebleu.dataset import registry, user_sets
from truebleu.dataset.registry import Definition, read, remote_file, user_folder
from truebleu.errors import BundleError, CacheError, InvalidTestSet, NameTaken, UnknownTestSet
from truebleu.store.built_once import built_folders, folder_problem, recorded
from truebleu.store.bundle import Bundle, pack, unpack_bundle
from truebleu.store.config import cache_folder
from truebleu.store.files import RemoteFile, digest_of, digest_problem, fetch, no_data, problem_of


@dataclass(frozen=True)
class Holding:
    """A file or folder of a set: its place in the cache, and its size if it is there."""

    name: str
    kind: str
    path: Path
    bytes: int | None


@dataclass(frozen=True)
class Checked:
    """The result of a check: None, or the fault. Files of sacreBLEU's cache are not ours to repair."""

    path: Path
    problem: str | None
    ours: bool = True


def files_of(name: str) -> list[RemoteFile]:
    """The files that a set or a SentencePiece model is made from."""
    from truebleu.tokenizers.spm import MODELS

    return [MODELS[name]] if name in MODELS else registry.remote_files(name)


def names() -> list[str]:
    """All sets and models, except the user's own."""
    from truebleu.tokenizers.spm import MODELS

    mine = user_sets.own_sets()
    return [*(name for name in registry.set_names() if name not in mine), *(name for name in MODELS if name != "spm")]


def holdings(wanted: Sequence[str] = ()) -> list[Holding]:
    """The cached files of all sets, or of the named sets; for named sets, missing files are listed too."""
    mine = user_sets.own_sets()
    found = []
    for name in wanted or [*names(), *mine]:
        if wanted and name not in mine and name in registry.set_names():
            found += [Holding(name, "package", path, _size(path)) for path in registry.packaged_files(name)]
        if name in mine:
            found += [Holding(name, "own", path, _size(path)) for path in user_sets.paths_of(mine[name])]
        found += [_holding(name, file) for file in _remote_files(name, mine)]
    found += [Holding(name, "text", folder, _size(folder)) for folder, name in _texts() if not wanted or name in wanted]
    return [holding for holding in found if wanted or holding.bytes is not None]


def verify(wanted: Sequence[str] = ()) -> Iterator[Checked]:
    """Read all cached files, or those of some sets, and compare them with their checksums."""
    mine = user_sets.own_sets()
    seen: set[Path] = set()
    for name in wanted or [*names(), *mine]:
        for finding in _verify(name, mine, missing_too=bool(wanted)):
            if finding.path not in seen:
                seen.add(finding.path)
                yield finding
    for folder, name in _texts():
        if not wanted or name in wanted:
            problem = folder_problem(folder)
            # Sound by its own manifest, which other users of a shared cache can write.
            strange = problem is None and folder_problem(folder, (), recorded(folder)) is not None
            advice = "was not made by you: its next use makes it again from the archive and compares"
            yield Checked(folder, advice if strange else problem, ours=not strange)
    if not wanted:
        for path, problem in user_sets.damaged_descriptions().items():
            yield Checked(path, problem)


def pack_sets(wanted: Sequence[str], target: Path) -> Bundle:
    """Write a bundle with everything that the named sets need; missing files are downloaded first."""
    kept = {name: why for name in wanted if (why := not_packed(name)) is not None}
    if len(kept) == len(set(wanted)):
        raise BundleError("; ".join(f"{name} is not packed: {why}" for name, why in kept.items()))
    for name, why in kept.items():
        warn("%s is left out of the bundle: %s", name, why)
    contents = {name: _packed(name) for name in wanted if name not in kept}
    if not any(contents.values()):
        each = "it comes with truebleu, so that every machine with truebleu has it already"
        raise BundleError("; ".join(f"{name} is not packed: {each}" for name in contents))
    return pack(contents, target)


def not_packed(name: str) -> str | None:
    """Say why a set may not be put into a bundle, or None if it may."""
    from truebleu.tokenizers.spm import MODELS

    if name in MODELS or (one := registry.definition(name)).rehost:
        return None
    return f"{one.request or 'its makers do not allow copies.'} Each machine fetches it from where it is published."


def unseen_sets() -> list[str]:
    """Name the sets with files whose SHA-256 is neither published nor recorded here yet."""
    unseen = (one.name for one in registry.definitions() if any(file.unseen for file in one.files))
    return [name for name in unseen if all(file.unseen for file in registry.remote_files(name))]


def unpack_sets(path: Path, *, force: bool = False) -> Bundle:
    """Copy the sets of a bundle into the cache. The user's own sets replace others only with `force`."""

    def check(folder: Path, bundle: Bundle) -> None:
        known = [file for name in names() for file in files_of(name)]
        allowed: dict[str, RemoteFile | None] = {file.below: file for file in known}
        for description in sorted(folder.glob("registry/*.json")):
            allowed |= _described(path, description, force)
        for content in bundle.files:
            if content.path not in allowed:
                raise BundleError(
                    f"{path} has a file {shown(repr(content.path))}, which belongs to no set "
                    "that truebleu knows or the bundle describes; the cache is unchanged"
                )
            if (file := allowed[content.path]) is not None:
                _check_raw(path, folder / content.path, file)

    before = user_sets.own_sets()
    bundle = unpack_bundle(path, check)
    for name, now in user_sets.own_sets().items():
        if name in bundle.sets and name in before:
            user_sets.drop_old_files(before[name], now)
    return bundle


def remove(wanted: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Remove the files of some sets: return the removed ones, and those that stay because other sets need them.

    A user's own set is deleted for good; others are downloaded again when they are used.
    """
    mine = user_sets.own_sets()
    kept_for_others = {
        file.home for name in names() if name not in wanted for file in files_of(name) if file.home.exists()
    }
    gone, kept = [], []
    for file in [file for name in wanted for file in _remote_files(name, mine)]:
        if file.home in kept_for_others:
            kept.append(file.home)
        elif file.home.exists():
            gone.append(_discarded(file.home))
    for folder, name in list(_texts()):
        if name in wanted:
            gone.append(_discarded(folder))
    for name in wanted:
        if name in mine:
            gone += user_sets.remove(name)
    return gone, kept


def _discarded(path: Path) -> Path:
    discard(path)
    if path.exists():
        raise CacheError(f"cannot remove {path}: it may not be written")
    return path


def is_built_in(name: str) -> bool:
    """Whether a name belongs to a built-in set or model."""
    try:
        files_of(name)
    except UnknownTestSet:
        return False
    # Checked last: another process may just have added a set of that name, which the registry then has too.
    return name not in user_sets.own_sets()


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
    known = sorted([*names(), *user_sets.own_sets()], key=len, reverse=True)
    for folder in built_folders(cache_folder()):
        inside = f"/{folder.relative_to(cache_folder()).as_posix()}/"
        yield (
            folder,
            next((name for name in known if f"/{name}/" in inside or f"/{name.replace('/', '_')}/" in inside), ""),
        )


def _remote_files(name: str, mine: Mapping[str, Definition]) -> list[RemoteFile]:
    """The files of a set or model that come from the network; most of the user's own sets have no such files."""
    return [] if name in mine and not any(file.url for file in mine[name].files) else files_of(name)


def _verify(name: str, mine: Mapping[str, Definition], *, missing_too: bool) -> Iterator[Checked]:
    if name in mine:
        problems = user_sets.problems_of(mine[name])
        for path in user_sets.paths_of(mine[name]):
            yield Checked(path, problems.get(path))
    for file in _remote_files(name, mine):
        copies = file.copies
        for copy in copies:
            yield Checked(copy, problem_of(copy, file), ours=copy == file.home)
        if missing_too and not copies:
            yield Checked(file.home, "is not there")


def _packed(name: str) -> Mapping[str, Path]:
    mine = user_sets.own_sets()
    packed = {file.below: fetch(file) for file in _remote_files(name, mine)}
    if name not in mine:
        return packed
    problems = user_sets.problems_of(mine[name])
    if problems:
        raise InvalidTestSet("\n".join(f"{path} {problem}" for path, problem in problems.items()))
    paths = user_sets.paths_of(mine[name])
    outside = [path for path in paths if path.parent != user_folder()]
    if outside:
        raise InvalidTestSet(f"{name!r} uses {outside[0]}, which is not in the cache: add it with `truebleu data add`")
    if not user_sets.stands_alone(mine[name]):
        raise InvalidTestSet(f"{name!r} has no description of its own in {paths[0]}: add it with `truebleu data add`")
    return packed | {path.relative_to(cache_folder()).as_posix(): path for path in paths}


def _check_raw(bundle: Path, copy: Path, file: RemoteFile) -> None:
    """A file from the network must have its checksum, and may replace only a damaged file."""
    known = file.sha256 or file.md5 or file.git_blob
    problem = digest_problem(copy, file.sha256, file.md5, file.git_blob) if known else (file.check or no_data)(copy)
    if problem is None and file.home.exists() and digest_of(copy) != digest_of(file.home):
        sound = problem_of(file.home, file) is None
        problem = f"differs from {file.home}, which is sound; remove that first" if sound else None
    if problem is not None:
        raise BundleError(f"{bundle}: {file.below} {problem}; the cache is unchanged")


def _described(bundle: Path, description: Path, force: bool) -> dict[str, RemoteFile | None]:
    """The files that a description in a bundle allows: itself, the files beside it, and those of the network."""
    nothing = "the cache is unchanged"
    try:
        (new,) = read(description)
    except ValueError as error:  # an InvalidTestSet, or not one set
        raise BundleError(f"{bundle} has an invalid description: {error}; {nothing}") from error
    if user_sets.description_file(new.name).name != description.name or is_built_in(new.name):
        raise BundleError(f"{bundle} has a set {new.name!r} under a name that is not its own; {nothing}")
    paths = user_sets.paths_of(new)
    wrong = [*(path for path in paths if path.parent != description.parent), *user_sets.problems_of(new)]
    if wrong:
        raise BundleError(f"{bundle} lacks files of the set {new.name!r}: {wrong[0].name}; {nothing}")
    replaced = user_sets.conflict(new)
    if replaced and not force:
        raise NameTaken(f"{replaced}; replace it with --force, or remove it first")
    before = user_sets.own_sets().get(new.name)
    mine = user_sets.paths_of(before) if before else []
    for path in paths:
        there = user_folder() / path.name
        if there not in mine and there.exists() and digest_of(there) != digest_of(path):
            raise BundleError(f"{bundle} would replace {there}, which belongs to another set; {nothing}")
    remote = [remote_file(new, file) for file in new.files if file.url]
    return {**{f"registry/{path.name}": None for path in paths}, **{file.below: file for file in remote}}
