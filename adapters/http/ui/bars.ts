/** The amounts in one bar. `upper` is drawn on top of `lower`. */
export interface Amounts {
  readonly lower: number;
  readonly upper: number;
}

/** A part of a bar. Its top and its height are in hundredths of the plot's height, measured from the top. */
interface Part {
  readonly y: number;
  readonly height: number;
}

export interface Bars {
  /** The values of the axis, from 0 on. They have the same distance from each other. */
  readonly ticks: readonly number[];
  readonly bars: readonly { readonly lower: Part; readonly upper: Part }[];
}

/** A part that is not empty is at least this high, so that it can be seen beside very high ones. */
const leastHeight = 1;
const mostSteps = 4;

/** Lays out bars on an axis with rounded values. */
export function layBars(amounts: readonly Amounts[]): Bars {
  const ticks = ticksUpTo(Math.max(0, ...amounts.map(({ lower, upper }) => lower + upper)));
  const top = ticks.at(-1) ?? 1;
  const heightOf = (amount: number) => (amount === 0 ? 0 : Math.max(leastHeight, (amount / top) * 100));
  const bars = amounts.map((one) => {
    const [lower, upper] = [heightOf(one.lower), heightOf(one.upper)];
    // The lower part makes room if the least height would lift the bar above the plot.
    const below = Math.min(lower, 100 - upper);
    return { lower: { y: 100 - below, height: below }, upper: { y: 100 - below - upper, height: upper } };
  });
  return { ticks, bars };
}

/** Returns whole values from 0 to at least `most`, in at most four steps of 1, 2 or 5 and zeros. */
export function ticksUpTo(most: number): number[] {
  const wanted = Math.max(1, most / mostSteps);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= wanted) ?? 10 * power;
  const steps = Math.max(1, Math.ceil(most / step));
  return Array.from({ length: steps + 1 }, (_, n) => n * step);
}
