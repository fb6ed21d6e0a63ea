import type { VNode } from 'preact';
import { ChoiceField, TextField } from '../../ui/form.tsx';
import { durations } from './fields.ts';
import { words } from './words.ts';

/** How long a license is valid. */
export function DurationFields(): VNode {
  return (
    <>
      <ChoiceField
        name="duration"
        type="radio"
        label={words.duration}
        options={durations.map((one) => [one, words.durations[one]])}
      />
      {/* The style sheet hides this field while it is not needed. */}
      <div class="if-days">
        <TextField name="days" label={words.days} inputmode="numeric" />
      </div>
    </>
  );
}
