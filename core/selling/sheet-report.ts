import type { LicenseStatus } from '../licensing/license.ts';
import type { Instant } from '../ports/clock.ts';
import type { LineFault } from '../ports/license-sheet.ts';

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
