/** Returns the median. */
export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

/** Returns a quantile, interpolated between neighbours. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const place = part * (sorted.length - 1);
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Returns the median of the ratios of two series of the same rounds. */
export function ratio(series: readonly number[], to: readonly number[]): number {
  return median(series.map((number, round) => number / (to[round] ?? Number.NaN)));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
