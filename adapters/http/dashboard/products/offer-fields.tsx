import type { VNode } from 'preact';
import { entitlementLimits } from '../../../../core/licensing/entitlements.ts';
import { type Offer, offerKinds } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { ChoiceField, HiddenField, hinted, SelectField, TextField } from '../../ui/form.tsx';
import { offerWords as names } from './offer-words.ts';
import { PriceRows } from './price-rows.tsx';
import { termWords } from './term-words.ts';
import { DurationFields } from './terms.tsx';
import { words } from './words.ts';

/** The fields of an offer. `edited`: if it exists already. */
export function OfferFields({
  product,
  edited,
}: {
  readonly product: Product;
  readonly edited: Offer | undefined;
}): VNode {
  const from = product.offers.filter(({ kind, slug }) => kind !== 'renewal' && slug !== edited?.slug);
  const listing = (
    <>
      <ChoiceField name="listed" type="checkbox" label={names.listed} options={[['yes', names.isListed]]} />
      <TextField name="position" label={names.position} hint={names.positionHint} inputmode="numeric" />
    </>
  );
  const prices = (
    <>
      <TextField name="name" label={names.name} hint={names.nameHint} />
      <TextField
        name="price"
        label={words.price}
        hint={product.bundle === null ? names.priceHint : names.priceHintOfBundle}
        inputmode="decimal"
      />
      <PriceRows />
    </>
  );
  if (product.bundle !== null) {
    // It is paid once, and its products have the terms.
    return (
      <>
        {['kind', 'max_domains', 'duration', 'days'].map((name) => (
          <HiddenField key={name} name={name} />
        ))}
        {prices}
        {listing}
      </>
    );
  }
  return (
    <>
      {edited ? (
        <HiddenField name="kind" />
      ) : (
        <ChoiceField
          name="kind"
          type="radio"
          label={names.kind}
          options={hinted(offerKinds, names.kinds, names.kindHints)}
        />
      )}
      {prices}
      <div class="if-recurring">
        <SelectField
          name="interval_months"
          label={names.interval}
          options={intervalsWith(edited?.recurs?.months).map((n) => [
            String(n),
            names.intervals[n] ?? names.otherInterval(n),
          ])}
        />
      </div>
      <div class="if-changes">
        <SelectField
          name="from_offer"
          label={names.from}
          hint={names.fromHint}
          options={[['', names.fromAny], ...from.map(({ slug, name }) => [slug, name] as const)]}
        />
      </div>
      <div class="if-new-terms">
        <TextField name="max_domains" label={termWords.maxDomains} inputmode="numeric" />
      </div>
      <div class="if-recurring">
        <TextField name="grace_days" label={names.grace} hint={names.graceHint} inputmode="numeric" />
        <TextField name="perpetual_after" label={names.perpetual} hint={names.perpetualHint} inputmode="numeric" />
      </div>
      <div class="if-not-recurring">
        <DurationFields />
        <TextField name="updates_months" label={names.updates} hint={names.updatesHint} inputmode="numeric" />
      </div>
      <div class="if-new-terms">
        <TextField
          name="entitlements"
          label={names.entitlements}
          hint={names.entitlementsHint(entitlementLimits.codes)}
        />
      </div>
      {listing}
    </>
  );
}

/** The intervals to choose from, with the one that the offer has. */
function intervalsWith(months: number | undefined): number[] {
  const all = new Set([...Object.keys(names.intervals).map(Number), ...(months === undefined ? [] : [months])]);
  return [...all].sort((one, other) => one - other);
}
