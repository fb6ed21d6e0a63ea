import { type Actor, byOf, needing } from '../accounts/role.ts';
import { tierNames } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import { event } from '../events/event.ts';
import type { Clock } from '../ports/clock.ts';
import type { PurchaseLedger } from '../ports/purchase-ledger.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { isSlug, type Template, type TemplateChange } from './template.ts';
import { findTemplate } from './templates.ts';

/** The operations of administrators on templates. Each needs `templates:manage`, and `addPurchase` `purchases:manage`. */
export interface TemplateAdministration {
  add(
    template: Omit<Template, 'id' | 'downloadCount' | 'createdAt'>,
    actor: Actor,
  ): Promise<Template | Refused<'forbidden' | 'slug_taken' | 'slug_not_usable'>>;
  update(
    idOrSlug: string,
    change: TemplateChange,
    actor: Actor,
  ): Promise<Template | Refused<'forbidden' | 'not_found'>>;
  /** Accepts an id in digits, or a slug. */
  find(idOrSlug: string, actor: Actor): Promise<Template | Refused<'forbidden' | 'not_found'>>;
  /** Newest first. */
  list(actor: Actor): Promise<Template[] | Refused<'forbidden'>>;
  /** Returns false if the user already bought the template. */
  addPurchase(
    user: Pick<User, 'id' | 'email'>,
    template: Template,
    actor: Actor,
  ): Promise<boolean | Refused<'forbidden'>>;
}

interface TemplateAdministrationPorts {
  readonly store: TemplateStore;
  readonly ledger: PurchaseLedger;
  readonly clock: Clock;
}

export function createTemplateAdministration({
  store,
  ledger,
  clock,
}: TemplateAdministrationPorts): TemplateAdministration {
  const refusing = (actor: Actor) => needing(actor, 'templates:manage');
  const find = async (idOrSlug: string, actor: Actor) =>
    refusing(actor) ?? (await findTemplate(store, idOrSlug)) ?? unknown(idOrSlug);
  return {
    find,

    async add(template, actor) {
      const refused = refusing(actor);
      if (refused) return refused;
      if (!isSlug(template.slug)) {
        return refuse(
          'slug_not_usable',
          'A slug consists of a-z and 0-9 with single hyphens between them, and not only of digits.',
        );
      }
      const now = clock.now();
      const { slug, tier, category } = template;
      return await store.add(
        { ...template, createdAt: now },
        event('template.added', slug, byOf(actor), now, { tier, category }),
      );
    },

    async update(idOrSlug, change, actor) {
      const template = await find(idOrSlug, actor);
      if (isRefused(template)) return template;
      const fields = Object.keys(change).join(', ');
      const updated = await store.change(template.id, (before) => ({
        after: { ...before, ...change },
        event: event('template.updated', before.slug, byOf(actor), clock.now(), { fields }),
      }));
      return updated ?? unknown(idOrSlug);
    },

    list: async (actor) => refusing(actor) ?? (await store.list({ tiers: tierNames })),

    async addPurchase(user, template, actor) {
      const refused = needing(actor, 'purchases:manage');
      if (refused) return refused;
      const at = clock.now();
      return await ledger.add(
        { userId: user.id, templateId: template.id, at },
        event('purchase.added', user.email, byOf(actor), at, { template: template.slug }),
      );
    },
  };
}

function unknown(idOrSlug: string): Refused<'not_found'> {
  return refuse('not_found', `No template has the id or slug ${idOrSlug}.`);
}
