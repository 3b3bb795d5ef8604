/* The benchmark as a command. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

/* Measures what the options say (--help prints them); argv[0] is the name of the subcommand.  Returns the exit code:
 * 1 if oplus itself gave a wrong result.  Other errors end the command. */
int bench_command(int argc, char **argv);

#endif
