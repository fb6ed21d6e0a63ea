import type { z } from 'zod';
import { createFaults } from '../../faults.ts';
import { isWithoutNul, nulFault } from '../../fields.ts';
import type { FormValues } from '../../ui/form-state.ts';

/** The text fields of a multipart form. */
export function valuesIn(fields: Readonly<Record<string, unknown>>): FormValues {
  const texts = Object.entries(fields).filter(
    (entry): entry is [string, string | string[]] => typeof entry[1] === 'string' || Array.isArray(entry[1]),
  );
  return Object.fromEntries(texts);
}

/** The messages for each field. A field that contains NUL is at fault, even if its schema accepts it. */
export function faultsOf(values: FormValues, error: z.ZodError | undefined): Record<string, readonly string[]> {
  const faults = createFaults();
  for (const { path, message } of error?.issues ?? []) faults.add(String(path[0] ?? ''), message);
  for (const [name, value] of Object.entries(values)) {
    if (![name, ...[value].flat()].every(isWithoutNul)) faults.set(name, [nulFault]);
  }
  return faults.all;
}
