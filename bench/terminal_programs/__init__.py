"""One program for each contestant of the terminal workloads, run in a process of its own.

So that memory and processor time are the contestant's and nobody else's. All are called as `native/reader.c` is.
"""
