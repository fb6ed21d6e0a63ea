import type { VNode } from 'preact';
import type { Accounts } from '../../../../core/accounts/accounts.ts';
import { forcedIn } from '../../../../core/licensing/forced.ts';
import type { LicenseStatus } from '../../../../core/licensing/license.ts';
import type { LicenseInstances } from '../../../../core/ports/license-instances.ts';
import type { SoldDeployments } from '../../../../core/selling/deployment-figures.ts';
import type { LicenseDomains, SellerLicenses } from '../../../../core/selling/licenses.ts';
import type { OrderList } from '../../../../core/selling/order-list.ts';
import type { SellerProducts } from '../../../../core/selling/products.ts';
import type { ShownLicense, SoldLicense } from '../../../../core/selling/sold-license.ts';
import type { SellerStrays } from '../../../../core/selling/strays.ts';
import type { SellingUsage } from '../../../../core/selling/usage.ts';
import type { SheetTools } from '../../sheet-tools.ts';
import { areas, placeName, placePath } from '../../ui/area-page.tsx';
import { html } from '../../ui/html.ts';
import { type Column, List } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import type { Once } from '../kit/once.ts';
import { orFail } from '../kit/page.ts';
import { PersonText } from '../kit/people.tsx';
import { addressWith } from '../kit/query.ts';
import { modeIn, sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { words as clockWords } from './clock-words.ts';
import { words } from './words.ts';

/** The dependencies of the pages about licenses. */
export interface LicenseTools {
  readonly licenses: SellerLicenses;
  /** For pages that show a list. May be some seconds old: acts read `licenses`. */
  readonly listedLicenses: Pick<SellerLicenses, 'list'>;
  readonly domains: LicenseDomains;
  readonly instances: Pick<LicenseInstances, 'namesOf'>;
  readonly orders: Pick<OrderList, 'ofLicense'>;
  readonly deployments: Pick<SoldDeployments, 'list'>;
  readonly usage: SellingUsage;
  readonly strays: Pick<SellerStrays, 'ofLicense'>;
  readonly products: Pick<SellerProducts, 'list' | 'show'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly sheets: SheetTools;
  readonly once: Once;
}

const own = { area: 'selling', at: 'licenses' } as const;
const ofOthers = { area: 'admin', at: 'licenses' } as const;

/** A license. Administrators see those of others as part of the administration. */
export function licenseSubject({ licenses }: LicenseTools): Subject<ShownLicense> {
  return {
    path: `/${areas.selling.licenses}/:key`,
    audience: 'user',
    find: async (visit) => orFail(await licenses.show(visit.params.key ?? '', sellerIn(visit))),
    about(one, visit) {
      const { key, ownerId } = one.license;
      const mode = modeIn(visit);
      const isOwn = ownerId === visit.me.login.id;
      const list = isOwn ? placePath(own, mode) : addressWith(areas.admin.licenses, mode === 'test' ? { mode } : {});
      return {
        name: key,
        path: addressOf(one),
        place: isOwn ? own : ofOthers,
        mode,
        above: [{ path: list, title: placeName(own) }],
      };
    },
  };
}

/** Whether its payment gives the license another standing than people decided. */
export function isWithheld({ license: { standing, ownStanding } }: Pick<SoldLicense, 'license'>): boolean {
  return ownStanding !== null && ownStanding !== standing;
}

/** The path of a license from the site's first page. Everybody who reaches it sees it there. */
export function addressOf({ license: { key, isLive } }: Pick<SoldLicense, 'license'>): string {
  return `${placePath(own, isLive ? 'live' : 'test')}/${key}`;
}

/** Licenses as a table. `before` and `after` are more columns. */
export function LicenseTable({
  root,
  licenses,
  before = [],
  after = [],
}: {
  readonly root: string;
  readonly licenses: readonly SoldLicense[];
  readonly before?: readonly Column<SoldLicense>[];
  readonly after?: readonly Column<SoldLicense>[];
}): VNode {
  const columns: readonly Column<SoldLicense>[] = [
    ...before,
    {
      title: words.key,
      cell: (one) => {
        const { key } = one.license;
        const { title } = one.product;
        return html`${CopiedText({ id: key, text: key, href: `${root}${addressOf(one)}` })}<span class="under" dir="auto" title="${title}">${title}</span>`;
      },
    },
    { title: words.status, cell: LicenseTags },
    {
      title: words.holderAndReference,
      cell: ({ notes: { holder, reference } }) =>
        holder
          ? PersonText({ person: holder, also: reference })
          : html`<span class="breakable" dir="auto">${reference}</span>`,
    },
    {
      title: words.domains.title,
      isNumber: true,
      cell: ({ license }) => `${readableNumber(license.domainsUsed)} / ${readableNumber(license.maxDomains)}`,
    },
    {
      title: words.expires,
      cell: (one) => html`<span class="ends">${Expiry(one)}</span>`,
    },
    ...after,
  ];
  return <List label={words.list} columns={columns} rows={licenses} />;
}

const looks = {
  active: 'tag good',
  suspended: 'tag busy',
  revoked: 'tag bad',
  expired: 'tag',
} as const satisfies Record<LicenseStatus, string>;

export function StatusTag({ status }: { readonly status: LicenseStatus }): VNode {
  return html`<span class="${looks[status]}">${words.statuses[status]}</span>`;
}

/** The status, whether it is a license for tests, and what its clock forces. */
export function LicenseTags({ status, license }: Pick<SoldLicense, 'license' | 'status'>): VNode {
  const test = !license.isLive && html`<span class="tag">${words.test}</span>`;
  const forced = forcedIn(license);
  const told = forced && html`<span class="tag busy">${clockWords.tags[forced]}</span>`;
  return html`<span class="tags">${StatusTag({ status })}${test}${told}</span>`;
}

/** When the license ends. */
export function Expiry({ license: { expiresAt, daysFromActivation } }: Pick<SoldLicense, 'license'>): VNode {
  if (expiresAt !== null) return Time({ at: expiresAt });
  return <>{daysFromActivation === null ? words.perpetual : words.daysFromActivation(daysFromActivation)}</>;
}
