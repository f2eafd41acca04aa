"""What an environment of text is: the base class, its hooks, spaces and checks of calls."""
