import { Command } from 'commander';
import { readConfig, variables } from '../config.ts';
import { serve } from '../serve.ts';

/** The command line of the server: `serve`, and what administrators do. */
export function createProgram(): Command {
  const program = new Command('latchkey-server')
    .description('The Latchkey license server and its administration')
    .addHelpText('after', () => `\nSettings (environment variables):\n${settings()}`);
  program
    .command('serve')
    .description('Serve until SIGTERM or SIGINT')
    .action(() => serve(readConfig()));
  return program;
}

function settings(): string {
  return Object.entries(variables)
    .map(([name, { fallback, meaning }]) => `  ${name.padEnd(22)} ${meaning} [${fallback}]`)
    .join('\n');
}
