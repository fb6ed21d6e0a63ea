/** An expected no, as a value: the rule that said no is its `reason`. Bugs and outages are thrown instead. */
export interface Refused<Reason extends string = string> {
  readonly kind: 'refused';
  readonly reason: Reason;
  /** One sentence that tells the caller more than the reason's standing message. */
  readonly detail?: string;
  /** Numbers that the caller may go by, named as they are told. */
  readonly figures?: Readonly<Record<string, number>>;
}

export function refuse<Reason extends string>(
  reason: Reason,
  detail?: string,
  figures?: Refused['figures'],
): Refused<Reason> {
  return { kind: 'refused', reason, ...(detail !== undefined && { detail }), ...(figures && { figures }) };
}

export function isRefused<T, Reason extends string>(value: T | Refused<Reason>): value is Refused<Reason> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refused';
}
