import type { Command } from 'commander';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { line } from './fields.ts';
import { addProductReviewCommands } from './product-review.ts';
import { addProductTemplateCommand } from './product-template.ts';
import type { Terminal } from './terminal.ts';

export function addProductCommands(program: Command, terminal: Terminal): void {
  const product = program.command('product').description('Products, for which licenses are issued');

  changing(
    product
      .command('add')
      .description('Add a product; its slug is made from its title')
      .requiredOption('--title <title>', 'title, 1 to 200 characters', reads(line(200)))
      .option('--owner <id or email>', 'the seller; without one, the product belongs to the operator'),
  ).action((options: ChangeOptions & { title: string; owner?: string }) =>
    administer(terminal, options, async (parts) => {
      const owner = options.owner === undefined ? undefined : await (await parts.get(t.accounts)).find(options.owner);
      if (isRefused(owner)) return owner;
      const products = await parts.get(t.products);
      const added = await products.add({ title: options.title, ownerId: owner?.id ?? null }, operator(options));
      if (isRefused(added)) return added;
      const { id, slug, title, ownerId, createdAt } = added;
      return {
        json: { product: { id, slug, title, ownerId, createdAt } },
        text: `Added product ${id}: ${title} (${slug})`,
      };
    }),
  );

  addProductReviewCommands(product, terminal);
  addProductTemplateCommand(product, terminal);
}
