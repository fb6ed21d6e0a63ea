import type { VNode } from 'preact';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { BillingFields, billingFields, typedBilling } from '../kit/billing-fields.tsx';
import { billingWords } from './billing.tsx';
import type { BuyingTools } from './frame.tsx';

/** The details of a company, folded until somebody needs them. */
export function CompanyPart({ state }: { readonly state: FormState }): VNode {
  const isTyped = Object.keys(billingFields).some((name) => textOf(state, name) !== '' || state.faults[name]);
  return (
    <details class="folded company" open={isTyped}>
      <summary>{billingWords.question}</summary>
      <p class="hint">{billingWords.lead}</p>
      <BillingFields />
    </details>
  );
}

/** Returns the typed details, or what is wrong with them. `undefined`: nothing was typed. */
export function checkedCompany({ billing }: Pick<BuyingTools, 'billing'>, typed: Parameters<typeof typedBilling>[0]) {
  const details = typedBilling(typed);
  return details && billing.check(details);
}
