import type { Command } from 'commander';
import { readConfigWith } from '../wiring/config.ts';
import type { Terminal } from './terminal.ts';

export function addServeCommand(program: Command, terminal: Terminal): void {
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
