"""What the client does, without doing it: a flow says which request comes next and is given its answer. The blocking
client and the asynchronous one run the same flows: ``asking`` has what all stand on, then there is a module a topic."""
