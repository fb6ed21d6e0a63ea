import type { VNode } from 'preact';
import { plainTransitions } from '../../../../../core/licensing/license.ts';
import type { LicensePage } from '../../../../../core/selling/finding.ts';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import type { Endpoint } from '../../../surface.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import type { Options } from '../../../ui/form.tsx';
import type { Column } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { orFail } from '../../or-fail.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { modeIn, SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { LicenseTable } from './license-table.tsx';
import type { LicenseTools } from './license-tools.ts';
import { LicenseFilter, LicenseRows } from './list-parts.tsx';
import { type ListChoices, listChoices, wishIn } from './list-query.ts';
import { ownProducts } from './product-choice.ts';

const { sellingLicenses: words } = texts;

/** The licenses of one's own products, also for administrators. */
export function licenseListPage(tools: DashboardTools, { licenses, products }: LicenseTools): Endpoint {
  return page(tools, {
    id: 'selling-licenses',
    path: '/selling/:mode/licenses',
    audience: 'user',
    async show(visit) {
      const seller = sellerIn(visit);
      const choices = listChoices(visit);
      const wish = { ...wishIn(visit, choices), ownerId: visit.me.login.id };
      const [found, offered] = await Promise.all([
        licenses.list(wish, seller),
        ownProducts(products, visit, choices.product),
      ]);
      return shown(<ListPage visit={visit} choices={choices} found={orFail(found)} products={offered} />);
    },
  });
}

function ListPage({
  visit,
  choices,
  found,
  products,
}: {
  readonly visit: SignedInVisit;
  readonly choices: ListChoices;
  readonly found: LicensePage;
  readonly products: Options | undefined;
}): VNode {
  const { root } = visit.frame;
  const address = `${root}${sellingPath(visit, 'licenses')}`;
  const isFirst = visit.query.after === undefined;
  const issue = (
    <a class="button primary" href={`${address}/new`}>
      {words.issue}
    </a>
  );
  const none = (
    <EmptyState heading="h2" title={words.noneTitle}>
      <p>{modeIn(visit) === 'live' ? words.none : words.noneTest}</p>
      <p>{issue}</p>
      <p>
        <a href={`${address}/import`}>{texts.sellingImport.title}</a>
      </p>
    </EmptyState>
  );
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      title={words.title}
      scripts={['copy.js', 'select-all.js']}
      actions={
        <div class="choices">
          {issue}
          <a class="button" href={`${address}/import`}>
            {texts.sellingImport.name}
          </a>
          <a class="button" href={`${address}/export${exportedBy(choices)}`} download>
            {words.exportCsv}
          </a>
        </div>
      }
    >
      <LicenseFilter address={address} choices={choices} products={products} />
      <LicenseRows address={address} choices={choices} isFirst={isFirst} found={found} none={none}>
        <form method="get" action={`${address}/bulk`}>
          <LicenseTable root={root} licenses={found.licenses} before={[selection]} />
          <p class="bulk">
            <button type="button" class="button small" hidden data-select-all="key">
              {words.bulk.selectAll}
            </button>
            <span class="faint">{words.bulk.lead}</span>
            {plainTransitions.map((one) => (
              <button
                key={one}
                type="submit"
                name="action"
                value={one}
                class={one === 'revoke' ? 'button small danger' : 'button small'}
              >
                {words.acts[one].name}
              </button>
            ))}
          </p>
        </form>
      </LicenseRows>
    </SellingPage>
  );
}

/** The filters of the list that an export has too. */
function exportedBy({ product, status, expires_before }: ListChoices): string {
  const given = Object.entries({ product, status, expires_before }).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

const selection: Column<SoldLicense> = {
  title: words.bulk.select,
  isTitleUnseen: true,
  cell: ({ license: { key } }) => (
    <input type="checkbox" name="key" value={key} aria-label={words.bulk.selectOne(key)} />
  ),
};
