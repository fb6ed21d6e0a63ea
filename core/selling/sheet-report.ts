import type { LicenseStatus } from '../licensing/license.ts';
import type { Instant } from '../ports/clock.ts';
import type { LineFault, PassedOver } from '../ports/license-sheet.ts';

/** The most faults of a file that are kept. A file may have one for each of its cells. */
export const mostFaults = 100;

/** The first of many, and the number of the others. */
export interface Firsts<One> {
  readonly first: readonly One[];
  readonly others: number;
}

/** The first faults of a file that was not imported, and the number of the others. */
export interface Faulty extends Firsts<LineFault> {
  readonly kind: 'faulty';
}

/** A license that an import of the file would add. */
export interface PlannedLicense {
  readonly line: number;
  readonly product: string;
  readonly status: LicenseStatus;
  readonly maxDomains: number;
  readonly expiresAt: Instant | null;
  /** On how many domains it is activated already. */
  readonly domains: number;
}

/** What an import of a file would do. */
export interface Checked {
  readonly kind: 'checked';
  readonly licenses: Firsts<PlannedLicense>;
  /** If there are any, nothing would be imported. */
  readonly faults: Firsts<LineFault>;
  /** Lines that are no licenses to import. */
  readonly passedOver: Firsts<LineFault>;
  /** The products of another system for which no product here was named, and the lines of further ones. */
  readonly unmapped: Unmapped;
}

interface Unmapped {
  readonly first: readonly { readonly theirProduct: string; readonly lines: number }[];
  readonly others: number;
}

/** Counts the lines of products for which no product here was named. */
export class UnmappedProducts {
  readonly #lines = new Map<string, number>();
  #others = 0;

  add(passedOver: readonly PassedOver[]): void {
    for (const { theirProduct } of passedOver) {
      if (theirProduct === undefined) continue;
      const before = this.#lines.get(theirProduct);
      if (before === undefined && this.#lines.size >= mostFaults) this.#others += 1;
      else this.#lines.set(theirProduct, (before ?? 0) + 1);
    }
  }

  all(): Unmapped {
    return { first: [...this.#lines].map(([theirProduct, lines]) => ({ theirProduct, lines })), others: this.#others };
  }
}

/** Keeps the first of many, in the order of their lines. */
export class FirstLines<One extends { readonly line: number }> {
  readonly #first: One[] = [];
  count = 0;

  add(found: readonly One[]): void {
    this.count += found.length;
    const room = mostFaults - this.#first.length;
    if (room > 0) this.#first.push(...found.toSorted((one, other) => one.line - other.line).slice(0, room));
  }

  all(): Firsts<One> {
    return { first: this.#first, others: this.count - this.#first.length };
  }
}
