"""The version that the face answers for: programs ask `sacrebleu.__version__` and choose their way by it."""

__version__ = version = "2.6.0"
__version_tuple__ = version_tuple = (2, 6, 0)
__commit_id__ = commit_id = None
