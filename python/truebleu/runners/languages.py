"""The languages that a learned metric's encoder was pretrained on, as its authors list them.

XLM-R's hundred languages (Conneau et al., 2020.acl-main.747) are 93 codes: five count again in Latin letters, Chinese
and Burmese again in another writing. mT5's are 101 (Xue et al., 2021.naacl-main.41). A metric's own training data has
far fewer; what it does with the others, it has learned from its encoder.

>>> is_known("comet", "liv"), is_known("comet", "deu_Latn"), is_known("metricx", "zh-TW"), is_known("bertscore", "de")
(False, True, True, None)
"""

from __future__ import annotations

_BOTH = (
    "af am ar az be bg bn ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hu hy id is it ja jv ka kk "
    "km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no pa pl ps pt ro ru sd si sk sl so sq sr su sv sw ta te th "
    "tr uk ur uz vi xh yi zh"
)
XLM_R = frozenset(f"{_BOTH} as br bs hr om or sa tl ug".split())
MT5 = frozenset(f"{_BOTH} ceb co tl haw hmn ht ig lb mi mt ny sm sn st tg yo zu".split())

# Codes of three letters, and others, for languages above that have one of two.
_CODES = (
    "afr:af amh:am ara:ar arb:ar asm:as aze:az azj:az bel:be bul:bg ben:bn bre:br bos:bs cat:ca cos:co ces:cs "
    "cym:cy dan:da deu:de ell:el eng:en epo:eo spa:es est:et ekk:et eus:eu fas:fa pes:fa fin:fi fra:fr fry:fy "
    "gle:ga gla:gd glg:gl guj:gu hau:ha heb:he iw:he hin:hi hrv:hr hat:ht hun:hu hye:hy ind:id in:id ibo:ig isl:is "
    "ita:it jpn:ja jav:jv jw:jv kat:ka kaz:kk khm:km kan:kn kor:ko kur:ku kmr:ku kir:ky lat:la ltz:lb lao:lo "
    "lit:lt lav:lv lvs:lv mlg:mg plt:mg mri:mi mkd:mk mal:ml mon:mn khk:mn mar:mr msa:ms zsm:ms mlt:mt mya:my "
    "nep:ne npi:ne nld:nl nor:no nob:no nno:no nb:no nn:no nya:ny orm:om gaz:om ori:or ory:or pan:pa pol:pl pus:ps "
    "pbt:ps por:pt ron:ro rus:ru san:sa snd:sd sin:si slk:sk slv:sl smo:sm sna:sn som:so sqi:sq als:sq srp:sr "
    "sot:st sun:su swe:sv swa:sw swh:sw tam:ta tel:te tgk:tg tha:th tgl:tl fil:tl tur:tr uig:ug ukr:uk urd:ur "
    "uzb:uz uzn:uz vie:vi xho:xh yid:yi ydd:yi yor:yo zho:zh cmn:zh zul:zu"
)
_ALIASES = dict(pair.split(":") for pair in _CODES.split())
_OF_SCRIPT = {"comet": ("XLM-R", XLM_R), "metricx": ("mT5", MT5)}


def is_known(script: str, language: str) -> bool | None:
    """Tell whether a language is on the list of a runner's encoder; None if there is no list of it."""
    code = language.lower().replace("_", "-").partition("-")[0]
    return _ALIASES.get(code, code) in _OF_SCRIPT[script][1] if script in _OF_SCRIPT and code else None


def encoder_of(script: str) -> str:
    """The name of the encoder whose list it is."""
    return _OF_SCRIPT[script][0]
