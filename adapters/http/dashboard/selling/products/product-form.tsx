import type { ComponentChildren, VNode } from 'preact';
import { refundRules } from '../../../../../core/marketplace/product-terms.ts';
import { AreaField, ChoiceField, TextField } from '../../../ui/form.tsx';
import type { FormState } from '../../../ui/form-state.ts';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { sellingPath } from '../selling-page.tsx';
import { durations, hostOptions } from './product-fields.ts';

const { sellingProducts: words } = texts;
/** The fields in the part that is folded away. */
const termNames = ['max_domains', 'duration', 'days', 'hosts', 'preview_hosts', 'moves', 'on_refund'];

/** The fields of a product. The children are those of one form only, such as files. */
export function ProductFields({
  visit,
  state,
  isOpen = false,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  /** Whether the license terms are shown at once. */
  readonly isOpen?: boolean;
  readonly children?: ComponentChildren;
}): VNode {
  const field = (name: string, label: string, hint?: string) => (
    <TextField state={state} name={name} label={label} {...(hint !== undefined && { hint })} />
  );
  return (
    <>
      <h2>{words.listing}</h2>
      {field('title', words.name)}
      {field('tagline', words.tagline, words.taglineHint)}
      <DescriptionField visit={visit} state={state} />
      <TextField state={state} name="price" label={words.price} hint={words.priceHint} inputmode="decimal" />
      <div class="pair">
        {field('module', words.module, words.moduleHint)}
        {field('variant', words.variant, words.variantHint)}
      </div>
      <div class="pair">
        {field('category', words.category, words.optional)}
        {field('subcategory', words.subcategory, words.optional)}
      </div>
      {field('blockchains', words.blockchains, words.blockchainsHint)}
      {field('tags', words.tags, words.tagsHint)}
      {field('seller_name', words.sellerName, words.sellerNameHint)}
      <ChoiceField
        state={state}
        name="support"
        type="checkbox"
        label={words.support}
        options={[['yes', words.isSupported]]}
      />
      {children}
      <TermFields state={state} isOpen={isOpen} />
    </>
  );
}

/** Without script, a button opens the preview in a window of its own. With it, the preview follows what is typed. */
function DescriptionField({ visit, state }: { readonly visit: SignedInVisit; readonly state: FormState }): VNode {
  const address = `${visit.frame.root}${sellingPath(visit, 'products/preview')}`;
  return (
    <div class="with-preview">
      <AreaField state={state} name="description" label={words.description} hint={words.descriptionHint} rows={12} />
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

function TermFields({ state, isOpen }: { readonly state: FormState; readonly isOpen: boolean }): VNode {
  const isWrong = termNames.some((name) => state.faults[name] !== undefined);
  return (
    <details class="folded" open={isOpen || isWrong}>
      <summary class="fold">{words.terms}</summary>
      <p class="lead">{words.termsLead}</p>
      <TextField state={state} name="max_domains" label={words.maxDomains} inputmode="numeric" />
      <ChoiceField
        state={state}
        name="duration"
        type="radio"
        label={words.duration}
        options={durations.map((one) => [one, words.durations[one]])}
      />
      {/* The style sheet hides this field while it is not needed. */}
      <div class="if-days">
        <TextField state={state} name="days" label={words.days} inputmode="numeric" />
      </div>
      <ChoiceField
        state={state}
        name="hosts"
        type="checkbox"
        label={words.hosts}
        options={hostOptions.map((one) => [one, words.hostOptions[one]])}
      />
      <AreaField
        state={state}
        name="preview_hosts"
        label={words.previewHosts}
        hint={words.previewHostsHint}
        rows={3}
        isCode
      />
      <TextField state={state} name="moves" label={words.moves} hint={words.movesHint} inputmode="numeric" />
      <ChoiceField
        state={state}
        name="on_refund"
        type="radio"
        label={words.onRefund}
        options={refundRules.map((one) => [one, words.refundRules[one]])}
      />
    </details>
  );
}
