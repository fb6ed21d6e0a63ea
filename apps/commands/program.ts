import { Command } from 'commander';
import { readConfigWith } from '../wiring/config.ts';
import { variables } from '../wiring/settings.ts';
import { version } from '../wiring/version.ts';
import type { Terminal } from './terminal.ts';

/**
 * The command line of the server with its command `serve`. Parsing throws a `CommanderError` for a mistake, which it does
 * not print, and after the help or the version, when the program must end.
 */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('latchkey-server')
    .description('The Latchkey license server and its administration')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      // `runProgram` prints the mistake. Commander would print the whole help if a command is missing.
      outputError: () => undefined,
      writeErr: () => undefined,
    })
    .version(version, '--version', 'print the version')
    .addHelpText('after', ({ error }) => (error ? '' : `\nSettings (environment variables):\n${settings()}`));
  addServeCommand(program, terminal);
  return program;
}

function settings(): string {
  return Object.entries(variables)
    .map(([name, { fallback, meaning }]) => `  ${name.padEnd(22)} ${meaning} [${fallback}]`)
    .join('\n');
}

function addServeCommand(program: Command, terminal: Terminal): void {
  program
    .command('serve')
    .description('Serve until SIGTERM or SIGINT')
    .option('--workers <n>', 'number of processes that share the port; overrides WORKERS')
    .option('--surface <name>', 'license, account or all; overrides SURFACE')
    .action(async ({ workers, surface }: { workers?: string; surface?: string }) => {
      const { serve } = await import('../server/serve.ts');
      const given = { ...(workers && { WORKERS: workers }), ...(surface && { SURFACE: surface }) };
      await serve(readConfigWith(given, terminal.environment));
    });
}
