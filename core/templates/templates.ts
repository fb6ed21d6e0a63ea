import type { Caller } from '../accounts/accounts.ts';
import { includedTiers } from '../accounts/tier.ts';
import { parseId, type TemplateId, toTemplateId, type UserId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStorage } from '../ports/file-storage.ts';
import type { PurchaseCheck } from '../ports/purchase-check.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { isVisible, type Template } from './template.ts';

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

interface TemplatesPorts {
  readonly store: TemplateStore;
  readonly purchases: PurchaseCheck;
  readonly files: FileStorage;
  readonly clock: Clock;
  readonly linkLifetime: number;
  readonly linkOfOrder: (
    user: UserId,
    template: TemplateId,
  ) => Promise<DownloadLink | Refused<'not_found'> | undefined>;
}

/**
 * `linkLifetime` is in milliseconds. `linkOfOrder` returns a link that stops working with a refund, if an order of the user
 * includes the template.
 */
export function createTemplates({
  store,
  purchases,
  files,
  clock,
  linkLifetime,
  linkOfOrder,
}: TemplatesPorts): Templates {
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
        const link = await linkOfOrder(user.id, template.id);
        if (link !== undefined) return link;
      }
      const filename = `${template.slug}.zip`;
      const url = await files.link(template.zip, filename, clock.now() + linkLifetime);
      await store.countDownload(template.id);
      return { url, filename };
    },
  };
}

/** Accepts an id in digits, or a slug. */
export async function findTemplate(store: TemplateStore, idOrSlug: string): Promise<Template | undefined> {
  const id = parseId(idOrSlug, toTemplateId);
  return id === undefined ? await store.findBySlug(idOrSlug) : await store.findById(id);
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
