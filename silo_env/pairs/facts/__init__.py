"""The vocabulary of fact tasks: sentences, names, links, answers in prose, checks of instances."""
