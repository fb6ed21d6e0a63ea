import type { Caller } from '../accounts/accounts.ts';
import { includedTiers, tierNames } from '../accounts/tier.ts';
import type { User } from '../accounts/user.ts';
import { type By, event } from '../events/event.ts';
import { parseId, toTemplateId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { PurchaseCheck } from '../ports/purchase-check.ts';
import type { PurchaseLedger } from '../ports/purchase-ledger.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { isSlug, isVisible, type Template, type TemplateChange } from './template.ts';

export interface DownloadLink {
  /** An absolute URL. */
  readonly url: string;
  readonly filename: string;
}

/** The operations of API key holders on templates. */
export interface Templates {
  /** Returns the templates that the caller's tier may see, newest first. */
  list(caller: Caller, category: string | undefined): Promise<Template[]>;
  find(caller: Caller, idOrSlug: string): Promise<Template | Refused<'not_found'>>;
  /** Returns a link to the zip, and counts it. The user must have bought the template, unless it is free. */
  download(
    caller: Caller,
    idOrSlug: string,
  ): Promise<DownloadLink | Refused<'not_found' | 'not_purchased' | 'purchase_check_failed'>>;
}

/** The operations of administrators on templates. */
export interface TemplateAdministration {
  add(
    template: Omit<Template, 'id' | 'downloadCount' | 'createdAt'>,
    by: By,
  ): Promise<Template | Refused<'slug_taken' | 'slug_not_usable'>>;
  update(idOrSlug: string, change: TemplateChange, by: By): Promise<Template | Refused<'not_found'>>;
  find(idOrSlug: string): Promise<Template | Refused<'not_found'>>;
  list(): Promise<Template[]>;
  /** Returns false if the user already bought the template. */
  addPurchase(user: Pick<User, 'id' | 'email'>, template: Template, by: By): Promise<boolean>;
}

/** `linkLifetime` is in milliseconds. */
export function createTemplates(
  store: TemplateStore,
  purchases: PurchaseCheck,
  files: FileStorage,
  clock: Clock,
  linkLifetime: number,
): Templates {
  return {
    list: ({ user }, category) => store.list({ tiers: includedTiers(user.tier), category }),

    async find({ user }, idOrSlug) {
      const template = await findTemplate(store, idOrSlug);
      return template && isVisible(template, user.tier) ? template : refuse('not_found', 'There is no such template.');
    },

    async download({ user }, idOrSlug) {
      const template = await findTemplate(store, idOrSlug);
      if (template === undefined) return refuse('not_found', 'There is no such template.');
      if (template.tier !== 'free') {
        const bought = await asked(() => purchases.has(user, template));
        if (bought === undefined) return refuse('purchase_check_failed');
        if (!bought) return refuse('not_purchased');
      }
      const filename = `${template.slug}.zip`;
      const url = await files.link(template.zip, filename, clock.now() + linkLifetime);
      await store.countDownload(template.id);
      return { url, filename };
    },
  };
}

export function createTemplateAdministration(
  store: TemplateStore,
  ledger: PurchaseLedger,
  clock: Clock,
): TemplateAdministration {
  const find = async (idOrSlug: string) => (await findTemplate(store, idOrSlug)) ?? unknown(idOrSlug);
  return {
    find,

    async add(template, by) {
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
        event('template.added', slug, by, now, { tier, category }),
      );
    },

    async update(idOrSlug, change, by) {
      const template = await find(idOrSlug);
      if (isRefused(template)) return template;
      const fields = Object.keys(change).join(', ');
      const updated = await store.change(template.id, (before) => ({
        after: { ...before, ...change },
        event: event('template.updated', before.slug, by, clock.now(), { fields }),
      }));
      return updated ?? unknown(idOrSlug);
    },

    list: () => store.list({ tiers: tierNames }),

    async addPurchase(user, template, by) {
      const at = clock.now();
      return await ledger.add(
        { userId: user.id, templateId: template.id, at },
        event('purchase.added', user.email, by, at, { template: template.slug }),
      );
    },
  };
}

/** Accepts an id in digits, or a slug. */
export async function findTemplate(store: TemplateStore, idOrSlug: string): Promise<Template | undefined> {
  const id = parseId(idOrSlug, toTemplateId);
  return id === undefined ? await store.findBySlug(idOrSlug) : await store.findById(id);
}

function unknown(idOrSlug: string): Refused<'not_found'> {
  return refuse('not_found', `No template has the id or slug ${idOrSlug}.`);
}

/** Returns the reply of a service, or `undefined` if the service is unavailable. */
async function asked<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof Unavailable) return undefined;
    throw error;
  }
}
