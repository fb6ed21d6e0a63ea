import type { Withdrawals } from '../../core/marketplace/withdrawals.ts';

/** Retries failed withdrawals every `every` milliseconds, until it is closed. */
export function keepWithdrawing(
  withdrawals: Withdrawals,
  every = 10_000,
): Withdrawals & { /** Leaves the rest to the sweep. */ close(): void } {
  const timer = setInterval(() => void withdrawals.again(), every).unref();
  return { ...withdrawals, close: () => clearInterval(timer) };
}
