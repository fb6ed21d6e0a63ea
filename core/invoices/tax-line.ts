/** A tax in the price of an order, or that was added to it. */
export interface TaxLine {
  /** As its country calls it, such as VAT. */
  readonly name: string;
  /** In percent. `null`: not known. */
  readonly rate: number | null;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** Whether the price contains it. Otherwise it was added to the price. */
  readonly isIncluded: boolean;
  /** Of two letters. `null`: not known. */
  readonly country: string | null;
  /** A state of that country, if the tax is one of a state. */
  readonly state: string | null;
}

/** A payment has no more lines. */
const mostTaxLines = 12;

/** Puts the lines that are too many into one. */
export function boundedTaxes(lines: readonly TaxLine[]): readonly TaxLine[] {
  if (lines.length <= mostTaxLines) return lines;
  const kept = lines.slice(0, mostTaxLines - 1);
  const others = lines.slice(mostTaxLines - 1);
  const amount = sumOf(others);
  const isIncluded = others.every((line) => line.isIncluded);
  return [...kept, { name: 'Other taxes', rate: null, amount, isIncluded, country: null, state: null }];
}

/** A tax that all prices of a seller contain. */
export interface IncludedTax {
  readonly name: string;
  /** In percent, with at most three decimals. */
  readonly rate: number;
}

/** Returns the part of a total that is a tax, rounded to the smallest unit. */
export function containedTax(total: number, { name, rate }: IncludedTax, country: string | null): TaxLine {
  const thousandths = BigInt(Math.round(rate * 1_000));
  const amount = Number(roundedQuotient(BigInt(total) * thousandths, 100_000n + thousandths));
  return { name, rate, amount, isIncluded: true, country, state: null };
}

/**
 * Splits what is `part` of `whole` over the lines. `whole` contains all lines. No line gets more than it has, all get together
 * the rounded part of their sum, and the whole gets exactly the lines. So parts that are split one after the other, each of
 * what is left, add up exactly.
 */
export function shareOf(lines: readonly TaxLine[], part: number, whole: number): TaxLine[] {
  if (part >= whole || whole <= 0) return [...lines];
  const [partOf, all] = [BigInt(part), BigInt(whole)];
  const shares = lines.map(({ amount }) => {
    const exact = BigInt(amount) * partOf;
    return { floor: exact / all, rest: exact % all };
  });
  let left = roundedQuotient(BigInt(sumOf(lines)) * partOf, all) - shares.reduce((sum, { floor }) => sum + floor, 0n);
  const byRest = [...shares.keys()].sort((a, b) => {
    const difference = (shares[b]?.rest ?? 0n) - (shares[a]?.rest ?? 0n);
    return difference > 0n ? 1 : difference < 0n ? -1 : a - b;
  });
  const more = new Set<number>();
  for (const at of byRest) {
    if (left <= 0n) break;
    more.add(at);
    left -= 1n;
  }
  return lines.map((line, at) => ({ ...line, amount: Number(shares[at]?.floor ?? 0n) + (more.has(at) ? 1 : 0) }));
}

/** Adds the amounts of the second lines, which have the same order, to the first, `times` times. */
export function addTaxes(lines: readonly TaxLine[], more: readonly TaxLine[], times: 1 | -1): TaxLine[] {
  return lines.map((line, at) => ({ ...line, amount: line.amount + times * (more[at]?.amount ?? 0) }));
}

export function sumOf(lines: readonly TaxLine[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/** Halves are rounded up. Both are not negative. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
