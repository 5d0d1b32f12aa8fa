"""Work on data that nobody vouches for, in a process that can harm nothing and outlives nobody.

``outside`` starts such a process and watches over it; ``inside`` is what it does to itself before it reads a byte.
"""
