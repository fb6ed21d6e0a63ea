import type { Fault } from '../core/webhooks/delivery.ts';

/** Why an attempt failed, in words. */
export interface Failure {
  readonly fault: Fault;
  readonly detail: string;
}

/** A failure of the receiver. */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.detail);
    this.failure = failure;
  }
}

export const cutOff = { fault: 'cut_off', detail: 'The host cut the connection.' } as const;

export function fail(fault: Fault, detail: string): never {
  throw new FailedAttempt({ fault, detail });
}
