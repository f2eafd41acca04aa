"""``python -m coordgym`` is the command line."""

from coordgym.cli import main

if __name__ == "__main__":
    main()
