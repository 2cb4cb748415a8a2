"""What holds for every test."""

from hypothesis import settings

# A busy machine is no bug: tests say themselves how long something may take. A failing example
# is printed so that it can be run again.
settings.register_profile("rummy500", deadline=None, print_blob=True)
settings.load_profile("rummy500")
