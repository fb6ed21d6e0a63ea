import type { VNode } from 'preact';
import { z } from 'zod';
import {
  mostGraceDays,
  type Offer,
  offerKinds,
  offerLimits,
  type Recurrence,
  usualRecurrence,
} from '../../../../core/marketplace/offers.ts';
import { formatPrice, type Product } from '../../../../core/marketplace/product.ts';
import { termLimits } from '../../../../core/marketplace/product-terms.ts';
import { readFields } from '../../body.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import type { FormValues } from '../../ui/form-state.ts';
import { offerSentence, otherPrices } from '../../ui/offer-words.ts';
import { act } from '../kit/act.tsx';
import { send, shown } from '../kit/answer.ts';
import { entitlements, oneOf, optional, required, someOf, whole, wholeOrNothing } from '../kit/fields.ts';
import { admit, type DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { SellingPage, sellerIn } from '../kit/selling.tsx';
import type { Subject, SubjectVisit } from '../kit/subject-page.tsx';
import { priceField } from './fields.ts';
import { OfferFields } from './offer-fields.tsx';
import { offerWords as names } from './offer-words.ts';
import { priceRows, toPrices, valuesOfPrices, withPriceRows } from './price-rows.tsx';
import type { ProductTools } from './subject.tsx';
import { daysRule, durationFields, toDuration, valuesOfDuration } from './terms.tsx';
import { words } from './words.ts';

const fields = withPriceRows(
  z.object({
    ...priceRows,
    kind: oneOf(offerKinds, names.noKind),
    from_offer: optional(offerLimits.slug),
    name: required(offerLimits.name, names.noName),
    price: priceField,
    max_domains: whole(1, termLimits.maxDomains),
    ...durationFields,
    updates_months: wholeOrNothing(1, offerLimits.months),
    interval_months: wholeOrNothing(1, offerLimits.interval),
    grace_days: wholeOrNothing(1, mostGraceDays),
    perpetual_after: wholeOrNothing(1, offerLimits.months),
    entitlements,
    listed: someOf(['yes']),
    position: wholeOrNothing(1, offerLimits.offers),
  }),
).refine(...daysRule);

const blank: FormValues = {
  kind: 'once',
  from_offer: '',
  max_domains: '1',
  ...valuesOfDuration(null),
  updates_months: '',
  ...valuesOfRecurrence(usualRecurrence),
  entitlements: '',
  listed: ['yes'],
};

function valuesOfRecurrence({ months, graceDays, perpetualAfter }: Recurrence): FormValues {
  return {
    interval_months: String(months),
    grace_days: String(graceDays),
    perpetual_after: String(perpetualAfter ?? ''),
  };
}

type Input = z.output<typeof fields>;

function toOffer(input: Input): Omit<Offer, 'slug'> {
  const months = input.interval_months ?? usualRecurrence.months;
  const graceDays = input.grace_days ?? usualRecurrence.graceDays;
  const { perpetual_after: perpetualAfter = null } = input;
  const isRecurring = input.kind === 'subscription';
  return {
    kind: input.kind,
    fromOffer: input.from_offer || null,
    name: input.name,
    price: input.price,
    ...toPrices(input),
    maxDomains: input.max_domains,
    // The style sheet hides what the kind does not have.
    duration: isRecurring ? null : toDuration(input),
    updatesMonths: isRecurring ? null : (input.updates_months ?? null),
    ...(isRecurring && { recurs: { months, graceDays, perpetualAfter } }),
    entitlements: input.entitlements,
    isListed: input.listed.length > 0,
  };
}

function valuesOf({ offers }: Product, offer: Offer): FormValues {
  return {
    kind: offer.kind,
    from_offer: offer.fromOffer ?? '',
    name: offer.name,
    price: formatPrice(offer.price),
    ...valuesOfPrices(offer),
    max_domains: String(offer.maxDomains),
    ...valuesOfDuration(offer.duration),
    updates_months: String(offer.updatesMonths ?? ''),
    ...valuesOfRecurrence(offer.recurs ?? usualRecurrence),
    entitlements: offer.entitlements.join(' '),
    listed: offer.isListed ? ['yes'] : [],
    position: String(offers.indexOf(offer) + 1),
  };
}

/** Says which of the values do not go together. */
const wrongOffer = asRefused();

/** Returns the offer that the address names. */
function offerIn({ one, visit }: Pick<SubjectVisit<Product>, 'one' | 'visit'>): Offer {
  const offer = one.offers.find(({ slug }) => slug === visit.params.offer);
  if (offer === undefined) throw new Failure('not_found');
  return offer;
}

/** The forms of offers, the question before one is removed, and the preview of what buyers will read. */
export function offerActs(tools: DashboardTools, product: Subject<Product>, own: ProductTools): Endpoint[] {
  const { offers } = own;
  const asked = ({ address, one }: SubjectVisit<Product>, edited?: Offer) => ({
    fields: <OfferFields product={one} edited={edited} />,
    others: (
      <button
        type="submit"
        class="button"
        formaction={`${address}/offers/preview${one.bundle === null ? '' : '?bundle=yes'}`}
        formtarget="_blank"
      >
        {names.preview}
      </button>
    ),
  });
  return [
    ...act(tools, product, {
      id: 'new-offer',
      name: 'offers/new',
      fields,
      initial: blank,
      ask: (at) => ({
        ...asked(at),
        title: names.add,
        lead: at.one.bundle === null ? names.addLead : names.addLeadOfBundle,
        submit: names.submit,
      }),
      work: ({ one, visit, fields: input }) =>
        offers.add(String(one.id), toOffer(input), sellerIn(visit), input.position),
      notice: 'offer_added',
      refusals: {
        product_archived: { text: words.archivedAlready },
        too_many_offers: { text: names.tooMany },
        offer_exists: { text: names.tooMany },
        invalid_offer: wrongOffer,
      },
    }),
    previewPage(tools),
    ...act(tools, product, {
      id: 'edit-offer',
      name: 'offers/:offer/edit',
      fields,
      edits: ['listed', 'choice'],
      initial: (at) => valuesOf(at.one, offerIn(at)),
      ask: (at) => ({ ...asked(at, offerIn(at)), title: names.editTitle(offerIn(at).name), submit: names.save }),
      work(at) {
        const { slug } = offerIn(at);
        const { one, visit, fields: input } = at;
        const { kind: _, recurs, ...edit } = toOffer(input);
        return offers.change(
          String(one.id),
          slug,
          { ...edit, ...(recurs && { recurs }) },
          sellerIn(visit),
          input.position,
          offerIn(at),
        );
      },
      notice: 'offer_changed',
      refusals: { product_archived: { text: words.archivedAlready }, invalid_offer: wrongOffer },
    }),
    ...act(tools, product, {
      id: 'remove-offer',
      name: 'offers/:offer/remove',
      fields: z.object({}),
      ask: (at) => ({
        title: names.removeTitle(offerIn(at).name),
        lead: names.removeLead,
        submit: names.remove,
        isDangerous: true,
      }),
      work: ({ one, visit }) => offers.remove(String(one.id), visit.params.offer ?? '', sellerIn(visit)),
      notice: 'offer_removed',
      refusals: { product_archived: { text: words.archivedAlready }, offer_needed: wrongOffer },
    }),
  ];
}

/** Shows in a window of its own what buyers will read of the offer in the form. */
function previewPage(tools: DashboardTools): Endpoint {
  return {
    id: 'preview-offer',
    method: 'post',
    paths: [`/${areas.selling.products}/:id/offers/preview`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'user');
      if (!visit) return;
      const { data, error } = fields.safeParse(await readFields(ctx));
      send(
        visit,
        tools.cookies,
        shown(
          <SellingPage visit={visit} at="products" isBelow title={names.previewTitle}>
            {data === undefined ? (
              <ul class="faults">
                {error.issues.map(({ message }) => (
                  <li key={message}>{message}</li>
                ))}
              </ul>
            ) : (
              <OfferText offer={toOffer(data)} hasTerms={visit.query.bundle === undefined} />
            )}
          </SellingPage>,
        ),
      );
    },
  };
}

function OfferText({ offer, hasTerms }: { readonly offer: Omit<Offer, 'slug'>; readonly hasTerms: boolean }): VNode {
  return (
    <>
      <p dir="auto" class="breakable">
        <strong>{offer.name}</strong>
      </p>
      <p class="breakable">{[offerSentence(offer, hasTerms), otherPrices(offer)].filter(Boolean).join(' ')}</p>
    </>
  );
}
