import type { ComponentChildren, VNode } from 'preact';
import { linkKinds } from '../../../../core/marketplace/product-links.ts';
import { ChainIcon } from '../../ui/chain-icon.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { AreaField, ChoiceField, SelectField, TextField } from '../../ui/form.tsx';
import { textOf } from '../../ui/form-state.ts';
import { nameOf } from '../../ui/names.ts';
import type { SignedInVisit } from '../kit/page.ts';
import { sellingPath } from '../kit/selling.tsx';
import { findNames, offeredChains } from './fields.ts';
import { PriceRows } from './price-rows.tsx';
import { termWords } from './term-words.ts';
import { HiddenTerms, TermFields, termNames } from './terms.tsx';
import { words } from './words.ts';

/** The fields of a product: first those that it needs. `zip` and `picture` are the files of a new one. */
export function ProductFields({
  visit,
  categories,
  isOpen = false,
  isBundle = false,
  zip,
  picture,
}: {
  readonly visit: SignedInVisit;
  /** The categories from which to choose. */
  readonly categories: readonly string[];
  /** Whether all fields are shown at once. */
  readonly isOpen?: boolean;
  /** A bundle has no terms. The form keeps those that it may get when it is no bundle any more. */
  readonly isBundle?: boolean;
  readonly zip?: ComponentChildren;
  readonly picture?: ComponentChildren;
}): VNode {
  const field = (name: string, label: string, hint?: string) => (
    <TextField name={name} label={label} {...(hint !== undefined && { hint })} />
  );
  return (
    <>
      <h2>{words.listing}</h2>
      {field('title', words.name)}
      <TextField name="price" label={words.price} hint={words.priceHint} inputmode="decimal" />
      <PriceRows />
      {zip}
      <h2>{words.page}</h2>
      {field('tagline', words.tagline, words.taglineHint)}
      <DescriptionField visit={visit} />
      {picture}
      <Folded summary={words.find} names={findNames} isOpen={isOpen}>
        <div class="pair">
          {field('module', words.module, words.moduleHint)}
          {field('variant', words.variant, words.variantHint)}
        </div>
        <div class="pair">
          <CategoryField categories={categories} />
          {field('own_category', words.ownCategory, words.ownCategoryHint)}
        </div>
        {field('subcategory', words.subcategory, words.optional)}
        <ChoiceField
          name="chains"
          type="checkbox"
          label={words.blockchains}
          options={offeredChains.map((chain) => [
            chain,
            <>
              <ChainIcon chain={chain} /> {nameOf(chain)}
            </>,
          ])}
        />
        {field('blockchains', words.otherBlockchains, words.blockchainsHint)}
        {field('tags', words.tags, words.tagsHint)}
        {field('seller_name', words.sellerName, words.sellerNameHint)}
        {linkKinds.map((kind) => (
          <TextField key={kind} name={kind} label={words.links[kind]} hint={words.linkHint} />
        ))}
        <ChoiceField name="support" type="checkbox" label={words.support} options={[['yes', words.isSupported]]} />
      </Folded>
      {isBundle ? (
        <HiddenTerms />
      ) : (
        <Folded summary={termWords.title} names={termNames} isOpen={isOpen}>
          <TermFields />
        </Folded>
      )}
    </>
  );
}

/** A category of the list, or none. The one of the product is in the list too. */
function CategoryField({ categories }: { readonly categories: readonly string[] }): VNode {
  const own = textOf(useFormState(), 'category');
  const listed = own === '' || categories.includes(own) ? categories : [own, ...categories];
  const options = listed.map((one) => [one, nameOf(one)] as const);
  return (
    <SelectField
      name="category"
      label={words.category}
      hint={words.optional}
      options={[['', words.noCategory], ...options]}
    />
  );
}

/** Without script, a button opens the preview in a window of its own. With it, the preview follows what is typed. */
function DescriptionField({ visit }: { readonly visit: SignedInVisit }): VNode {
  const address = `${visit.frame.root}${sellingPath(visit, 'products/preview')}`;
  return (
    <div class="with-preview">
      <AreaField name="description" label={words.description} hint={words.descriptionHint} rows={12} />
      <p class="if-no-script">
        <button type="submit" class="button small" formaction={address} formtarget="_blank">
          {words.preview}
        </button>
      </p>
      <section
        class="preview"
        aria-label={words.previewTitle}
        data-preview-of="description"
        data-address={address}
        hidden
      />
    </div>
  );
}

/** Fields that are shown when somebody opens them, or if one of them is wrong. */
function Folded({
  summary,
  names,
  isOpen,
  children,
}: {
  readonly summary: string;
  readonly names: readonly string[];
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}): VNode {
  const { faults } = useFormState();
  const isWrong = names.some((name) => faults[name] !== undefined);
  return (
    <details class="folded" open={isOpen || isWrong}>
      <summary class="fold">{summary}</summary>
      {children}
    </details>
  );
}
