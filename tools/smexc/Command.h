// What smexc's subcommands share.
#ifndef SMEX_TOOLS_SMEXC_COMMAND_H
#define SMEX_TOOLS_SMEXC_COMMAND_H

#include "dialects/support/Program.h"

#include <CLI/CLI.hpp>

namespace smex::tools {

/// The exit status after what parse() threw: help and version are printed, as
/// asked for; anything else is one message.
int parseError(const CLI::App &app, const CLI::ParseError &error);

/// --spare, a share from 0 to less than 1.
void declareSpare(CLI::App &app, double &spare);

/// The names of all subcommands, with this between them.
std::string subcommandNames(const std::string &between);

// Each takes the arguments after the subcommand's name and returns the exit
// status.
int compileCommand(int argc, char **argv);
int inspectCommand(int argc, char **argv);
int checkCommand(int argc, char **argv);
int diffCommand(int argc, char **argv);
int opsCommand(int argc, char **argv);
int placeCommand(int argc, char **argv);
int simulateCommand(int argc, char **argv);

} // namespace smex::tools

#endif
