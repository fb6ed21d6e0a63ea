import type { VNode } from 'preact';
import { z } from 'zod';
import { baseCurrency } from '../../../../core/currency.ts';
import { toProductId, type UserId } from '../../../../core/id.ts';
import { type BundledProduct, bundleLimits } from '../../../../core/marketplace/bundle.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { SelectField, TextField } from '../../ui/form.tsx';
import { type FormValues, textOf } from '../../ui/form-state.ts';
import { moneyOf, priceOf, shownPrice } from '../../ui/prices.ts';
import { act } from '../kit/act.tsx';
import { formId, optionalText, wholeOrNothing } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { receiving } from '../kit/uploads.ts';
import { bundledIds } from './bundle-part.tsx';
import { bundleWords as names } from './bundle-words.ts';
import { productFields, toChosenParts, toListing, wrongPattern, wrongPrices } from './fields.ts';
import { createNewListing } from './new-listing.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

/** The rows that are shown at first, and below the last one that is filled in. The others are folded away. */
const [firstRows, spareRows] = [4, 2];
/** So many of the newest products can be chosen, beside those that the bundle contains. */
const mostChoices = 100;

const rows = Array.from({ length: bundleLimits.most }, (_, index) => index + 1);
const productField = (row: number) => `product_${row}`;
const placeField = (row: number) => `place_${row}`;
const rowNames = rows.map(productField);
const place = wholeOrNothing(1, bundleLimits.most);
const rowFields: Readonly<Record<string, typeof optionalText>> = Object.fromEntries(
  rows.flatMap((row) => [
    [productField(row), optionalText],
    [placeField(row), place],
  ]),
);
/** Each row is at its own place before anybody moves it. */
const ownPlaces: FormValues = Object.fromEntries(rows.map((row) => [placeField(row), String(row)]));

/** The value of a choice: the id of a product, and the slug of the offer if one is chosen. */
const choiceOf = ({ productId, offer }: BundledProduct) =>
  offer === null ? String(productId) : `${productId}/${offer}`;

function valuesOf(bundle: readonly BundledProduct[]): FormValues {
  return { ...ownPlaces, ...Object.fromEntries(bundle.map((one, index) => [rowNames[index] ?? '', choiceOf(one)])) };
}

/** Returns the products of the rows that are filled in, those that were moved at their new places. The use case checks them. */
function bundleIn(typed: Readonly<Record<string, unknown>>): readonly BundledProduct[] {
  const filled = rows.flatMap((row) => {
    const [, id, offer = null] = /^(\d{1,9})(?:\/(.+))?$/.exec(String(typed[productField(row)] ?? '')) ?? [];
    const place = Number(typed[placeField(row)] || row);
    return id === undefined ? [] : [{ row, place, product: { productId: toProductId(Number(id)), offer } }];
  });
  const moved = filled.filter(({ row, place }) => place !== row).toSorted((one, other) => one.place - other.place);
  return moved
    .reduce<typeof filled>(
      (placed, one) => placed.toSpliced(one.place - 1, 0, one),
      filled.filter(({ row, place }) => place === row),
    )
    .map(({ product }) => product);
}

interface Choices {
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The price of each, in US cents. */
  readonly prices: ReadonlyMap<string, number>;
  /** Whether the seller has more products than can be chosen. */
  readonly hasMore: boolean;
}

/** The products of a seller that a bundle can contain, each with its offers that are paid once. */
async function choicesFor(
  { products }: ProductTools,
  visit: SignedInVisit,
  ownerId: UserId | null,
  chosen: readonly BundledProduct[],
): Promise<Choices> {
  const seller = sellerIn(visit);
  const filter = { state: 'published', ownerId: ownerId ?? undefined, limit: mostChoices } as const;
  const { products: newest, next } = orFail(await products.list(filter, seller));
  const missing = chosen.filter(({ productId }) => !newest.some(({ id }) => id === productId));
  const others = missing.length === 0 ? [] : await products.named(bundledIds({ bundle: missing }), seller);
  const found = [...newest, ...others]
    .filter((product) => product.ownerId === ownerId && product.bundle === null)
    .flatMap(({ id, title, price, offers }) => [
      { value: String(id), title, price },
      ...offers
        .filter(({ kind }) => kind === 'once')
        .map(({ slug, name, price }) => ({ value: `${id}/${slug}`, title: `${title}: ${name}`, price })),
    ]);
  const prices = new Map(found.map(({ value, price }) => [value, price]));
  const options = found.map(
    ({ value, title, price }) => [value, names.choice(title, priceOf(price, baseCurrency))] as const,
  );
  const lost = chosen.map(choiceOf).filter((value) => !prices.has(value));
  return {
    options: [...options, ...lost.map((value) => [value, names.lost(value)] as const)],
    prices,
    hasMore: next !== null,
  };
}

/**
 * A choice of a product on each row, with its place, and the sum of their prices. The script of the page keeps the sum true while
 * somebody chooses. `bundle`: if it exists already.
 */
function BundleRows({
  choices: { options, prices, hasMore },
  bundle,
}: {
  readonly choices: Choices;
  readonly bundle?: Product;
}): VNode {
  const state = useFormState();
  const last = rowNames.findLastIndex((name) => textOf(state, name) !== '');
  const sum = rowNames.reduce((total, name) => total + (prices.get(textOf(state, name)) ?? 0), 0);
  const fields = rows.map((row) => (
    <div key={row} class="pair with-place">
      <SelectField name={productField(row)} label={names.row(row)} options={[['', names.nothing], ...options]} />
      <TextField name={placeField(row)} label={names.place} inputmode="numeric" />
    </div>
  ));
  const shown = Math.max(firstRows, last + 1 + spareRows);
  return (
    <>
      {hasMore && <p class="note">{names.onlyNewest(mostChoices)}</p>}
      {fields.slice(0, shown)}
      {shown < fields.length && (
        <details class="folded">
          <summary class="fold">{names.more}</summary>
          {fields.slice(shown)}
        </details>
      )}
      <p>
        {names.together}{' '}
        <output data-prices={JSON.stringify(Object.fromEntries(prices))}>{moneyOf(sum, baseCurrency)}</output>.{' '}
        {bundle && names.price(shownPrice(bundle))}
      </p>
    </>
  );
}

/** The form for a new bundle. It has no files. */
export function newBundlePages(tools: DashboardTools, own: ProductTools): Endpoint[] {
  const { initial, render, publish } = createNewListing(own);
  return form(tools, {
    id: 'new-bundle',
    path: `/${areas.selling.products}/new-bundle`,
    audience: 'user',
    fields: productFields({ once: formId, ...rowFields }),
    // Its text may be long.
    receive: receiving(tools, {}),
    initial: async (visit) => ({ ...(await initial(visit)), ...ownPlaces }),
    render: async (visit, state) =>
      render(visit, state, {
        title: names.newTitle,
        lead: names.newLead,
        scripts: ['preview.js', 'bundle-sum.js'],
        isBundle: true,
        zip: (
          <>
            <h2>{names.title}</h2>
            <p class="intro">{names.formLead}</p>
            <BundleRows choices={await choicesFor(own, visit, visit.me.login.id, bundleIn(state.values))} />
          </>
        ),
      }),
    act: (visit, { once, ...input }) =>
      publish(visit, ['new-bundle', once], (caller) =>
        own.marketplace.publishBundle(caller, { ...toListing(input), ...toChosenParts(input) }, bundleIn(input)),
      ),
    refusals: {
      invalid_bundle: asRefused(),
      too_many_bundles: asRefused(),
      invalid_terms: wrongPattern,
      invalid_prices: wrongPrices,
    },
  });
}

/** The form that changes what a bundle contains. */
export function bundleActs(tools: DashboardTools, product: Subject<Product>, own: ProductTools): Endpoint[] {
  return act(tools, product, {
    id: 'edit-bundle',
    name: 'bundle',
    fields: z.object(rowFields),
    initial: ({ one }) => valuesOf(one.bundle ?? []),
    edits: rowNames,
    ask: async ({ one, visit }) => ({
      title: names.editTitle,
      scripts: ['bundle-sum.js'],
      lead: `${names.formLead} ${names.editLead}`,
      fields: <BundleRows choices={await choicesFor(own, visit, one.ownerId, one.bundle ?? [])} bundle={one} />,
      submit: words.save,
    }),
    work: ({ one, visit, fields }) => own.setBundle(String(one.id), bundleIn(fields), sellerIn(visit), one),
    notice: 'product_saved',
    refusals: { product_archived: { text: words.archivedAlready }, invalid_bundle: asRefused() },
  });
}
