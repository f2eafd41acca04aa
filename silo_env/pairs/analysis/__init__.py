"""What recorded pair dialogues say: the tax, its causes in the conversation, its failure kinds.

After The Collaboration Tax (Sun et al. 2026). Folders of results become scores and conversations,
conversations get labels, and all of them become tables; each step is a pure function.

- ``plans`` makes the plans to run, ``report`` goes the whole way from their results to the tables.
- ``scores``: the tax, the games behind it and the clauses (sections 3, 5.2, 5.5 and 6).
- ``conversations``: one ``Conversation`` for each episode, its messages as text and in sentences.
- ``failures``: the four conversational failures (section 5.3), by the readers of claims in
  ``dialogue/readers``; answers that a model reads again.
- ``models``: what predicts the tax (section 5.4), failures described and grouped (appendix B).

Of ``models`` the files ``ridge``, ``clusters`` and ``cluster_names`` need more than numpy and
scipy: the extra ``analysis``.
"""
