"""sacreBLEU's names over truebleu. An import of this module gives `truebleu.sacrebleu` in its place."""

import sys

if __name__ == "__main__":
    from truebleu.sacrebleu.sacrebleu import main

    main()
else:
    from truebleu.sacrebleu import install

    del sys.modules[__name__]
    install()
