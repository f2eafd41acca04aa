"""The task ``aliasedtaxonomy``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.aliasedtaxonomy.task import AliasedTaxonomy

__all__ = ["AliasedTaxonomy"]
