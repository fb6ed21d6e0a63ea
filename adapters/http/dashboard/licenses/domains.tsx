import type { VNode } from 'preact';
import { z } from 'zod';
import { type DomainName, normalizeDomain } from '../../../../core/licensing/domain-name.ts';
import { parseActivationName } from '../../../../core/licensing/instance.ts';
import { type Activation, isValidAt, shownDomains } from '../../../../core/licensing/license.ts';
import type { MoveRefused } from '../../../../core/licensing/move.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, TextField } from '../../ui/form.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { oneOf, reason, required } from '../kit/fields.ts';
import type { DashboardTools, Visit } from '../kit/page.ts';
import type { RefusalMessage } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { notAllowed } from './acts.tsx';
import { words } from './domain-words.ts';
import { ReasonField } from './fields.tsx';
import type { LicenseTools } from './subject.tsx';
import { words as licenseWords } from './words.ts';

/** The hours for which both domains of a move work. */
export const overlaps = ['0', '24', '72'] as const;

/** The host in what was typed. */
export const newHost = required(2048, words.move.noHost).transform((text, context) => {
  const host = normalizeDomain(text);
  if (host !== undefined) return host;
  context.addIssue(words.move.noHost);
  return z.NEVER;
});

/** How the form for moving a domain shows why it could not be moved. */
export const moveRefusals = {
  suspended: { text: words.move.inactive(licenseWords.statuses.suspended) },
  revoked: { text: words.move.inactive(licenseWords.statuses.revoked) },
  expired: { text: words.move.inactive(licenseWords.statuses.expired) },
  domain_not_found: { text: words.gone },
  same_domain: { field: 'to', text: words.move.same },
  domain_is_moving: { text: words.move.moving },
  domain_already_activated: { field: 'to', text: words.move.taken },
  move_limit_reached: { text: ({ detail }) => detail ?? words.move.limit },
  domain_limit_reached: { field: 'to', text: words.move.full },
  free_domain_limit_reached: { field: 'to', text: words.move.freeFull },
} as const satisfies Record<MoveRefused, RefusalMessage>;

/** The fields for moving a domain: the new domain, and how long the old one still works. */
export function MoveFields({ from }: { readonly from: DomainName }): VNode {
  return (
    <>
      <TextField name="to" label={words.move.to} hint={words.move.toHint} inputmode="text" />
      <ChoiceField
        name="overlap"
        type="radio"
        label={words.move.overlap(from)}
        options={overlaps.map((hours) => [hours, words.move.overlaps[hours]])}
      />
    </>
  );
}

/** Returns the domain in the path, or the instance of a client of another system. */
export function hostIn({ params }: Pick<Visit, 'params'>): DomainName {
  const host = parseActivationName(params.domain ?? '');
  if (host === undefined) throw new Failure('not_found');
  return host;
}

/** The domains of a license. Those that take no slot are apart. */
export function DomainPart({
  found,
  names,
  address,
  now,
}: {
  readonly found: ShownLicense;
  /** The names that clients of other systems gave to their instances. */
  readonly names: ReadonlyMap<DomainName, string>;
  /** The address of the license. */
  readonly address: string;
  readonly now: Instant;
}): VNode {
  const { license } = found;
  const valid = found.domains.filter((one) => isValidAt(one, now));
  const [slots, free] = [valid.filter(({ kind }) => kind === 'slot'), valid.filter(({ kind }) => kind !== 'slot')];
  const columns: readonly Column<Activation>[] = [
    { title: words.domain, cell: (one) => <Host one={one} name={names.get(one.domain)} /> },
    { title: words.activated, cell: ({ activatedAt }) => <Time at={activatedAt} /> },
    {
      title: words.verifications,
      isNumber: true,
      cell: ({ verificationCount }) => readableNumber(verificationCount),
    },
    {
      title: words.lastVerified,
      cell: ({ lastVerifiedAt }) => timeOr(lastVerifiedAt, words.never),
    },
    { title: words.acts, isTitleUnseen: true, cell: (one) => actButtons(found, one, address) },
  ];
  const list = (label: string, rows: readonly Activation[]) => <List label={label} columns={columns} rows={rows} />;
  return (
    <section id="domains">
      <PartHead
        title={words.title}
        lead={
          <>
            {/* Only the newest `shownDomains` are read. */}
            {words.used(license.domainsUsed, license.maxDomains)}{' '}
            {valid.length < license.domainsUsed && words.newest(shownDomains)}
          </>
        }
      />
      {valid.length === 0 && <p class="blank">{words.none}</p>}
      {slots.length > 0 && list(words.title, slots)}
      {free.length > 0 && (
        <>
          <h3>{words.free}</h3>
          <p class="intro">{words.freeLead}</p>
          {list(words.free, free)}
        </>
      )}
    </section>
  );
}

function actButtons(found: ShownLicense, { domain, endsAt }: Activation, address: string): VNode {
  const own = `${address}/domains/${encodeURIComponent(domain)}`;
  return (
    <RowMenu
      id={`acts-${domain}`}
      about={domain}
      acts={[
        endsAt === null && found.status === 'active' && { href: `${own}/move`, text: words.move.name },
        { href: `${own}/remove`, text: words.remove.name, isDanger: true },
      ]}
    />
  );
}

/** The name of a host, its kind, when it was proven, and the new host if it is being moved. `name`: what a client called its instance. */
export function Host({
  one: { domain, kind, endsAt, movedTo, provenAt },
  name = '',
}: {
  readonly one: Activation;
  readonly name?: string | undefined;
}): VNode {
  return (
    <>
      <span class="host">
        <code>{domain}</code> {kind !== 'slot' && <span class="tag">{words.kinds[kind]}</span>}
      </span>
      {name !== '' && (
        <span class="under breakable" dir="auto">
          {name}
        </span>
      )}
      {provenAt !== undefined && (
        <span class="under">
          {words.proven} <Time at={provenAt} />
        </span>
      )}
      {endsAt !== null && (
        <span class="under">
          {words.movingTo} <code>{movedTo}</code>, {words.until} <Time at={endsAt} />
        </span>
      )}
    </>
  );
}

/** The acts on a domain of a license: move and remove it. */
export function domainActs(
  tools: DashboardTools,
  license: Subject<ShownLicense>,
  { domains }: LicenseTools,
): Endpoint[] {
  return [
    ...act(tools, license, {
      id: 'selling-domain-move',
      name: 'domains/:domain/move',
      fields: z.object({ to: newHost, overlap: oneOf(overlaps, words.move.choose), reason }),
      initial: { overlap: '24' },
      ask({ one, visit, address }) {
        const from = hostIn(visit);
        const title = words.move.title(from);
        if (one.status !== 'active') return { title, instead: notAllowed(one, address) };
        return {
          title,
          lead: (
            <div class="intro">
              <p>{words.move.lead(from)}</p>
            </div>
          ),
          fields: (
            <>
              <MoveFields from={from} />
              <ReasonField />
            </>
          ),
          submit: words.move.submit,
        };
      },
      work({ one, visit, fields: { to, overlap, reason } }) {
        const move = { from: hostIn(visit), to, overlapHours: Number(overlap) };
        return domains.move(one.license.key, move, sellerIn(visit, reason));
      },
      notice: 'domain_moved',
      refusals: moveRefusals,
    }),

    ...act(tools, license, {
      id: 'selling-domain-remove',
      name: 'domains/:domain/remove',
      fields: z.object({ reason }),
      ask({ one, visit }) {
        const domain = hostIn(visit);
        const from = movingTo(one, domain);
        return {
          title: words.remove.title(domain),
          lead: (
            <div class="intro">
              <p>{words.remove.lead(domain)}</p>
              {from && <p>{words.remove.both(from.domain)}</p>}
            </div>
          ),
          fields: <ReasonField />,
          submit: words.remove.submit,
          isDangerous: true,
        };
      },
      work: ({ one, visit, fields: { reason } }) =>
        domains.remove(one.license.key, hostIn(visit), sellerIn(visit, reason)),
      notice: 'domain_removed',
      refusals: { domain_not_found: { text: words.gone } },
    }),
  ];
}

/** The host that is being moved to this one. It ends together with it. */
function movingTo({ domains }: ShownLicense, domain: DomainName): Activation | undefined {
  return domains.find(({ movedTo }) => movedTo === domain);
}
