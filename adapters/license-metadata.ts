import { z } from 'zod';
import { noteLimits } from '../core/licensing/license-notes.ts';

/** The schema of the metadata of a license. `storable` makes the schema of a text with at most so many characters. */
export function metadataOf(storable: (max: number) => z.ZodString, notTexts: string) {
  return z
    .record(
      storable(noteLimits.metadataKey).min(1, 'A name must not be empty.'),
      storable(noteLimits.metadataText),
      notTexts,
    )
    .refine(
      (value) => Object.keys(value).length <= noteLimits.metadata,
      `It must have at most ${noteLimits.metadata} texts.`,
    );
}
