"""Where an instruction begins."""
