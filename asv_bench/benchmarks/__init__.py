"""Benchmarks for asv, one file per stem of the project. They run on old commits too."""
