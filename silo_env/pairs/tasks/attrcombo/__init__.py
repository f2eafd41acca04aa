"""The task ``attrcombo``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.attrcombo.task import AttrCombo

__all__ = ["AttrCombo"]
