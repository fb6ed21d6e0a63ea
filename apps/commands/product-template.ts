import type { Command } from 'commander';
import { isRefused } from '../../core/refusal.ts';
import { t } from '../wiring/tokens.ts';
import { administer, type ChangeOptions, changing, operator } from './action.ts';
import type { Terminal } from './terminal.ts';

/** Adds the command that links a product to the template whose download is sold with it. */
export function addProductTemplateCommand(product: Command, terminal: Terminal): void {
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
