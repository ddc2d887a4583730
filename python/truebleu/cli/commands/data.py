"""`truebleu data`: manage the cache, carry it to machines without a network, add your own sets."""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from truebleu._counts import number_of
from truebleu._shown import shown, shown_address
from truebleu.cli.flags import Section
from truebleu.cli.main import Command
from truebleu.cli.progress import Progress
from truebleu.dataset import cache, registry, user_sets
from truebleu.dataset.registry import user_folder
from truebleu.errors import NameTaken
from truebleu.metrics.options import Flag, flag, switch
from truebleu.store.config import cache_folder, config_file, is_offline, mirrors, sacrebleu_folder
from truebleu.store.download import TOKENS

DAMAGED = 1


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


# --- the commands -----------------------------------------------------------------------------


def _list(arguments: argparse.Namespace) -> int:
    found = [holding for holding in cache.holdings() if holding.bytes is not None]
    width = max([len(holding.name) for holding in found], default=0)
    for holding in found:
        size = _readable(holding.bytes or 0)
        print(f"{holding.name or '-':{width}}  {holding.kind:9}  {size:>9}  {_below(holding.path)}")
    ours = {holding.path: holding.bytes or 0 for holding in found if holding.kind != "sacreBLEU"}
    total = sum(ours.values())  # Each file once: sets share them.
    print(f"{_readable(total)} in {cache_folder()}" if found else f"nothing is cached in {cache_folder()}")
    if not found:
        print(
            "'truebleu --list' shows all test sets, 'truebleu --download SET' fetches one, and so does its first use."
        )
        print("The set demo comes with truebleu and needs no cache.")
    for name in cache.unseen_sets():
        print(f"{name} has no published SHA-256; that of the first download is kept and required later")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    for one in [registry.definition(name) for name in arguments.sets]:
        print(f"{one.name}: {shown(one.description, longest=1_000)}")
        for key, value in _facts(one):
            print(f"  {key:9} {shown(value, longest=1_000)}")
    return 0


def _facts(one: registry.Definition) -> Iterator[tuple[str, str]]:
    rule = one.pairs.languages if isinstance(one.pairs, registry.PairsByRule) else ()
    yield "pairs", f"any two of {len(rule)} languages" if rule else ", ".join(one.pairs)
    yield "unit", one.unit
    yield "licence", (one.licence or "not recorded") + (", not for commercial use" if one.noncommercial else "")
    if one.request:
        yield "request", one.request
    if one.canary:
        yield "canary", one.canary
    if one.gated:
        yield "gated", f"needs a token in {' or '.join(TOKENS.values())}"
    yield "packed", "yes" if one.rehost else "no: each machine fetches it from where it is published"
    unseen = [file.filename for file in registry.remote_files(one.name) if file.unseen]
    if unseen:
        how = "the Git blob is known" if all(file.git_blob for file in one.files) else "the first download is trusted"
        yield "unseen", f"{number_of(len(unseen), 'file')} without a known SHA-256; {how}"
    first = shown_address(one.files[0].url or one.files[0].package or one.files[0].path)
    yield "files", f"{first} and {len(one.files) - 1} more" if len(one.files) > 1 else first


def _where(arguments: argparse.Namespace) -> int:
    if not arguments.sets:
        print(f"cache      {cache_folder()}")
        print(f"own sets   {user_folder()}")
        print(f"settings   {config_file()}" + ("" if config_file().exists() else " (none)"))
        print(f"sacreBLEU  {sacrebleu_folder()} (read only)")
        print(f"mirrors    {_whole(' '.join(mirrors())) or '(none)'}")
        print(f"network    {'not used (offline)' if is_offline() else 'used when needed'}")
        return 0
    for holding in cache.holdings(arguments.sets):
        print(_whole(holding.path) + ("" if holding.bytes is not None else "  (not there)"))
    return 0


def _verify(arguments: argparse.Namespace) -> int:
    sound = damaged = 0
    for finding in cache.verify(arguments.sets):
        if finding.problem is None:
            sound += 1
        elif finding.ours:
            damaged += 1
            print(f"DAMAGED {_whole(finding.path)} {_whole(finding.problem)}")
        else:
            print(f"not used: {_whole(finding.path)} {_whole(finding.problem)}")
    print(f"{sound} sound, {damaged} damaged")
    if damaged:
        print("Damaged files are downloaded or made again when they are next used, if possible.", file=sys.stderr)
    return DAMAGED if damaged else 0


def _pack(arguments: argparse.Namespace) -> int:
    with Progress():
        bundle = cache.pack_sets(arguments.sets, arguments.output)
    size = _readable(arguments.output.stat().st_size)
    print(f"{arguments.output}: {number_of(len(bundle.files), 'file')} of {number_of(len(bundle.sets), 'set')}, {size}")
    return 0


def _unpack(arguments: argparse.Namespace) -> int:
    bundle = cache.unpack_sets(arguments.bundle, force=arguments.force)
    print(f"{number_of(len(bundle.files), 'file')} brought into {cache_folder()}: {shown(', '.join(bundle.sets))}")
    return 0


def _add(arguments: argparse.Namespace) -> int:
    if cache.is_built_in(arguments.name):
        raise NameTaken(f"{arguments.name!r} is one of truebleu's own names: choose another, for example lab/news24")
    given = vars(arguments)
    added = user_sets.add(
        arguments.files,
        arguments.name,
        arguments.language_pair,
        **{name: given[name] for name in ("version", "description", "force", "columns", "labels", "licence")},
        metadata={name: given[name] for name in user_sets.METADATA if given[name] is not None},
    )
    for note in added.notes:
        print(f"note: {shown(note)}", file=sys.stderr)
    state = "added" if added.changed else "is there already"
    texts = f"{number_of(added.segments, 'segment')}, {number_of(len(added.references), 'reference')}"
    print(f"{added.definition.name} {added.pair} {state}: {texts}, version {added.definition.version}")
    print(f"content {added.definition.content_hash}")
    print(f"licence {shown(added.definition.licence or 'not recorded')}")
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    gone, kept = cache.remove(arguments.sets)
    for path in gone:
        print(f"removed {_whole(path)}")
    for path in kept:
        print(f"kept {_whole(path)}, which other sets use")
    if not gone and not kept:
        print("nothing of it was cached")
    return 0


def _below(path: Path) -> str:
    return _whole(path.relative_to(cache_folder()) if path.is_relative_to(cache_folder()) else path)


def _whole(text: object) -> str:
    """Others may have given a file its name, so it is shown; whole, because paths are copied and pasted."""
    return shown_address(text, longest=10_000)


def _readable(size: int) -> str:
    """A size for people.

    >>> _readable(999), _readable(1_234_567)
    ('999 B', '1.2 MB')
    """
    amount, units = float(size), ["B", "kB", "MB", "GB", "TB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.0f} B" if units[0] == "B" else f"{amount:.1f} {units[0]}"


_OFFLINE = switch("--offline", default=argparse.SUPPRESS, help="never touch the network (TRUEBLEU_OFFLINE=1)")
_HIDDEN = switch("--offline", help=argparse.SUPPRESS)  # before the command too

_ADD = (
    flag(
        "files", nargs="+", type=Path, metavar="FILE",
        help="one .jsonl, .json, .tsv or .csv file with all columns, or plain files: the source, then the references",
    ),
    flag("--name", required=True, help="the name of the set, for example lab/news24"),
    flag("--language-pair", "-l", required=True, metavar="PAIR", help="for example en-de"),
    flag("--version", metavar="V", help="of the set (default: 1, or that of the existing set)"),
    flag("--description", metavar="TEXT", help="a description of the set"),
    flag("--licence", metavar="TEXT", help="the licence, for example 'CC BY 4.0'"),
    switch("--force", help="replace another version of the same name"),
    flag("--columns", type=_words, metavar="A,B,...", help="of a table without a header; _ is not used"),
    flag("--labels", type=_words, metavar="A,B,...", help="of the references in plain files"),
    *(
        flag(f"--{name}", type=Path, metavar="FILE", help=f"a plain file with the {name} of every segment")
        for name in user_sets.METADATA
    ),
)  # fmt: skip


def _command(name: str, action: Callable[[argparse.Namespace], int], about: str, *flags: Flag) -> Command:
    return Command(name, (Section("", (*flags, _OFFLINE)),), action, about)


def _sets(nargs: str, about: str = "names of test sets") -> Flag:
    return flag("sets", nargs=nargs, metavar="SET", help=about)


COMMAND = Command(
    "truebleu data",
    (Section("", (_HIDDEN,)),),
    about="Manage test sets: the cache, sets of your own, and bundles for machines without a network.",
    example="list",
    settings={"allow_abbrev": True},
    commands=(
        _command("list", _list, "list the contents of the cache, with sizes"),
        _command(
            "show", _show, "show licence, unit, languages, checksums of sets, and requests of their makers",
            _sets("+"),
        ),
        _command("where", _where, "show the place of the cache, or of the files of some sets", _sets("*")),
        _command(
            "verify", _verify,
            "read all cached files and compare them with their checksums; exit 1 if one is damaged",
            _sets("*", "only these, which must be there"),
        ),
        _command(
            "pack", _pack, "put sets, and models of tokenizers, into one file for machines without a network",
            _sets("+"), flag("--output", "-o", type=Path, required=True, metavar="BUNDLE", help="the file"),
        ),
        _command(
            "unpack", _unpack, "copy the files of a bundle from `pack` into the cache, all of them or none",
            flag("bundle", type=Path, metavar="BUNDLE", help="the file that `pack` made"),
            switch("--force", help="replace sets of your own that differ"),
        ),
        _command("add", _add, "add a test set of your own, to be used by name like any other", *_ADD),
        _command("remove", _remove, "remove sets from the cache; those of your own are gone for good", _sets("+")),
    ),
)  # fmt: skip
