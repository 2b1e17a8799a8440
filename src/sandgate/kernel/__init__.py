"""What the kernel offers, one idea a file. Facts and obedience, no opinions."""
