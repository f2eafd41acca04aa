"""What messages claim about an instance, as atoms: the vocabulary of the tasks' readers.

A task names its reader (``PairTask.reader``): one of those here, which serve a shape of tasks, or
one of its own beside it. ``atoms.make_reader`` makes it.
"""
