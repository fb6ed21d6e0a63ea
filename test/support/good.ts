import { isRefused, type Refused } from '../../core/refusal.ts';

/** Returns the value. Throws if it is a refusal. */
export function good<T>(value: T | Refused): T {
  if (isRefused(value)) throw new Error(`${value.reason}: ${value.detail}`);
  return value;
}
