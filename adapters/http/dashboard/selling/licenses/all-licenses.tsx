import type { VNode } from 'preact';
import { keyModes } from '../../../../../core/accounts/api-key.ts';
import type { LicensePage } from '../../../../../core/selling/finding.ts';
import type { Endpoint } from '../../../surface.ts';
import { AreaPage, areas } from '../../../ui/area-page.tsx';
import { FilterMode } from '../../../ui/filter.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { NoRows } from '../../filtered-list.tsx';
import { orFail } from '../../or-fail.ts';
import { actorOf, page } from '../../page.ts';
import { choicesIn, chosen } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { LicenseTable } from './license-table.tsx';
import type { LicenseTools } from './license-tools.ts';
import { LicenseFilter, LicenseRows } from './list-parts.tsx';
import { type ListChoices, listChoices, wishIn } from './list-query.ts';
import { type Owners, ownerLink, ownersOf } from './owner-link.tsx';

const { sellingLicenses: words } = texts;

/** The licenses of all sellers, for administrators. */
export function allLicensesPage(tools: DashboardTools, { licenses, accounts }: LicenseTools): Endpoint {
  return page(tools, {
    id: 'admin-licenses',
    path: `/${areas.admin.licenses}`,
    audience: 'licenses:manage',
    async show(visit) {
      const choices = { ...listChoices(visit), ...choicesIn(visit, 'mode') };
      const mode = chosen(choices.mode, keyModes) ?? 'live';
      const found = orFail(await licenses.list(wishIn(visit, choices), { actor: actorOf(visit), mode }));
      const owners = await ownersOf(
        accounts,
        found.licenses.map(({ license }) => license.ownerId),
      );
      return shown(<AllLicenses visit={visit} choices={choices} found={found} owners={owners} />);
    },
  });
}

function AllLicenses({
  visit: { frame, query },
  choices,
  found,
  owners,
}: {
  readonly visit: SignedInVisit;
  readonly choices: ListChoices & { readonly mode: string };
  readonly found: LicensePage;
  readonly owners: Owners;
}): VNode {
  const address = `${frame.root}${areas.admin.licenses}`;
  return (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'licenses' }} title={words.title} scripts={['copy.js']}>
      <LicenseFilter address={address} choices={choices}>
        <FilterMode value={choices.mode} />
      </LicenseFilter>
      <LicenseRows
        address={address}
        choices={choices}
        isFirst={query.after === undefined}
        found={found}
        none={<NoRows title={words.noneAtAll} advice={words.noneAtAllAdvice} href={address} />}
      >
        <LicenseTable
          root={frame.root}
          licenses={found.licenses}
          after={[{ title: words.owner, cell: ({ license }) => ownerLink(frame.root, license.ownerId, owners) }]}
        />
      </LicenseRows>
    </AreaPage>
  );
}
