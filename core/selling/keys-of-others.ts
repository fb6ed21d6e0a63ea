import { countAgainst } from '../accounts/sign-in-limits.ts';
import type { ProductId } from '../id.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { type Refused, refuse } from '../refusal.ts';
import { inSeconds } from '../time.ts';

/** A file tells at most so many keys and aliases of licenses that its sender does not reach. Then it is not read any further. */
const most = 20;

export const tooManyOfOthers = `The file has ${most} keys or aliases of licenses that are not yours. The rest of it was not read.`;

/** The products whose answers are remembered. */
const mostProducts = 1_000;

/** Counts the keys and aliases in a file that lead to licenses of others. */
export class KeysOfOthers {
  count = 0;
  /** The last line that is told about. */
  end = Number.POSITIVE_INFINITY;
  readonly #reaches: ((product: ProductId) => Promise<boolean>) | undefined;
  readonly #known = new Map<ProductId, boolean>();

  /** `reaches`: whether the sender reaches the licenses of a product. `undefined`: those of all. */
  constructor(reaches: ((product: ProductId) => Promise<boolean>) | undefined) {
    this.#reaches = reaches;
  }

  /** Notes that a license of this product has the key or alias of a line. Returns whether nothing more may be told. */
  async found(line: number, product: ProductId): Promise<boolean> {
    if (this.#reaches === undefined) return false;
    const isOwn = this.#known.get(product) ?? (await this.#reaches(product));
    if (this.#known.size >= mostProducts) this.#known.clear();
    this.#known.set(product, isOwn);
    if (isOwn) return false;
    this.count += 1;
    if (this.count === most) this.end = line;
    return this.count === most;
  }
}

/** The files of one person tell at most so many in a day. */
const inDay = { limit: 100, seconds: inSeconds.day };

/** Counts the keys and aliases of others that the files of a person have told. */
export function createToldOfOthers(limiter: RateLimiter, clock: Clock) {
  const subjectOf = (actor: string) => `import:${JSON.stringify(['others', actor])}`;
  return {
    async note(actor: string, count: number): Promise<void> {
      for (let n = 0; n < count; n++) await limiter.count(subjectOf(actor), [inDay]);
    },
    /** Refuses another file of somebody who was told enough, for this reason. */
    async enough<Reason extends string>(actor: string, reason: Reason): Promise<Refused<Reason> | undefined> {
      const refused = await countAgainst(limiter, clock, subjectOf(actor), [inDay], { peek: true });
      const detail = `Your files have had ${inDay.limit} keys or aliases of licenses that are not yours. Try again tomorrow.`;
      return refused && refuse(reason, detail, refused.figures);
    },
  };
}
