import type { Command } from 'commander';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator, reads } from './action.ts';
import { line } from './fields.ts';
import { addProductReviewCommands } from './product-review.ts';
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

/** Adds the command that links a product to the template whose download is sold with it. */
function addProductTemplateCommand(product: Command, terminal: Terminal): void {
  changing(
    product
      .command('link')
      .description('Sell the download of a template with a product; earlier orders stay as they are')
      .argument('<id or slug>', 'the product')
      .requiredOption('--template <id or slug>', 'the template, or "none"'),
  ).action((idOrSlug: string, options: ChangeOptions & { template: string }) =>
    administer(terminal, options, async (parts) => {
      const templates = await parts.get(t.productTemplates);
      const wanted = options.template === 'none' ? null : options.template;
      const linked = await templates.link(idOrSlug, wanted, operator(options));
      if (isRefused(linked)) return linked;
      const template = await templates.of(linked);
      const { id, slug } = linked;
      return {
        json: { product: { id, slug, template: template?.slug ?? null } },
        text: template ? `${slug} is sold with the template ${template.slug}` : `${slug} is sold without a template`,
      };
    }),
  );
}
