import type { VNode } from 'preact';
import type { Instant } from '../../../../../core/ports/clock.ts';
import { type Refused, refuse } from '../../../../../core/refusal.ts';
import { DateField, SelectField } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { oneOf, optionalText } from '../../fields.ts';
import { startOf } from '../../query.ts';

const { expiry: words } = texts.sellingLicenses;

const choices = ['product', 'date', 'never'] as const;
type Choice = (typeof choices)[number];

export const expiryFields = { expiry: oneOf(choices, words.choose), until: optionalText };

/** Returns the chosen expiry. `undefined` leaves it to the product. A license works until the end of its last day in UTC. */
export function expiryOf(choice: Choice, until: string): Instant | null | undefined | Refused<'no_day'> {
  switch (choice) {
    case 'product':
      return undefined;
    case 'never':
      return null;
    case 'date':
      return startOf(until, 1) ?? refuse('no_day');
  }
}

/** `ofProduct` says what the choice that leaves it to the product means. */
export function ExpiryFields({ state, ofProduct }: { readonly state: FormState; readonly ofProduct: string }): VNode {
  const labels: Readonly<Record<Choice, string>> = { ...words.choices, product: ofProduct };
  return (
    <>
      <SelectField
        state={state}
        name="expiry"
        label={words.label}
        options={choices.map((one) => [one, labels[one]] as const)}
      />
      {/* The style sheet hides this field while it is not needed. */}
      <div class="if-date">
        <DateField state={state} name="until" label={words.until} hint={words.untilHint} />
      </div>
    </>
  );
}
