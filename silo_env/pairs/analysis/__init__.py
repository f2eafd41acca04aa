"""What recorded pair dialogues say: the tax, its causes in the conversation, its failure kinds.

Pure functions on episodes and results, after The Collaboration Tax (Sun et al. 2026).

- ``results`` collects scores from episodes or folders of results; ``plans`` makes the plans to run.
- ``tax``, ``games``, ``clauses`` are the figures of sections 3, 5.2, 5.5 and 6; ``report`` prints
them.
- ``dialogues``, ``atoms``, ``claims``, ``cascade`` find the four conversational failures of section
5.3.
- ``features``, ``ridge`` predict the tax from the shape of conversations (section 5.4).
- ``descriptions``, ``clusters`` group failed dialogues (appendix B).

Only ``ridge`` and ``clusters`` need more than numpy and scipy: the extra ``analysis``.
"""
