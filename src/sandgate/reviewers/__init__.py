"""Who answers a question: prepared answers, a coroutine, the person at the terminal, a model in place of a person."""
