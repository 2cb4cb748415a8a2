"""What keeps a command from doing its work, said in a sentence."""


class CannotStart(Exception):  # noqa: N818 - named for what happened, as all our refusals
    """Something outside the program keeps a command from starting or going on.

    The message is one whole sentence for the person at the terminal. It is printed without a
    traceback and never holds a secret; the exit status is 1.
    """
