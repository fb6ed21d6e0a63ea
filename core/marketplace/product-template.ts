import { type Actor, byOf, needing } from '../accounts/role.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import type { Template } from '../templates/template.ts';
import { findTemplate } from '../templates/templates.ts';
import { findProduct, unknownProduct } from './find-product.ts';
import type { Product } from './product.ts';

/** The template whose download is sold with a product. */
export interface ProductTemplates {
  /**
   * Links a product to a template, or to none (`null`). Both are an id in digits, or a slug. Earlier orders keep the
   * template that was agreed. Needs `products:moderate`. With `seen`, refuses if the product had another template when it was
   * seen.
   */
  link(
    product: string,
    template: string | null,
    actor: Actor,
    seen?: Pick<Product, 'templateId'>,
  ): Promise<
    | Product
    | Refused<'forbidden' | 'product_not_found' | 'template_not_found' | 'changed_meanwhile' | 'bundle_without_files'>
  >;
  /** The template of a product, if it has one. */
  of(product: Pick<Product, 'templateId'>): Promise<Template | undefined>;
}

interface ProductTemplatesPorts {
  readonly store: ProductStore;
  readonly templates: TemplateStore;
  readonly clock: Clock;
}

export function createProductTemplates({ store, templates, clock }: ProductTemplatesPorts): ProductTemplates {
  async function found(idOrSlug: string): Promise<Template | Refused<'template_not_found'>> {
    return (
      (await findTemplate(templates, idOrSlug)) ??
      refuse('template_not_found', `No template has the id or slug ${idOrSlug}.`)
    );
  }

  return {
    async link(idOrSlug, wanted, actor, seen) {
      const refused = needing(actor, 'products:moderate');
      if (refused) return refused;
      const template = wanted === null ? null : await found(wanted);
      if (isRefused(template)) return template;
      const product = await findProduct(store, idOrSlug);
      if (product === undefined) return unknownProduct(idOrSlug);
      const now = clock.now();
      const changed = await store.change<'changed_meanwhile' | 'bundle_without_files'>(product.id, (before) => {
        if (seen !== undefined && before.templateId !== seen.templateId) return refuse('changed_meanwhile');
        if (before.bundle !== null && template !== null) {
          return refuse('bundle_without_files', 'A bundle has no files of its own.');
        }
        return {
          after: { ...before, templateId: template?.id ?? null, updatedAt: now },
          event: event('product.template_set', before.slug, byOf(actor), now, { template: template?.slug ?? null }),
        };
      });
      return changed ?? unknownProduct(idOrSlug);
    },

    of: async ({ templateId }) => (templateId === null ? undefined : await templates.findById(templateId)),
  };
}
