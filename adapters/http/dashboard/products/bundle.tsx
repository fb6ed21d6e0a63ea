import type { VNode } from 'preact';
import { z } from 'zod';
import { baseCurrency } from '../../../../core/currency.ts';
import { toProductId, type UserId } from '../../../../core/id.ts';
import { type BundledProduct, bundleLimits } from '../../../../core/marketplace/bundle.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { SelectField } from '../../ui/form.tsx';
import { type FormValues, textOf } from '../../ui/form-state.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { priceOf } from '../../ui/prices.ts';
import { act } from '../kit/act.tsx';
import { formId, optionalText } from '../kit/fields.ts';
import { asRefused, form } from '../kit/form.ts';
import { type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { receiving } from '../kit/uploads.ts';
import { bundleWords as names } from './bundle-words.ts';
import { productFields, toChosenParts, toListing, wrongPattern, wrongPrices } from './fields.ts';
import { createNewListing } from './new-listing.tsx';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

/** The rows that are shown at first, and below the last one that is filled in. The others are folded away. */
const [firstRows, spareRows] = [4, 2];
/** So many of the newest products can be chosen, beside those that the bundle contains. */
const mostChoices = 100;

const rowNames = Array.from({ length: bundleLimits.most }, (_, index) => `product_${index + 1}`);
const rowFields: Readonly<Record<string, typeof optionalText>> = Object.fromEntries(
  rowNames.map((name) => [name, optionalText]),
);

/** The value of a choice: the id of a product, and the slug of the offer if one is chosen. */
const choiceOf = ({ productId, offer }: BundledProduct) =>
  offer === null ? String(productId) : `${productId}/${offer}`;

function valuesOf(bundle: readonly BundledProduct[]): FormValues {
  return Object.fromEntries(bundle.map((one, index) => [rowNames[index] ?? '', choiceOf(one)]));
}

/** Returns the products of the rows that are filled in. The use case checks them. */
function bundleIn(typed: Readonly<Record<string, unknown>>): readonly BundledProduct[] {
  return rowNames.flatMap((name) => {
    const [, id, offer = null] = /^(\d{1,9})(?:\/(.+))?$/.exec(String(typed[name] ?? '')) ?? [];
    return id === undefined ? [] : [{ productId: toProductId(Number(id)), offer }];
  });
}

interface Choices {
  readonly options: readonly (readonly [value: string, text: string])[];
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
  const others = await Promise.all(missing.map(({ productId }) => products.show(String(productId), seller)));
  const found = [...newest, ...others.flatMap((one) => (isRefused(one) ? [] : [one]))];
  const options = found
    .filter((product) => product.ownerId === ownerId && product.bundle === null)
    .flatMap((product): Choices['options'] => [
      [String(product.id), names.choice(product.title, priceOf(product.price, baseCurrency))],
      ...product.offers
        .filter(({ kind }) => kind === 'once')
        .map(({ slug, name, price }): Choices['options'][number] => [
          `${product.id}/${slug}`,
          names.choice(`${product.title}: ${name}`, priceOf(price, baseCurrency)),
        ]),
    ]);
  const lost = chosen.map(choiceOf).filter((value) => !options.some(([one]) => one === value));
  return { options: [...options, ...lost.map((value) => [value, names.lost(value)] as const)], hasMore: next !== null };
}

/** A choice of a product on each row, in the order in which pages show them. */
function BundleRows({ choices: { options, hasMore } }: { readonly choices: Choices }): VNode {
  const state = useFormState();
  const last = rowNames.findLastIndex((name) => textOf(state, name) !== '');
  const rows = rowNames.map((name, index) => (
    <SelectField key={name} name={name} label={names.row(index + 1)} options={[['', names.nothing], ...options]} />
  ));
  const shown = Math.max(firstRows, last + 1 + spareRows);
  return (
    <>
      {hasMore && <p class="note">{names.onlyNewest(mostChoices)}</p>}
      {rows.slice(0, shown)}
      {shown < rows.length && (
        <details class="folded">
          <summary class="fold">{names.more}</summary>
          {rows.slice(shown)}
        </details>
      )}
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
    initial,
    render: async (visit, state) =>
      render(visit, state, {
        title: names.newTitle,
        lead: names.newLead,
        scripts: ['preview.js'],
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
      lead: `${names.formLead} ${names.editLead}`,
      fields: <BundleRows choices={await choicesFor(own, visit, one.ownerId, one.bundle ?? [])} />,
      submit: words.save,
    }),
    work: ({ one, visit, fields }) => own.setBundle(String(one.id), bundleIn(fields), sellerIn(visit), one),
    notice: 'product_saved',
    refusals: { product_archived: { text: words.archivedAlready }, invalid_bundle: asRefused() },
  });
}

/** How many products a bundle contains, with the way to change them. Products with files cannot be bundles. */
export function BundlePart({
  product: { bundle, zip, templateId, archivedAt },
  address,
}: {
  readonly product: Product;
  readonly address: string;
}): VNode | null {
  if (archivedAt !== null || (bundle === null && (zip !== null || templateId !== null))) return null;
  return (
    <section id="bundle">
      <PartHead title={names.title} lead={bundle === null ? names.none : names.contains(bundle.length)}>
        <ButtonLink href={`${address}/bundle`} text={bundle === null ? names.make : names.edit} />
      </PartHead>
    </section>
  );
}
