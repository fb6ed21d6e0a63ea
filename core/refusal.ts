/** An expected no, as a value: the rule that said no is its `reason`. Bugs and outages are thrown instead. */
export interface Refused<Reason extends string = string> {
  readonly kind: 'refused';
  readonly reason: Reason;
  /** One sentence that tells the caller more than the reason's standing message. */
  readonly detail?: string;
}

export function refuse<Reason extends string>(reason: Reason, detail?: string): Refused<Reason> {
  return detail === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, detail };
}

export function isRefused<T, Reason extends string>(value: T | Refused<Reason>): value is Refused<Reason> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refused';
}
