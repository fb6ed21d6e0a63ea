import { Command } from 'commander';
import { variables } from '../wiring/settings.ts';
import { version } from '../wiring/version.ts';
import { addAuditCommand } from './audit.ts';
import { addBackupCommand } from './backup.ts';
import { addDeploymentCommands } from './deployment.ts';
import { addKeyCommands } from './key.ts';
import { addLicenseCommands } from './license.ts';
import { addMaintenanceCommands } from './maintenance.ts';
import { addMovingCommands } from './moving.ts';
import { addProductCommands } from './product.ts';
import { addPurchaseCommands } from './purchase.ts';
import { addRestoreCommand } from './restore.ts';
import { addServeCommand } from './serve.ts';
import { addTemplateCommands } from './template.ts';
import type { Terminal } from './terminal.ts';
import { addUserCommands } from './user.ts';

/**
 * The command line of the server: `serve`, and the commands of administrators. Parsing throws a `CommanderError` for a
 * mistake, which it does not print, and after the help or the version, when the program must end.
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
  addUserCommands(program, terminal);
  addKeyCommands(program, terminal);
  addProductCommands(program, terminal);
  addTemplateCommands(program, terminal);
  addPurchaseCommands(program, terminal);
  addDeploymentCommands(program, terminal);
  addLicenseCommands(program, terminal);
  addAuditCommand(program, terminal);
  addMaintenanceCommands(program, terminal);
  addBackupCommand(program, terminal);
  addRestoreCommand(program, terminal);
  addMovingCommands(program, terminal);
  return program;
}

function settings(): string {
  return Object.entries(variables)
    .map(([name, { fallback, meaning }]) => `  ${name.padEnd(22)} ${meaning} [${fallback}]`)
    .join('\n');
}
