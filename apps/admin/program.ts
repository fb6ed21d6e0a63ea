import { Command } from 'commander';
import { readConfigWith, variables } from '../config.ts';
import { addAuditCommand } from './audit.ts';
import { addDeploymentCommands } from './deployment.ts';
import { addKeyCommands } from './key.ts';
import { addLicenseCommands } from './license.ts';
import { addMaintenanceCommands } from './maintenance.ts';
import { addMovingCommands } from './moving.ts';
import { addProductCommands } from './product.ts';
import { addPurchaseCommands } from './purchase.ts';
import { addTemplateCommands } from './template.ts';
import { addUserCommands } from './user.ts';

/** The command line of the server: `serve`, and what administrators do. What is wrong with it is told in one line. */
export function createProgram(): Command {
  const program = new Command('latchkey-server')
    .description('The Latchkey license server and its administration')
    .configureOutput({
      outputError: (text) => tell(text.replace(/^error: /, '')),
      // Commander shows the whole help here, which it does where a command is missing.
      writeErr: () => tell('a command is missing or unknown; --help lists them'),
    })
    .addHelpText('after', ({ error }) => (error ? '' : `\nSettings (environment variables):\n${settings()}`));
  program
    .command('serve')
    .description('Serve until SIGTERM or SIGINT')
    .option('--workers <n>', 'processes that share the port, in place of WORKERS')
    .option('--surface <name>', 'license, account or all, in place of SURFACE')
    .action(async ({ workers, surface }: { workers?: string; surface?: string }) => {
      const { start } = await import('../start.ts');
      await start(readConfigWith({ ...(workers && { WORKERS: workers }), ...(surface && { SURFACE: surface }) }));
    });
  addUserCommands(program);
  addKeyCommands(program);
  addProductCommands(program);
  addTemplateCommands(program);
  addPurchaseCommands(program);
  addDeploymentCommands(program);
  addLicenseCommands(program);
  addAuditCommand(program);
  addMaintenanceCommands(program);
  addMovingCommands(program);
  return program;
}

function tell(text: string): void {
  process.stderr.write(`latchkey-server: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n`);
}

function settings(): string {
  return Object.entries(variables)
    .map(([name, { fallback, meaning }]) => `  ${name.padEnd(22)} ${meaning} [${fallback}]`)
    .join('\n');
}
