"""Language codes: the meaning of a short code in a test set, and the two-letter codes that metrics use.

Test sets write a language in many ways: `de`, `deu`, `deu_Latn`, `de_DE`. The part before the first `_` is the
language; the rest is a script or a country. A two-letter code means the standard language, so `lv` is `lvs` and not
`ltg`.
"""

from collections.abc import Iterable

_THREE_LETTERS = (
    "af:afr ak:aka am:amh ar:ara,arb as:asm ay:aym,ayr az:aze,azj ba:bak be:bel bg:bul bm:bam bn:ben bo:bod bs:bos "
    "ca:cat cs:ces cy:cym da:dan de:deu dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est,ekk eu:eus fa:fas,pes "
    "ff:ful,fuv fi:fin fj:fij fo:fao fr:fra ga:gle gd:gla gl:glg gn:grn gu:guj ha:hau he:heb hi:hin hr:hrv ht:hat "
    "hu:hun hy:hye id:ind ig:ibo io:ido is:isl it:ita ja:jpn jv:jav ka:kat kg:kon ki:kik kk:kaz km:khm kn:kan "
    "ko:kor kr:kau,knc ks:kas ku:kur,kmr ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lv:lav,lvs "
    "mg:mlg,plt mi:mri mk:mkd ml:mal mn:mon,khk mr:mar ms:msa,zsm mt:mlt my:mya nb:nob ne:nep,npi nl:nld nn:nno "
    "no:nor,nob,nno ny:nya oc:oci om:orm,gaz or:ori,ory pa:pan pl:pol ps:pus,pbt pt:por qu:que,quy rn:run ro:ron "
    "ru:rus rw:kin sa:san sc:srd sd:snd se:sme sg:sag si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi,als sr:srp "
    "ss:ssw st:sot su:sun sv:swe sw:swa,swh ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn tr:tur ts:tso "
    "tt:tat tw:twi ug:uig uk:ukr ur:urd uz:uzb,uzn vi:vie vo:vol wo:wol xh:xho yi:yid,ydd yo:yor zh:zho,cmn zu:zul"
)
_BY_TWO = {two: three.split(",") for two, _, three in (entry.partition(":") for entry in _THREE_LETTERS.split())}


def meant_by(code: str, known: Iterable[str]) -> list[str]:
    """Find the codes of a test set that a code may mean: itself, or all those of the language it names.

    >>> meant_by("de", ["deu_Latn", "dan_Latn"]), meant_by("zho", ["zho_Hans", "zho_Hant"])
    (['deu_Latn'], ['zho_Hans', 'zho_Hant'])
    """
    known = list(known)
    languages = {code, *_BY_TWO.get(code, ())}
    return [code] if code in known else [one for one in known if one.partition("_")[0] in languages]


def two_letters(code: str) -> str:
    """Find the two-letter code of a language, without script and country; a language without one keeps its code.

    >>> two_letters("zho_Hans"), two_letters("jpn"), two_letters("pt_BR"), two_letters("ace_Arab")
    ('zh', 'ja', 'pt', 'ace')
    """
    language = code.partition("_")[0]
    return next((two for two, three in _BY_TWO.items() if language in three), language)
