"""An example of a package beside guidesmith. Each module is one of its entry points."""
