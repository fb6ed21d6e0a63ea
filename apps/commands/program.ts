import { Command } from 'commander';
import { variables } from '../wiring/settings.ts';
import { addAuditCommand } from './audit.ts';
import { addBackupCommand } from './backup.ts';
import { addDeploymentCommands } from './deployment.ts';
import { addKeyCommands } from './key.ts';
import { addLicenseCommands } from './license.ts';
import { addMailCommands } from './mail.ts';
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
 * The command line of the server: `serve`, and the commands of administrators. A mistake is printed as one line on
 * standard error. Parsing throws a `CommanderError` after a mistake or the help, when the program must end.
 */
export function createProgram(terminal: Terminal): Command {
  const printError = (text: string) =>
    terminal.stderr.write(`latchkey-server: ${text.trim().replace(/\s*\n\s*/g, ' ')}\n`);
  const program = new Command('latchkey-server')
    .description('The Latchkey license server and its administration')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      outputError: (text) => printError(text.replace(/^error: /, '')),
      // Commander would print the whole help here, because a command is missing.
      writeErr: () => printError('a command is missing or unknown; --help lists all commands'),
    })
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
  addMailCommands(program, terminal);
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
