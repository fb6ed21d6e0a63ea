/** An expected refusal, as a value. `reason` names the rule that refused. Bugs and outages are thrown instead. */
export interface Refused<Reason extends string = string> {
  readonly kind: 'refused';
  readonly reason: Reason;
  /** A message for the caller that is more exact than the standard message of the reason. */
  readonly detail?: string;
  /** Numbers for the caller, under the field names of the API. */
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
