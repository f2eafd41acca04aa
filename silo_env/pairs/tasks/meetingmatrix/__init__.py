"""The task ``meetingmatrix``, with what it alone needs."""

from coordgym.silo_env.pairs.tasks.meetingmatrix.task import MeetingMatrix

__all__ = ["MeetingMatrix"]
