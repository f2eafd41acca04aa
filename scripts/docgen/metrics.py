"""What the figures of an episode mean, checked against what environments really report."""

from coordgym.data.tables import markdown_table
from docgen.episodes import played
from docgen.markdown import code

COMMON = {
    "success": "Whether the task was solved, strictly.",
    "score": "The figure in the family's own scale.",
    "rounds": "Rounds completed.",
    "messages": "Messages, as the family counts them.",
    "invalid_actions": "Answers of which at least a part could not be read or was not allowed.",
}
"""Figures that every family has; a family may say more about them."""
FAMILIES: dict[str, dict[str, str]] = {
    "silo": {
        "success": "Every agent's answer is right.",
        "score": "The same as S.",
        "messages": "Transfers: one per delivered message, per recipient of a broadcast, per "
        "read of a version that another agent wrote last.",
        "S": "Share of agents whose answer is right.",
        "P": "Mean partial credit.",
        "C": "Output tokens of all agents over the limit on rounds; NaN here, since only the "
        "runner knows tokens (`Episode.totals`).",
        "D": "Transfers over N(N − 1), the density of the traffic.",
        "sends": "Messages, broadcasts or file versions sent off.",
        "messages_per_agent": "Transfers over N.",
        "redundancy": "Transfers over the fewest messages that solve the task.",
        "success_as_published": "Success by the published benchmark's rule: JSON only, equality "
        "without tolerance.",
        "rounds_to_completion": "Round in which the last agent submitted; NaN if one did not.",
        "premature": "Some agent submitted before the data that its answer depends on could "
        "have reached it.",
        "consensus_failure": "Agents submitted different answers (not in segmented tasks).",
        "computation_error": "Some agent answered wrongly although the data that its answer "
        "depends on could have reached it: a message counts as holding all that its sender knew, "
        "whatever it says.",
        "unsubmitted": "Some agent did not submit.",
        "leader": "The agent that received over 1.5 times the mean number of messages, if any.",
        "verification": "Whether a message speaks of checking or confirming.",
        "strategy_discussion": "Whether a message speaks of a plan, a leader, a protocol …",
    },
    "graph": {
        "success": "Every agent gave a valid answer and the network satisfies the task.",
        "score": "Graded, 0..1, by the task.",
        "messages": "Messages sent.",
        "coverage": "How much is in order, 0..1, by the task.",
        "redundancy": "Share of those who take a role although nobody needs them to, 0..1.",
        "conflicts": "What is wrong, counted by the task.",
        "characters": "Characters in all messages.",
        "lost_messages": "Messages that the option `loss` dropped.",
        "parse_failures": "Texts that could not be read, repeats included.",
        "failed_messages": "Rounds that an agent stayed silent in because its text was unreadable.",
        "failed_answers": "Agents without an answer because their text was unreadable.",
        "silent_agents": "Agents that never sent a message.",
    },
    "pairs": {
        "success": "The answer is optimal.",
        "score": "The grade, 0..1; 1.0 only for an optimal answer.",
        "messages": "Messages delivered.",
        "exact": "`success` as a number.",
        "literal": "Valid moves over the optimal number, at most 1 (path tasks).",
        "weighted": "Share of the optimal distance overcome (path tasks).",
        "scheme": "Which of sixteen coordinate conventions, 0..15, read the answer best.",
        "exchanges": "Messages per agent, rounded up.",
        "ended_by": "Who said ACTI!.",
        "capped": "Whether the limit on exchanges ended the dialogue.",
        "no_answer": "Whether no answer was found.",
        "answer": "The graded answer, as JSON.",
        "answer_source": "Where it was found: a FINAL ANSWER, or prose.",
    },
    "swarm": {
        "success": "The task's target is reached (score, or finished); None: not judged.",
        "score": "The task's score, see the table of tasks.",
        "messages": "Messages spoken.",
        "directional_entropy": "Entropy of the four moves, in bits.",
        "stillness_proportion": "Share of STAY.",
        "dominant_action_proportion": "Share of the most frequent of four moves and STAY.",
        "polarization_index": "Length of the mean move.",
        "message_length_mean": "Characters per message.",
        "message_length_std": "Their standard deviation within a round.",
        "question_proportion": "Share of messages with a question mark.",
        "digit_proportion": "Share of digits among characters.",
        "information_homogeneity": "Mean cosine between the messages of a round.",
        "mean_embedding_norm": "Mean length of the messages' vectors.",
        "mean_displacement": "Cells that an agent moved in a round.",
        "cumulative_displacement": "The same, summed over the episode.",
        "exploration_count": "Different cells visited by the team.",
        "structure_preservation": "Pairs that stay next to each other from round to round.",
        "push_events": "Times that an agent pushed another one on.",
        "action_gini": "How unevenly an agent uses the four moves.",
        "visibility_components": "Groups of agents that see each other.",
        "separation_force": "How crowded agents are.",
        "edit_consistency": "1 − mean edit distance between the messages of a round.",
        "homogeneity_gain": "Homogeneity of the last fifth of the rounds minus the first fifth.",
        "edit_consistency_gain": "The same for the edit consistency.",
    },
}


def metrics(family: str) -> str:
    """Write the figures of a family.

    Raises:
        SystemExit: If an episode reports other figures than are described here.
    """
    meanings = COMMON | FAMILIES[family]
    reported = list(played(family).metrics)
    if set(reported) != set(meanings):
        differing = sorted(set(reported) ^ set(meanings))
        raise SystemExit(f"docgen/metrics.py and {family} differ in {', '.join(differing)}")
    return markdown_table(
        ("figure", "meaning"), [(code(name), meanings[name]) for name in reported]
    )
