"""``python -m doctorch``, which is also how torchrun starts it."""

from doctorch.cli import main

if __name__ == "__main__":
    main()
