"""One agent: a conversation with a model whose tool calls pass the gate, kept so that it can go on another day."""
