"""A static site of several guides, which opens from a disk: no server, no network, and no script but for its search.

``page`` makes of one guide what the site needs of it, in a worker, as an export of its own; ``assembling`` puts those
of several together, with an index. Nothing is imported here.
"""
