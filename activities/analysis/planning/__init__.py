"""Requirements in words become plans: the rule-based planner, and the model's."""
