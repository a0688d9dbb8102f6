"""What was measured, against which bar, on which machine: `python -m benchmarks [--quick] [section …]`."""
