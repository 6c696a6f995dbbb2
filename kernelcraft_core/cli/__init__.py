"""The command `kc`: `main` finds the subcommands, one module each."""
