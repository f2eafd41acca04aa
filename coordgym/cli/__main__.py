"""``python -m coordgym.cli``."""

from coordgym.cli import main

if __name__ == "__main__":
    main()
