"""The boundary: each module validates memory, releases the GIL, calls C, and raises."""
