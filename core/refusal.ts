/** An expected refusal, as a value. `reason` names the rule that refused. Bugs and outages are thrown instead. */
export interface Refused<Reason extends string = string> {
  readonly kind: 'refused';
  readonly reason: Reason;
  /** A message for the caller that is more exact than the standard message of the reason. */
  readonly detail?: string;
  /** Numbers for the caller, under the field names of the API. */
  readonly figures?: Readonly<Record<string, number>>;
  /** The reasons for what else is wrong with the same input. Forms show all; the APIs name only the first. */
  readonly others?: readonly string[];
}

export function refuse<Reason extends string>(
  reason: Reason,
  detail?: string,
  figures?: Refused['figures'],
): Refused<Reason> {
  return { kind: 'refused', reason, ...(detail !== undefined && { detail }), ...(figures && { figures }) };
}

/** Returns one refusal for all reasons that hold. `undefined`: none does. */
export function refuseAll<Reason extends string>(
  table: readonly (readonly [Reason, boolean])[],
): Refused<Reason> | undefined {
  const [first, ...others] = table.flatMap(([reason, holds]) => (holds ? [reason] : []));
  return first === undefined ? undefined : { ...refuse(first), ...(others.length > 0 && { others }) };
}

/** Joins what was refused of two parts of one input. */
export function together<Reason extends string>(one: Refused<Reason>, other: Refused<Reason>): Refused<Reason> {
  return { ...one, others: [...(one.others ?? []), other.reason, ...(other.others ?? [])] };
}

export function isRefused<T, Reason extends string>(value: T | Refused<Reason>): value is Refused<Reason> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'refused';
}
