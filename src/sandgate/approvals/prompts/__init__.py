"""The words of a question, for a terminal, a form and a small screen: pure text."""
