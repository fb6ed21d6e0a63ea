import { Command } from 'commander';
import { accountCommands } from './commands/account.ts';
import { completionCommands } from './commands/completion.ts';
import { conformCommand } from './commands/conform.ts';
import { couponsCommand } from './commands/coupons.ts';
import { customersCommand } from './commands/customers.ts';
import { deployCommand } from './commands/deploy.ts';
import { licensesCommand } from './commands/licenses.ts';
import { mcpCommand } from './commands/mcp.ts';
import { openCommand } from './commands/open.ts';
import { ordersCommand } from './commands/orders.ts';
import { productsCommand } from './commands/products.ts';
import { publishCommands } from './commands/publish.ts';
import { simulateCommand } from './commands/simulate.ts';
import { subscriptionsCommand } from './commands/subscriptions.ts';
import { templatesCommand } from './commands/templates.ts';
import { webhooksCommand } from './commands/webhooks.ts';
import manifest from './package.json' with { type: 'json' };

/** All commands. A command loads what it needs when it runs. `writeErr` gets what Commander says about wrong usage. */
export function createProgram(writeErr?: (text: string) => void): Command {
  const program = new Command('latchkey')
    .description('Licenses, products, templates and webhooks of a Latchkey server')
    .version(manifest.version)
    .option('--server <url>', 'the server; default: LATCHKEY_URL, or that of the last sign-in')
    .option('--json', 'print the result as JSON')
    .exitOverride()
    .configureOutput(writeErr === undefined ? {} : { writeErr })
    .showHelpAfterError('Run the same command with --help to see how it is used.')
    .showSuggestionAfterError();
  accountCommands(program);
  templatesCommand(program);
  publishCommands(program);
  productsCommand(program);
  deployCommand(program);
  licensesCommand(program);
  couponsCommand(program);
  ordersCommand(program);
  customersCommand(program);
  subscriptionsCommand(program);
  webhooksCommand(program);
  openCommand(program);
  conformCommand(program);
  mcpCommand(program);
  simulateCommand(program);
  completionCommands(program);
  return program;
}
