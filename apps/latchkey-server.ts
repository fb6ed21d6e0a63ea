#!/usr/bin/env node
import { runProgram } from './commands/run-program.ts';
import { ownTerminal } from './commands/terminal.ts';

// Only the program's own user may read the files that it creates: database, uploads, the secret, backups.
process.umask(0o077);

const code = await runProgram(process.argv.slice(2), ownTerminal);
if (code !== 0) process.exit(code); // Ends the process even if something could not be closed.
