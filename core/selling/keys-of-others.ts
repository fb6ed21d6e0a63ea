import type { ProductId } from '../id.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import { day, second } from '../time.ts';

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
const mostInDay = 100;

/** Counts the keys and aliases of others that the files of each person have had in the last day. */
export function createToldOfOthers(clock: Clock) {
  const told = new Map<string, { readonly since: Instant; count: number }>();

  function forget(): void {
    const ended = clock.now() - day;
    for (const [actor, { since }] of told) {
      if (since > ended) break;
      told.delete(actor);
    }
  }

  return {
    note(actor: string, count: number): void {
      forget();
      const before = told.get(actor);
      if (before !== undefined) before.count += count;
      else if (count > 0) told.set(actor, { since: clock.now(), count });
    },
    /** After how many seconds this person can send another file. 0: now. */
    rest(actor: string): number {
      forget();
      const before = told.get(actor);
      if (before === undefined || before.count < mostInDay) return 0;
      return Math.ceil((before.since + day - clock.now()) / second);
    },
  };
}

export const toldEnough = `Your files have had ${mostInDay} keys or aliases of licenses that are not yours. Try again tomorrow.`;
