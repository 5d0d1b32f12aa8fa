"""How it is installed elsewhere: requirements by role (``requirements``), and a Helm chart (``chart``)."""
