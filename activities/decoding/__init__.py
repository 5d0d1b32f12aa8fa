"""Decoding apart from the worker: whatever reads a stranger's recording does so in a confined process of its own.

``ordering`` is the worker's side, ``decoder`` the process, ``inside`` what its work is made with. What the work is, is
said by the rooms that order it, in an ``inside.py`` of their own: none of them is known here.
"""
