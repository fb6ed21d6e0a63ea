import type { ComponentChildren, VNode } from 'preact';
import { type Activation, isValidAt, shownDomains } from '../../../../../core/licensing/license.ts';
import type { Instant } from '../../../../../core/ports/clock.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import { type Column, List } from '../../../ui/list.tsx';
import { readableNumber } from '../../../ui/numbers.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { Host } from '../../host.tsx';
import { domainAddress } from './license-tools.ts';

const { domains: words } = texts.sellingLicenses;

/** The domains of a license. Those that take no slot are apart. */
export function DomainPart({
  found,
  root,
  now,
}: {
  readonly found: ShownLicense;
  readonly root: string;
  readonly now: Instant;
}): VNode {
  const { license } = found;
  const valid = found.domains.filter((one) => isValidAt(one, now));
  const [slots, free] = [valid.filter(({ kind }) => kind === 'slot'), valid.filter(({ kind }) => kind !== 'slot')];
  const columns: readonly Column<Activation>[] = [
    { title: words.domain, cell: (one) => <Host one={one} /> },
    { title: words.activated, cell: ({ activatedAt }) => <Time at={activatedAt} /> },
    {
      title: words.verifications,
      isNumber: true,
      cell: ({ verificationCount }) => readableNumber(verificationCount),
    },
    {
      title: words.lastVerified,
      cell: ({ lastVerifiedAt }) => (lastVerifiedAt === null ? texts.admin.never : <Time at={lastVerifiedAt} />),
    },
    { title: words.acts, isTitleUnseen: true, cell: (one) => <Acts found={found} one={one} root={root} /> },
  ];
  const list = (label: string, rows: readonly Activation[]) => (
    <List label={label} columns={columns} rows={rows} keyOf={({ domain }) => domain} />
  );
  return (
    <section id="domains">
      <div class="part">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">
            {words.used(license.domainsUsed, license.maxDomains)}{' '}
            {valid.length < license.domainsUsed && words.newest(shownDomains)}
          </p>
        </div>
      </div>
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

function Acts({
  found,
  one: { domain, endsAt },
  root,
}: {
  readonly found: ShownLicense;
  readonly one: Activation;
  readonly root: string;
}): ComponentChildren {
  const name = <span class="unseen"> {domain}</span>;
  return (
    <span class="row-acts">
      {endsAt === null && found.status === 'active' && (
        <a class="button small" href={`${root}${domainAddress(found, domain, 'move')}`}>
          {words.move.name}
          {name}
        </a>
      )}
      <a class="button small danger" href={`${root}${domainAddress(found, domain, 'remove')}`}>
        {words.remove.name}
        {name}
      </a>
    </span>
  );
}
