import type { VNode } from 'preact';
import type { z } from 'zod';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import {
  type DeactivationPolicy,
  type Duration,
  deactivationPolicies,
  type KeyRules,
  type ProductTerms,
  type ProofPolicy,
  proofPolicies,
  refundRules,
  termLimits,
} from '../../../../core/marketplace/product-terms.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { useFormState } from '../../ui/current-form.ts';
import { AreaField, ChoiceField, HiddenField, TextField } from '../../ui/form.tsx';
import { choicesOf, type FormValues } from '../../ui/form-state.ts';
import { type Fact, Facts } from '../../ui/list.tsx';
import { counted } from '../../ui/numbers.ts';
import { product as publicWords } from '../../ui/product-words.ts';
import { fieldWords, oneOf, optionalText, someOf, whole } from '../kit/fields.ts';

/* The terms of a product's licenses: words, fields of forms, and facts on pages. */

const deactivationPolicy = {
  key: 'The key is enough',
  proof: 'Needs a proof of the domain',
  holder: 'Not possible: only the buyer and you can',
  cool_down: 'Once in a number of hours for each license',
} as const satisfies Record<DeactivationPolicy, string>;

export const termWords = {
  title: 'License terms',
  lead: 'What each license of this product allows. Domains and duration apply to licenses that are issued later.',
  byOffer: 'Domains and validity',
  eachOffer: 'As each offer says',
  change: 'Change terms',
  maxDomains: 'Domains per license',
  domainsOf: (count: number) => counted(count, 'domain'),
  duration: 'A license is valid',
  durations: {
    forever: 'For ever',
    issue: 'For a number of days from the day it is issued',
    first_activation: 'For a number of days from its first activation',
  },
  days: 'Days',
  whilePaid: 'As long as it is paid',
  hosts: 'Rules for hosts',
  hostOptions: {
    local: 'Hosts of developers, such as localhost and private addresses, take no slot',
    www: 'www.example.com and example.com count as one domain',
  },
  previewHosts: 'Preview hosts that take no slot',
  previewHostsHint: 'One pattern on each line, such as *.vercel.app or staging.*',
  tooManyPatterns: `Use at most ${termLimits.previewHosts} patterns.`,
  noPatterns: 'None',
  localHosts: 'Hosts of developers take no slot',
  wwwIsApex: 'www.example.com and example.com are one domain',
  moves: 'Moves per month',
  movesHint: 'How often the domain of a license can be moved in a calendar month.',
  rotations: 'New keys per year',
  rotationsHint: 'How often the buyer of a license can replace its key. 0: only you can.',
  leaseHours: 'Hours of a lease',
  leaseHoursHint:
    'A site that asks for a signed lease runs for so long without the license server. So a revocation reaches a site at its next check, or, if it does not reach the server, when its lease ends. 168 hours are 7 days.',
  hoursOf: (hours: number) => counted(hours, 'hour'),
  onRefund: 'After a full refund',
  refundRules: { revoke: 'The license is revoked', keep: 'The buyer keeps the license' },
  domainProof: 'Proof that the caller controls a domain',
  proofPolicies: {
    never: 'Never needed',
    to_take: 'To take the slot of another domain',
    always: 'Always, before a domain takes a slot',
  } satisfies Record<ProofPolicy, string>,
  deactivation: 'Deactivating with the license key',
  deactivationOf: ({ deactivation: policy, coolDownHours }: KeyRules): string =>
    policy === 'cool_down' ? `Once in ${counted(coolDownHours, 'hour')} for each license` : deactivationPolicy[policy],
  coolDown: 'Hours between two deactivations',
  coolDownHint: 'Only used if the key can deactivate once in a number of hours.',
  on: 'Yes',
  off: 'No',
} as const;

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
        options={hostOptions.map((one) => [one, termWords.hostOptions[one]])}
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
        options={refundRules.map((one) => [one, termWords.refundRules[one]])}
      />
      <ChoiceField
        name="domain_proof"
        type="radio"
        label={termWords.domainProof}
        options={proofPolicies.map((one) => [one, termWords.proofPolicies[one]])}
      />
      <ChoiceField
        name="deactivation"
        type="radio"
        label={termWords.deactivation}
        options={deactivationPolicies.map((one) => [one, deactivationPolicy[one]])}
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
        options={durations.map((one) => [one, termWords.durations[one]])}
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
