"""What is said: reading answers from messages, quotations, markup; what a dialogue ended with."""
