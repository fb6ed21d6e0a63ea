import type { VNode } from 'preact';
import type { KeyMode } from '../../../../core/accounts/api-key.ts';
import type { DeploymentPage } from '../../../../core/deployments/deployment-list.ts';
import type { Deployments } from '../../../../core/deployments/deployments.ts';
import type { UserId } from '../../../../core/id.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { SoldDeployments } from '../../../../core/selling/deployment-figures.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { areas, placeName, placePath } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { orFail } from '../kit/page.ts';
import { addressWith } from '../kit/query.ts';
import { DeploymentTable } from './table.tsx';
import { words } from './words.ts';

const { ofLicense: names } = words;
const most = 5;

/** The newest deployments by the holder of a license. `all`: the path of the whole list, without the root of the site. */
export interface Deployed {
  readonly found: DeploymentPage;
  readonly lead: string;
  readonly all: string;
}

/**
 * Returns the deployments by the buyer of a license, for its seller. `undefined` if it was not bought by an account, or has no template. For
 * administrators, `all` leads to their own list.
 */
export async function deployedByBuyer(
  sold: Pick<SoldDeployments, 'list'>,
  { order, isOwn }: { readonly order: Order | undefined; readonly isOwn: boolean },
  seller: Seller,
): Promise<Deployed | undefined> {
  const userId = order?.buyer.userId ?? null;
  const templateId = order?.agreed.templateId ?? null;
  if (userId === null || templateId === null) return undefined;
  const found = orFail(await sold.list({ userId, templateId, limit: most }, seller));
  const { mode } = seller;
  const list = `${placePath({ area: isOwn ? 'selling' : 'admin', at: 'deployments' }, mode)}/list`;
  const filter = { template: String(templateId), account: String(userId) };
  return {
    ...{ found, lead: names.lead },
    all: addressWith(list, { ...filter, mode: isOwn || mode === 'live' ? '' : mode }),
  };
}

/** Returns the reader's deployments of what an order sold. `undefined` for everybody but the account that bought it: others can have the link. */
export async function deployedByReader(
  deployments: Pick<Deployments, 'list'>,
  { buyer, agreed: { templateId }, isLive }: Order,
  reader: UserId | undefined,
): Promise<Deployed | undefined> {
  if (reader === undefined || buyer.userId !== reader || templateId === null) return undefined;
  const mode: KeyMode = isLive ? 'live' : 'test';
  const template = String(templateId);
  const found = orFail(await deployments.list({ user: { id: reader }, mode }, { template, limit: most }));
  return {
    ...{ found, lead: names.ownLead },
    all: addressWith(areas.account.deployments, { template, mode: isLive ? '' : mode }),
  };
}

/** The contracts that the holder of a license has deployed. Nothing if there are none. */
export function DeployedPart({
  deployed,
  root,
}: {
  readonly deployed: Deployed | undefined;
  readonly root: string;
}): VNode | null {
  if (deployed === undefined) return null;
  const { found, lead, all } = deployed;
  if (found.items.length === 0 && found.next === null) return null;
  return (
    <section id="deployments">
      <PartHead title={names.title} lead={lead}>
        <ButtonLink
          href={`${root}${all}`}
          text={names.all}
          about={placeName({ area: 'selling', at: 'deployments' })}
          look="small"
        />
      </PartHead>
      {found.items.length > 0 && <DeploymentTable label={names.title} rows={found.items} />}
    </section>
  );
}
