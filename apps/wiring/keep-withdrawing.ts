import type { Withdrawals } from '../../core/marketplace/withdrawals.ts';

/** Tries every so many milliseconds what could not be withdrawn, until it is closed. */
export function keepWithdrawing(
  withdrawals: Withdrawals,
  every = 10_000,
): Withdrawals & { /** Leaves the rest to the sweep. */ close(): void } {
  const timer = setInterval(() => void withdrawals.again(), every).unref();
  return { ...withdrawals, close: () => clearInterval(timer) };
}
