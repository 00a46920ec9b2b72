"""What ./crawler starts: everything is in the package bootstrap beside this file."""

from bootstrap.main import main

if __name__ == "__main__":
    main()
