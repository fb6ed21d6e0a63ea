import type { Command } from 'commander';
import { addKeyCommands } from './api-key.ts';
import { addAuditCommand } from './audit.ts';
import { addBackupCommand } from './backup.ts';
import { addDeploymentCommands } from './deployment.ts';
import { addLeaseKeyCommands } from './lease-keys.ts';
import { addLicenseCommands } from './license.ts';
import { addMailCommands } from './mail.ts';
import { addMaintenanceCommands } from './maintenance.ts';
import { addMovingCommands } from './moving.ts';
import { addProductCommands } from './product.ts';
import { addPurchaseCommands } from './purchase.ts';
import { addRestoreCommand } from './restore.ts';
import { addTemplateCommands } from './template.ts';
import type { Terminal } from './terminal.ts';
import { addUserCommands } from './user.ts';

/** Adds the commands of administrators. */
export function addAdministration(program: Command, terminal: Terminal): void {
  addUserCommands(program, terminal);
  addKeyCommands(program, terminal);
  addProductCommands(program, terminal);
  addTemplateCommands(program, terminal);
  addPurchaseCommands(program, terminal);
  addDeploymentCommands(program, terminal);
  addLicenseCommands(program, terminal);
  addLeaseKeyCommands(program, terminal);
  addAuditCommand(program, terminal);
  addMailCommands(program, terminal);
  addMaintenanceCommands(program, terminal);
  addBackupCommand(program, terminal);
  addRestoreCommand(program, terminal);
  addMovingCommands(program, terminal);
}
