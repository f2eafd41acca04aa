"""What the family's package exports."""

import subprocess
import sys


def test_what_the_family_exports_is_loaded_on_first_use() -> None:
    script = (
        "import sys, coordgym.silo_env.pairs as pairs\n"
        "loaded = [m for m in sys.modules if m.startswith('coordgym.silo_env.pairs.')]\n"
        "assert loaded == ['coordgym.silo_env.pairs.table'], loaded\n"
        "assert all(hasattr(pairs, name) for name in pairs.__all__)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
