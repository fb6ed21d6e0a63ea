import type { Template } from '../../../../../core/templates/template.ts';
import type { Fact } from '../../../ui/facts.tsx';
import { texts } from '../../../ui/texts.ts';

/** The template whose download is sold with a product. Empty if the product has no template. */
export function templateFact(template: Template | undefined): Fact[] {
  if (template === undefined) return [];
  return [
    [
      texts.sellingProducts.template,
      <span key="template" class="breakable">
        <span dir="auto">{template.title}</span> <code>{template.slug}</code>
      </span>,
    ],
  ];
}
