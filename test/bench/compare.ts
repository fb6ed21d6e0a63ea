import { median } from './statistics.ts';

/** The time of one list in milliseconds, with few and with many rows of other owners. */
export interface List {
  readonly name: string;
  readonly few: number;
  readonly many: number;
  readonly ratio: number;
}

/** The start of a statement that makes a row for each number, in SQLite and in Postgres. */
export function numbers(from: number, to: number): string {
  return `WITH RECURSIVE numbers (number) AS
    (SELECT ${from} UNION ALL SELECT number + 1 FROM numbers WHERE number < ${to})`;
}

/** Calls both in turn, so that other load on the machine affects both. */
export async function compare(
  name: string,
  few: () => Promise<void>,
  many: () => Promise<void>,
  calls = 300,
): Promise<List> {
  const warmUp = Math.ceil(calls / 6);
  const times = { few: [] as number[], many: [] as number[] };
  for (let call = 0; call < warmUp + calls; call++) {
    times.few.push(await timeOf(few));
    times.many.push(await timeOf(many));
  }
  const [ofFew, ofMany] = [median(times.few.slice(warmUp)), median(times.many.slice(warmUp))];
  return { name, few: ofFew, many: ofMany, ratio: ofMany / ofFew };
}

async function timeOf(call: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await call();
  return performance.now() - began;
}
