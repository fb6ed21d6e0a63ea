#!/usr/bin/env node
import { runProgram } from './commands/run-program.ts';
import { ownTerminal } from './commands/terminal.ts';

// What the program makes is for its user alone: database, uploads, the secret, backups.
process.umask(0o077);

const code = await runProgram(process.argv.slice(2), ownTerminal);
if (code !== 0) process.exit(code); // What could not be closed ends here.
