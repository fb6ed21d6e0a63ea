import type { VNode } from 'preact';
import { z } from 'zod';
import { isRefused } from '../../../../core/refusal.ts';
import { mostIssued } from '../../../../core/selling/issuing.ts';
import type { SoldLicense } from '../../../../core/selling/sold-license.ts';
import { clientGone } from '../../client-gone.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Form, HiddenField, type Options, SelectField, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import { Secret } from '../../ui/secret.tsx';
import { shown } from '../kit/answer.ts';
import { formId, optional, reason, required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import type { DashboardTools, SignedInVisit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { offeredProducts, SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import {
  ExpiryFields,
  expiryFields,
  licenseExpiry,
  NoteFields,
  noteFields,
  notesOf,
  ReasonField,
  RightFields,
  rightFields,
  wholeNumber,
} from './fields.tsx';
import { addressOf, type LicenseTools } from './subject.tsx';
import { words } from './words.ts';

const { newLicense, issued: issuedWords } = words;

/** The form that issues licenses. Sending the same form again issues none. */
export function issuePages(tools: DashboardTools, { licenses, products, once }: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-licenses-new',
    path: '/selling/:mode/licenses/new',
    audience: 'user',
    fields: z.object({
      ...noteFields,
      ...expiryFields,
      ...rightFields,
      once: formId,
      product: required(200, newLicense.noProduct),
      offer: optional(200),
      count: wholeNumber(1, mostIssued),
      reason,
    }),
    initial: ({ query }) => ({ product: query.product ?? '', count: '1', expiry: 'product' }),
    render: async (visit, state) => issuePage(visit, state, await offeredProducts(products, visit)),
    async act(visit, { once: id, product, offer, count = 1, max_domains: maxDomains, expiry, until, reason, ...more }) {
      const { updates_until: updatesUntil, entitlements, ...typed } = more;
      const expiresAt = licenseExpiry(expiry, until);
      if (isRefused(expiresAt)) return expiresAt;
      // What is left empty is as the offer says.
      const rights = {
        updatesUntil: updatesUntil ?? undefined,
        entitlements: entitlements.length === 0 ? undefined : entitlements,
      };
      const order = { product, offer: offer || undefined, count, maxDomains, expiresAt, ...rights, ...notesOf(typed) };
      const seller = sellerIn(visit, reason);
      const issued = await once(`${visit.me.login.id}:issue`, id, () =>
        licenses.issue(order, seller, clientGone(visit.ctx.req.socket)),
      );
      if (issued === 'already_sent') return shown(<AlreadyIssued visit={visit} />, { status: 422 });
      return isRefused(issued) ? issued : shown(<Issued visit={visit} issued={issued} />);
    },
    refusals: {
      no_day: { field: 'until', text: words.expiry.noDay },
      expiry_not_later: { field: 'until', text: words.expiry.past },
      too_many_licenses: asRefused('count'),
      notes_too_long: { field: 'count', text: newLicense.tooManyWithNotes },
      offer_not_found: { field: 'offer', text: newLicense.unknownOffer },
      product_not_found: { field: 'product', text: newLicense.unknownProduct },
      product_archived: { field: 'product', text: newLicense.archivedProduct },
      bundle_without_licenses: { field: 'product', text: newLicense.bundle },
    },
  });
}

function issuePage(visit: SignedInVisit, state: FormState, products: Options | undefined): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={newLicense.title}>
      {products?.length === 0 ? (
        <NoProducts visit={visit} />
      ) : (
        <Form state={state} submit={newLicense.submit} cancel={list}>
          <HiddenField name="once" value={newFormId()} />
          <ProductField products={products} />
          <TextField name="offer" label={newLicense.offer} hint={newLicense.offerHint} />
          <TextField
            name="count"
            label={newLicense.count}
            hint={newLicense.countHint(mostIssued)}
            inputmode="numeric"
          />
          <TextField
            name="max_domains"
            label={words.fields.maxDomains}
            hint={newLicense.maxDomainsHint}
            inputmode="numeric"
          />
          <ExpiryFields ofProduct={words.expiry.choices.product} />
          <RightFields isNew />
          <h2>{newLicense.notes}</h2>
          <p class="intro">{newLicense.notesLead}</p>
          <NoteFields />
          <ReasonField />
        </Form>
      )}
    </SellingPage>
  );
}

/** One product is chosen from the start. */
function ProductField({ products }: { readonly products: Options | undefined }): VNode {
  const props = { name: 'product', label: words.product };
  if (products === undefined) return <TextField {...props} hint={newLicense.productHint} />;
  const [only] = products;
  const options = products.length === 1 && only ? [only] : [['', newLicense.chooseProduct] as const, ...products];
  return <SelectField {...props} options={options} />;
}

/** The keys that were just issued, to copy and to download. */
function Issued({ visit, issued }: { readonly visit: SignedInVisit; readonly issued: readonly SoldLicense[] }): VNode {
  const { root } = visit.frame;
  const list = `${root}${sellingPath(visit, 'licenses')}`;
  const keys = issued.map(({ license: { key } }) => key).join('\n');
  const [first] = issued;
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={issuedWords.title(issued.length)} scripts={['copy.js']}>
      <section class="panel marked">
        <p dir="auto">{first?.product.title}</p>
        <Secret id="keys" label={issuedWords.keys(issued.length)} value={keys} mostLines={15} />
        <p>
          {/* The text is in the link itself, so that it is a download without another request. */}
          <a
            class="button"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${keys}\n`)}`}
            download={issuedWords.fileName}
          >
            {issuedWords.download}
          </a>
        </p>
      </section>
      <p class="lead">{issuedWords.stay}</p>
      <p class="choices">
        <ButtonLink href={list} text={issuedWords.toList} look="primary" />
        {issued.length === 1 && first && (
          <ButtonLink href={`${root}${addressOf(first)}`} text={issuedWords.toLicense} />
        )}
        <ButtonLink href={`${list}/new`} text={issuedWords.more} />
      </p>
    </SellingPage>
  );
}

function AlreadyIssued({ visit }: { readonly visit: SignedInVisit }): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={issuedWords.sentTitle}>
      <p class="lead">{issuedWords.sent}</p>
      <p class="choices">
        <ButtonLink href={list} text={issuedWords.toList} look="primary" />
        <ButtonLink href={`${list}/new`} text={issuedWords.more} />
      </p>
    </SellingPage>
  );
}

/** Stands in the place of a form for licenses, if there is no product to which they could belong. */
export function NoProducts({ visit }: { readonly visit: SignedInVisit }): VNode {
  return (
    <EmptyState heading="h2" icon="products" title={newLicense.noProducts}>
      <p>{newLicense.noProductsAdvice}</p>
      <p>
        <ButtonLink
          href={`${visit.frame.root}${sellingPath(visit, 'products')}`}
          text={newLicense.toProducts}
          look="primary"
        />
      </p>
    </EmptyState>
  );
}
