"""`python -m dpverify` is the command line, where the command is not on the path."""

from dpverify.verifiers.command_line import main

if __name__ == "__main__":
    main()
