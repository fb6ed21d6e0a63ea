import type { Command } from 'commander';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator } from './action.ts';
import type { Terminal } from './terminal.ts';

export function addPurchaseCommands(program: Command, terminal: Terminal): void {
  const purchase = program.command('purchase').description('Purchases of templates');

  changing(purchase.command('add'))
    .description('Record that a user bought a template. Recording it again changes nothing')
    .requiredOption('--user <id or email>', 'the buyer')
    .requiredOption('--template <id or slug>', 'the template that was bought')
    .action((options: ChangeOptions & { user: string; template: string }) =>
      administer(terminal, options, async (parts) => {
        const user = await (await parts.get(t.accounts)).find(options.user);
        if (isRefused(user)) return user;
        const templates = await parts.get(t.templateAdministration);
        const template = await templates.find(options.template, operator());
        if (isRefused(template)) return template;
        const isNew = await templates.addPurchase(user, template, operator(options));
        if (isRefused(isNew)) return isNew;
        return {
          json: { purchase: { userId: user.id, templateId: template.id, isNew } },
          text: `${user.email} ${isNew ? 'bought' : 'had already bought'} ${template.slug}`,
        };
      }),
    );
}
