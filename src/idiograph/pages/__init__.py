"""The pages: a second door to the library beside the command line, in a browser on this machine alone. No science."""
