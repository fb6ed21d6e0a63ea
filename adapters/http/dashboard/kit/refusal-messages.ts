import { type Refused, refuse } from '../../../../core/refusal.ts';
import { createFaults } from '../../faults.ts';
import type { FormState } from '../../ui/form-state.ts';

/** How a refusal is shown: beside its field, or above the form if it has none. */
export interface RefusalMessage {
  readonly field?: string;
  readonly text: string | ((refused: Refused) => string);
}

/** Shows the sentence of the refusal itself, beside this field. */
export function asRefused(field?: string): RefusalMessage {
  return { ...(field !== undefined && { field }), text: ({ detail }) => detail ?? '' };
}

/** Returns the messages for all that was refused. */
export function messagesOf<Reason extends string>(
  table: Readonly<Record<Reason, RefusalMessage>>,
  refused: Refused<Reason>,
): Pick<FormState, 'faults' | 'message'> {
  const all: ReadonlyMap<string, RefusalMessage> = new Map(Object.entries<RefusalMessage>(table));
  const faults = createFaults();
  let message: string | undefined;
  for (const one of [refused, ...(refused.others ?? []).map((reason) => refuse(reason))]) {
    const { field, text = '' } = all.get(one.reason) ?? {};
    const words = typeof text === 'string' ? text : text(one);
    if (field === undefined) message ??= words;
    else faults.add(field, words);
  }
  return { faults: faults.all, message };
}
