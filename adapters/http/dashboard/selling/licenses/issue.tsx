import type { VNode } from 'preact';
import { z } from 'zod';
import { isRefused } from '../../../../../core/refusal.ts';
import { mostIssued } from '../../../../../core/selling/issuing.ts';
import type { Endpoint } from '../../../surface.ts';
import { Form, HiddenField, type Options, SelectField, TextField } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { formId, required } from '../../fields.ts';
import { form } from '../../form.ts';
import { newFormId } from '../../once.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { ExpiryFields, expiryFields, expiryOf } from './expiry-choice.tsx';
import { AlreadyIssued, Issued } from './issued.tsx';
import type { LicenseTools } from './license-tools.ts';
import { NoProducts } from './no-products.tsx';
import { NoteFields, noteFields, notesOf, ReasonField, reason, wholeNumber } from './note-fields.tsx';
import { offeredProducts } from './product-choice.ts';

const { sellingLicenses: words } = texts;
const { newLicense } = words;

/** The form that issues licenses. Sending the same form again issues none. */
export function issuePages(tools: DashboardTools, { licenses, products, once }: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-licenses-new',
    path: '/selling/:mode/licenses/new',
    audience: 'user',
    fields: z.object({
      ...noteFields,
      ...expiryFields,
      once: formId,
      product: required(200, newLicense.noProduct),
      count: wholeNumber(1, mostIssued),
      reason,
    }),
    initial: ({ query }) => ({ product: query.product ?? '', count: '1', expiry: 'product' }),
    render: async (visit, state) => (
      <IssuePage visit={visit} state={state} products={await offeredProducts(products, visit)} />
    ),
    async act(visit, { once: id, product, count = 1, max_domains: maxDomains, expiry, until, reason, ...typed }) {
      const expiresAt = expiryOf(expiry, until);
      if (isRefused(expiresAt)) return expiresAt;
      const order = { product, count, maxDomains, expiresAt, ...notesOf(typed) };
      const seller = sellerIn(visit, reason);
      const issued = await once(`${visit.me.login.id}:issue`, id, () => licenses.issue(order, seller));
      if (issued === 'already_sent') return shown(<AlreadyIssued visit={visit} />, { status: 422 });
      return isRefused(issued) ? issued : shown(<Issued visit={visit} issued={issued} />);
    },
    refusals: {
      no_day: { field: 'until', text: words.expiry.noDay },
      expiry_not_later: { field: 'until', text: words.expiry.past },
      product_not_found: { field: 'product', text: newLicense.unknownProduct },
      product_archived: { field: 'product', text: newLicense.archivedProduct },
    },
  });
}

function IssuePage({
  visit,
  state,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  readonly products: Options | undefined;
}): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage visit={visit} at="licenses" above={[{ href: list, title: words.title }]} title={newLicense.title}>
      {products?.length === 0 ? (
        <NoProducts visit={visit} />
      ) : (
        <Form state={state} submit={newLicense.submit} cancel={list}>
          <HiddenField name="once" value={newFormId()} />
          <ProductField state={state} products={products} />
          <TextField
            state={state}
            name="count"
            label={newLicense.count}
            hint={newLicense.countHint(mostIssued)}
            inputmode="numeric"
          />
          <TextField
            state={state}
            name="max_domains"
            label={words.fields.maxDomains}
            hint={newLicense.maxDomainsHint}
            inputmode="numeric"
          />
          <ExpiryFields state={state} ofProduct={words.expiry.choices.product} />
          <h2>{newLicense.notes}</h2>
          <p class="intro">{newLicense.notesLead}</p>
          <NoteFields state={state} />
          <ReasonField state={state} />
        </Form>
      )}
    </SellingPage>
  );
}

/** One product is chosen from the start. */
function ProductField({
  state,
  products,
}: {
  readonly state: FormState;
  readonly products: Options | undefined;
}): VNode {
  const props = { state, name: 'product', label: words.product };
  if (products === undefined) return <TextField {...props} hint={newLicense.productHint} />;
  const [only] = products;
  const options = products.length === 1 && only ? [only] : [['', newLicense.chooseProduct] as const, ...products];
  return <SelectField {...props} options={options} />;
}
