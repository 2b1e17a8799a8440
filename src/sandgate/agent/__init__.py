"""A conversation with a model under the gate: a session, a gate and a model put together."""
