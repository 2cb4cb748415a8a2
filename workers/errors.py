"""Why a command cannot do its work, as a sentence for the person at the terminal."""


class CannotStart(Exception):  # noqa: N818 - named for what happened, as all our refusals
    """Something outside the program keeps a command from starting or continuing.

    The message is one whole sentence. It is printed without a traceback and never holds a secret;
    the exit status is 1.
    """


class WrongArguments(CannotStart):
    """The arguments do not fit each other, or name what does not exist.

    The message follows the usage line, as those of argparse do; the exit status is 2.
    """
