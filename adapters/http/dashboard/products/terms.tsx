import type { VNode } from 'preact';
import type { z } from 'zod';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import {
  type Duration,
  deactivationPolicies,
  type ProductTerms,
  proofPolicies,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { AreaField, ChoiceField, HiddenField, named, TextField } from '../../ui/form.tsx';
import { choicesOf, type FormValues } from '../../ui/form-state.ts';
import { type Fact, Facts } from '../../ui/list.tsx';
import { product as publicWords } from '../../ui/product-words.ts';
import { fieldWords, oneOf, optionalText, someOf, whole } from '../kit/fields.ts';
import { termWords } from './term-words.ts';

/* The terms of a product's licenses: fields of forms, and facts on pages. */

const durations = ['forever', 'issue', 'first_activation'] as const;
export const hostOptions = ['local', 'www'] as const;

const patterns = optionalText.transform((text, context) => {
  const found = [...new Set(text.split(/[\s,]+/))].filter((one) => one !== '').map((one) => one.toLowerCase());
  if (found.length > termLimits.previewHosts) context.addIssue(termWords.tooManyPatterns);
  return found;
});

export const durationFields = { duration: oneOf(durations, fieldWords.choose), days: optionalText };

export const termFields = {
  max_domains: whole(1, termLimits.maxDomains),
  ...durationFields,
  hosts: someOf(hostOptions),
  preview_hosts: patterns,
  moves: whole(0, termLimits.movesPerMonth),
  rotations: whole(0, termLimits.rotationsPerYear),
  lease_hours: whole(1, termLimits.leaseHours),
  on_refund: oneOf(refundRules, fieldWords.choose),
  domain_proof: oneOf(proofPolicies, fieldWords.choose),
  deactivation: oneOf(deactivationPolicies, fieldWords.choose),
  cool_down: whole(1, termLimits.coolDownHours),
};

export const termNames = Object.keys(termFields);

/** The number of days must be right unless licenses are valid for ever. */
export const daysRule = [
  (value: object) => {
    const { duration, days } = value as { readonly duration?: string; readonly days?: string };
    return duration === 'forever' || parseWholeNumber(days ?? '', 1, termLimits.days) !== undefined;
  },
  // Checked also if other fields are wrong, so that all messages come at once.
  { path: ['days'], error: fieldWords.wholeNumber(1, termLimits.days), when: () => true },
] as const satisfies Parameters<z.ZodObject['refine']>;

type TermInput = z.output<z.ZodObject<typeof termFields>>;

export function toTerms(input: TermInput): ProductTerms {
  return {
    maxDomains: input.max_domains,
    duration: toDuration(input),
    hosts: {
      localHostsAreFree: input.hosts.includes('local'),
      previewHosts: input.preview_hosts,
      wwwIsApex: input.hosts.includes('www'),
    },
    movesPerMonth: input.moves,
    rotationsPerYear: input.rotations,
    leaseHours: input.lease_hours,
    onRefund: input.on_refund,
    domainProof: input.domain_proof,
    deactivation: input.deactivation,
    coolDownHours: input.cool_down,
  };
}

export function valuesOfTerms({ maxDomains, duration, hosts, ...terms }: ProductTerms): FormValues {
  return {
    max_domains: String(maxDomains),
    ...valuesOfDuration(duration),
    hosts: [hosts.localHostsAreFree ? 'local' : '', hosts.wwwIsApex ? 'www' : ''].filter(Boolean),
    preview_hosts: hosts.previewHosts.join('\n'),
    moves: String(terms.movesPerMonth),
    rotations: String(terms.rotationsPerYear),
    lease_hours: String(terms.leaseHours),
    on_refund: terms.onRefund,
    domain_proof: terms.domainProof,
    deactivation: terms.deactivation,
    cool_down: String(terms.coolDownHours),
  };
}

export function toDuration({ duration, days }: Pick<TermInput, 'duration' | 'days'>): Duration {
  return duration === 'forever' ? null : { days: Number(days), from: duration };
}

export function valuesOfDuration(duration: Duration): FormValues {
  return { duration: duration === null ? 'forever' : duration.from, days: String(duration?.days ?? 365) };
}

/** The fields of the terms. */
export function TermFields(): VNode {
  return (
    <>
      <p class="lead">{termWords.lead}</p>
      <TextField name="max_domains" label={termWords.maxDomains} inputmode="numeric" />
      <DurationFields />
      <ChoiceField
        name="hosts"
        type="checkbox"
        label={termWords.hosts}
        options={named(hostOptions, termWords.hostOptions)}
      />
      <AreaField
        name="preview_hosts"
        label={termWords.previewHosts}
        hint={termWords.previewHostsHint}
        rows={3}
        isCode
      />
      <TextField name="moves" label={termWords.moves} hint={termWords.movesHint} inputmode="numeric" />
      <TextField name="rotations" label={termWords.rotations} hint={termWords.rotationsHint} inputmode="numeric" />
      <TextField name="lease_hours" label={termWords.leaseHours} hint={termWords.leaseHoursHint} inputmode="numeric" />
      <ChoiceField
        name="on_refund"
        type="radio"
        label={termWords.onRefund}
        options={named(refundRules, termWords.refundRules)}
      />
      <ChoiceField
        name="domain_proof"
        type="radio"
        label={termWords.domainProof}
        options={named(proofPolicies, termWords.proofPolicies)}
      />
      <ChoiceField
        name="deactivation"
        type="radio"
        label={termWords.deactivation}
        options={named(deactivationPolicies, termWords.deactivationPolicies)}
      />
      <TextField name="cool_down" label={termWords.coolDown} hint={termWords.coolDownHint} inputmode="numeric" />
    </>
  );
}

/** How long a license is valid. */
export function DurationFields(): VNode {
  return (
    <>
      <ChoiceField
        name="duration"
        type="radio"
        label={termWords.duration}
        options={named(durations, termWords.durations)}
      />
      {/* The style sheet hides this field while it is not needed. */}
      <div class="if-days">
        <TextField name="days" label={termWords.days} inputmode="numeric" />
      </div>
    </>
  );
}

/** Keeps the terms of a product whose form does not show them. */
export function HiddenTerms(): VNode {
  const state = useFormState();
  return (
    <>
      {termNames.flatMap((name) =>
        choicesOf(state, name).map((value) => <HiddenField key={name + value} name={name} value={value} />),
      )}
    </>
  );
}

/** The terms of the product's licenses. `address` is that of the product's page. */
export function TermFacts({
  product: { terms, offers, archivedAt },
  address,
}: {
  readonly product: Product;
  readonly address: string;
}): VNode {
  const facts = termFacts(terms);
  // The product's own are not sold any more.
  const isByOffer = listedOffers({ offers }).length > 0;
  return (
    <section class="panel">
      <h2>{termWords.title}</h2>
      <Facts facts={isByOffer ? [[termWords.byOffer, termWords.eachOffer], ...facts.slice(2)] : facts} />
      {archivedAt === null && (
        <p class="choices">
          <ButtonLink href={`${address}/edit#max_domains`} text={termWords.change} look="small" />
        </p>
      )}
    </section>
  );
}

export function termFacts({ duration, hosts, ...terms }: ProductTerms, isPaidAgain = false): Fact[] {
  const yes = (isOn: boolean) => (isOn ? termWords.on : termWords.off);
  return [
    [termWords.maxDomains, termWords.domainsOf(terms.maxDomains)],
    [termWords.duration, isPaidAgain ? termWords.whilePaid : publicWords.durationOf(duration)],
    [termWords.localHosts, yes(hosts.localHostsAreFree)],
    [
      termWords.previewHosts,
      hosts.previewHosts.length === 0 ? termWords.noPatterns : <code key="hosts">{hosts.previewHosts.join(' ')}</code>,
    ],
    [termWords.wwwIsApex, yes(hosts.wwwIsApex)],
    [termWords.moves, String(terms.movesPerMonth)],
    [termWords.rotations, String(terms.rotationsPerYear)],
    [termWords.leaseHours, termWords.hoursOf(terms.leaseHours)],
    [termWords.onRefund, termWords.refundRules[terms.onRefund]],
    [termWords.domainProof, termWords.proofPolicies[terms.domainProof]],
    [termWords.deactivation, termWords.deactivationOf(terms)],
  ];
}
