"""Messages between neighbours in synchronous rounds."""

from collections.abc import Sequence

from coordgym.silo_env.graph.networks.network import Network


class Mail:
    """Holds what was written and what arrived, and counts it.

    Args:
        network: Who is whose neighbour.

    Attributes:
        outboxes: For each agent, its texts of this round by neighbour's name.
        inboxes: For each agent, the texts that the last round delivered, by sender's name.
        sent: Messages sent so far.
        characters: Their characters.
        lost: Messages that were lost on their way.
        spoke: For each agent, whether it ever sent a message.
    """

    def __init__(self, network: Network) -> None:
        count = len(network.names)
        self._network = network
        self.outboxes: list[dict[str, str]] = [{} for _ in range(count)]
        self.inboxes: list[dict[str, str]] = [{} for _ in range(count)]
        self.sent = self.characters = self.lost = 0
        self.spoke = [False] * count

    def deliver(self, lost: Sequence[bool] | None) -> None:
        """Move all messages at once.

        Args:
            lost: For each directed edge, receivers in order and for each its neighbours in
                order, whether a message on it is lost now; None = nothing is lost.
        """
        names = self._network.names
        edge = 0
        for receiver, around in enumerate(self._network.neighbours):
            inbox = {}
            for sender in around:
                message = self.outboxes[sender].get(names[receiver])
                if message is not None:
                    self.sent += 1
                    self.characters += len(message)
                    if lost is not None and lost[edge]:
                        self.lost += 1
                    else:
                        inbox[names[sender]] = message
                edge += 1
            self.inboxes[receiver] = inbox
        for sender, outbox in enumerate(self.outboxes):
            if outbox:
                self.spoke[sender] = True
                self.outboxes[sender] = {}
