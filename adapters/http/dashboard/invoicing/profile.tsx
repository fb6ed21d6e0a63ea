import type { VNode } from 'preact';
import { z } from 'zod';
import { type InvoiceProfile, profileLimits } from '../../../../core/invoices/invoice-profile.ts';
import type { InvoiceProfiles } from '../../../../core/invoices/invoice-profiles.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { Whose } from '../../../../core/sellers/whose.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import { AreaField, ChoiceField, Form, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { goTo } from '../kit/answer.ts';
import { BillingFields, billingFields, billingRefusals, billingValues, typedBilling } from '../kit/billing-fields.tsx';
import { optional, optionalText, someOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { actorOf, type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { SellingPage, sellingPath } from '../kit/selling.tsx';

/** The words of the forms for the details on invoices. */
export const profileWords = {
  title: 'Your details on invoices',
  lead: 'They are on the invoices of all orders that are paid from now on. Invoices that have a number keep what they say.',
  siteTitle: 'Details on invoices',
  siteLead: 'For products that belong to the site itself. Other sellers have details of their own.',
  email: 'E-mail address for questions (optional)',
  prefix: 'Before the numbers (optional)',
  prefixHint:
    'Such as ACME-: then the invoices are ACME-1, ACME-2, and the credit notes ACME-CN-1. Letters, digits, - / and _.',
  note: 'Note at the end (optional)',
  noteHint: 'Such as why there is no tax: “VAT exempt under § 19 UStG”. At most six lines.',
  taxName: 'Tax that your prices contain (optional)',
  taxNameHint:
    'Such as VAT. Only for orders that are not paid with a payment provider: the provider computes its taxes itself. Leave it empty if your prices contain no tax.',
  taxRate: 'Its rate in percent (optional)',
  exempt: 'VAT exemption',
  isExempt: 'I am exempt from VAT, and charge it to nobody',
  exemptHint: 'Then no invoice says that the buyer owes the VAT. Say in the note why there is none.',
  exemptWithTax:
    'Your prices cannot contain a tax if you are exempt. Leave its name and rate empty, or untick the box.',
  wrongEmail: 'Enter one e-mail address, such as ada@example.com.',
  wrongPrefix:
    'Use at most 12 letters, digits, hyphens, slashes and underscores. End with one that is no letter or digit, such as in INV-, and not with CN-.',
  wrongNote: 'Use at most six lines and 500 characters.',
  wrongRate: 'Enter the name of the tax and a rate, such as 19 or 8.1.',
  save: 'Save',
} as const;
const names = profileWords;

const fields = z.object({
  ...billingFields,
  email: optional(profileLimits.email),
  prefix: optionalText,
  note: optional(profileLimits.note),
  tax_name: optional(profileLimits.taxName),
  tax_rate: optionalText,
  vat_exempt: someOf(['yes']),
});

/** The forms for the details on invoices: those of a seller, and those of the site. */
export function profilePages(tools: DashboardTools, { profiles }: { readonly profiles: InvoiceProfiles }): Endpoint[] {
  const profileForm = (
    whose: Whose,
    at: { readonly id: string; readonly path: string; readonly audience: 'user' | 'settings:manage' },
    pageOf: (visit: SignedInVisit, content: VNode) => VNode,
    back: (visit: SignedInVisit) => string,
  ) => {
    const now = async (visit: SignedInVisit) => orFail(await profiles.show(whose, actorOf(visit)));
    return form(tools, {
      ...at,
      fields,
      edits: [],
      async initial(visit) {
        const profile = await now(visit);
        const { email, prefix, note, includedTax, isVatExempt } = profile ?? {
          email: visit.me.login.email,
          prefix: '',
          note: '',
          includedTax: null,
          isVatExempt: false,
        };
        const tax = {
          tax_name: includedTax?.name ?? '',
          tax_rate: includedTax === null ? '' : String(includedTax.rate),
        };
        return { ...billingValues(profile), email, prefix, note, ...tax, vat_exempt: isVatExempt ? ['yes'] : [] };
      },
      render: (visit, state) =>
        pageOf(visit, <ProfileForm state={state} cancel={`${visit.frame.root}${back(visit)}`} />),
      async act(visit, { email, prefix, note, tax_name: name, tax_rate: rate, vat_exempt: exempt, ...typed }) {
        const details = typedBilling(typed);
        if (details === undefined) return refuse('name_missing');
        const includedTax = name === '' && rate === '' ? null : { name, rate: rateOf(rate) };
        const profile: InvoiceProfile = {
          ...details,
          email,
          prefix,
          note,
          includedTax,
          isVatExempt: exempt.length > 0,
        };
        const saved = await profiles.save(whose, profile, actorOf(visit), await now(visit));
        return isRefused(saved) ? saved : goTo(back(visit), { notice: 'invoice_profile_saved' });
      },
      refusals: {
        ...billingRefusals,
        email_invalid: { field: 'email', text: names.wrongEmail },
        prefix_invalid: { field: 'prefix', text: names.wrongPrefix },
        note_invalid: { field: 'note', text: names.wrongNote },
        exempt_with_tax: { field: 'vat_exempt', text: names.exemptWithTax },
        tax_rate_invalid: { field: 'tax_rate', text: names.wrongRate },
        forbidden: { text: names.wrongNote },
      },
    });
  };
  return [
    ...profileForm(
      'own',
      { id: 'own-invoice-details', path: `/${areas.selling.orders}/invoice-details`, audience: 'user' },
      (visit, content) => (
        <SellingPage visit={visit} at="orders" isBelow title={names.title}>
          <p class="intro">{names.lead}</p>
          {content}
        </SellingPage>
      ),
      (visit) => sellingPath(visit, 'orders'),
    ),
    ...profileForm(
      'site',
      { id: 'site-invoice-details', path: `/${areas.admin.settings}/invoices`, audience: 'settings:manage' },
      ({ frame }, content) => (
        <AreaPage frame={frame} place={{ area: 'admin', at: 'settings' }} isBelow title={names.siteTitle}>
          <p class="intro">
            {names.siteLead} {names.lead}
          </p>
          {content}
        </AreaPage>
      ),
      () => areas.admin.settings,
    ),
  ];
}

/** A rate as people type it, such as 19, 8.1 or 8,1. */
function rateOf(text: string): number {
  return /^\d{1,3}(?:[.,]\d{1,3})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}

function ProfileForm({ state, cancel }: { readonly state: FormState; readonly cancel: string }): VNode {
  return (
    <Form state={state} submit={names.save} cancel={cancel}>
      <BillingFields />
      <TextField name="email" type="email" label={names.email} autocomplete="email" />
      <TextField name="prefix" label={names.prefix} hint={names.prefixHint} isCode />
      <AreaField name="note" label={names.note} hint={names.noteHint} rows={3} />
      <TextField name="tax_name" label={names.taxName} hint={names.taxNameHint} />
      <TextField name="tax_rate" label={names.taxRate} inputmode="decimal" />
      <ChoiceField
        name="vat_exempt"
        type="checkbox"
        label={names.exempt}
        hint={names.exemptHint}
        options={[['yes', names.isExempt]]}
      />
    </Form>
  );
}
