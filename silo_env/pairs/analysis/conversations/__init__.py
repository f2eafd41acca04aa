"""Recorded dialogues as text, utterances and outcomes."""
