"""python -m idiograph"""

from idiograph.cli import main

if __name__ == "__main__":
    main()
