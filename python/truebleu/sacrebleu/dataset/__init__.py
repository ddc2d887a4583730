"""sacreBLEU's test sets. As in sacreBLEU, the modules are attributes without an import of their own."""

from truebleu._lazy import attach

__getattr__, __dir__ = attach(__name__)
