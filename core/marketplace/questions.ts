import { countAgainst } from '../accounts/sign-in-limits.ts';
import { event } from '../events/event.ts';
import type { UserId } from '../id.ts';
import { lettersTo } from '../mail/letters-to.ts';
import { administratorsToTell } from '../mail/news-to.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { MailStore } from '../ports/mail-store.ts';
import type { WriteLetter } from '../ports/mailer.ts';
import type { ProductStore } from '../ports/product-store.ts';
import type { Allowance, RateLimiter } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';
import { inSeconds } from '../time.ts';
import { isInCatalogue } from './catalogue-terms.ts';
import type { Product } from './product.ts';

/** The largest number of characters in a question. */
export const longestQuestion = 2_000;

/** How often questions can be asked. Everybody can ask, so a seller gets only so many mails. */
export const questionLimits = {
  byClient: [{ limit: 5, seconds: inSeconds.hour }],
  byMember: [{ limit: 20, seconds: inSeconds.day }],
  /** One asker to one seller, so that nobody uses up what the seller gets. */
  ofOne: [
    { limit: 3, seconds: inSeconds.hour },
    { limit: 5, seconds: inSeconds.day },
  ],
  bySeller: [
    { limit: 20, seconds: inSeconds.hour },
    { limit: 60, seconds: inSeconds.day },
  ],
} as const satisfies Record<string, readonly Allowance[]>;

/** Who asks. `client` is the network address. */
export interface Asker {
  readonly client: string;
  readonly userId: UserId | undefined;
  /** The address to which the seller may answer. `null`: the asker does not want to give one. */
  readonly email: string | null;
}

/** Questions of visitors to the seller of a product. They go by mail, and are stored only as mails are. */
export interface Questions {
  /** The product, if questions about it can be asked: it is for sale, and its seller is not suspended. */
  about(slug: string): Promise<Product | undefined>;
  /** Sends the question to the seller, or to the administrators if the product is the site's own. */
  ask(slug: string, text: string, asker: Asker): Promise<'asked' | Refused<'product_not_found' | 'too_many_attempts'>>;
}

interface QuestionsPorts {
  readonly products: Pick<ProductStore, 'findBySlug'>;
  readonly accounts: Pick<AccountStore, 'findById' | 'list'>;
  readonly mails: Pick<MailStore, 'add'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly write: WriteLetter;
}

export function createQuestions({ products, accounts, mails, limiter, clock, write }: QuestionsPorts): Questions {
  /** Returns the product with those who get its questions. A suspended seller would not read them. */
  async function find(slug: string) {
    const product = await products.findBySlug(slug);
    if (product === undefined || !isInCatalogue(product)) return undefined;
    const receivers = await receiversOf(product);
    return product.ownerId === null || receivers.length > 0 ? { product, receivers } : undefined;
  }

  async function receiversOf({ ownerId }: Product) {
    const seller = ownerId === null ? undefined : await accounts.findById(ownerId);
    if (seller === undefined) return await administratorsToTell(accounts);
    return seller.suspendedAt === null ? [seller] : [];
  }

  return {
    about: async (slug) => (await find(slug))?.product,

    async ask(slug, question, { client, userId, email }) {
      const found = await find(slug);
      if (found === undefined) return refuse('product_not_found');
      const { id, title, ownerId } = found.product;
      const asker = userId === undefined ? ['client', client] : ['member', userId];
      const counted: readonly (readonly [readonly unknown[], readonly Allowance[]])[] = [
        [asker, userId === undefined ? questionLimits.byClient : questionLimits.byMember],
        [[...asker, ownerId], questionLimits.ofOne],
        [['seller', ownerId], questionLimits.bySeller],
      ];
      for (const [subject, allowances] of counted) {
        const refused = await countAgainst(limiter, clock, `question:${JSON.stringify(subject)}`, allowances);
        if (refused) return refused;
      }
      const now = clock.now();
      for (const { name, email: address } of found.receivers) {
        const letter = { kind: 'product-question', name, product: id, slug, title, question, email } as const;
        for (const mail of lettersTo(write, { name, address }, letter, now)) {
          await mails.add(mail, event('product.question_asked', slug, { actor: 'visitor' }, now));
        }
      }
      return 'asked';
    },
  };
}
