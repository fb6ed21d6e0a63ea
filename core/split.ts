/**
 * Splits a whole amount by weights into whole shares whose sum is the amount. Each share is less than 1 away from its exact value.
 * Shares of weights that are the amount themselves are these weights. Equal shares if all weights are 0.
 */
export function split(amount: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n);
  if (sum === 0n)
    return weights.length === 0
      ? []
      : split(
          amount,
          weights.map(() => 1),
        );
  const exact = weights.map((weight, index) => {
    const part = BigInt(amount) * BigInt(weight);
    return { index, share: Number(part / sum), rest: part % sum };
  });
  let left = amount - exact.reduce((all, { share }) => all + share, 0);
  const shares = exact.map(({ share }) => share);
  // What rounding has left goes to those that lost most of it.
  for (const { index } of exact.toSorted((one, other) =>
    one.rest < other.rest ? 1 : one.rest > other.rest ? -1 : 0,
  )) {
    if (left === 0) break;
    shares[index] = (shares[index] ?? 0) + 1;
    left--;
  }
  return shares;
}
