import type { VNode } from 'preact';
import type { BoughtVersions } from '../../../../core/purchases/bought-files.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import { isRefused, type Refused } from '../../../../core/refusal.ts';
import type { Template } from '../../../../core/templates/template.ts';
import type { DownloadLink } from '../../../../core/templates/templates.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import type { Described } from '../../ui/seller-markdown.ts';
import { Time } from '../../ui/time.tsx';
import { send, shown } from '../kit/answer.ts';
import { admit, type DashboardTools, orFail, type Visit } from '../kit/page.ts';
import { VersionRow } from '../products/versions.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';

const names = {
  title: 'Downloads',
  lead: 'The version that you bought, and later versions.',
  endedOn: 'The updates of your license ended on',
  keepsOlder: 'You can download what was released until then at any time.',
  tooNew: 'Released later',
  ended: 'This version is not part of your license',
  none: 'There is nothing to download yet. New versions appear here.',
  version: (number: string) => `Version ${number}`,
  newest: 'Newest',
  bought: 'Bought',
  download: 'Download',
  template: 'Project template',
  older: 'Older versions',
  newer: 'Newest versions',
} as const;
export const versionsOnPage = 10;

/** The addresses of the files of an order. They lead to signed links, which expire. */
export function downloadEndpoints(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const file = (
    id: string,
    end: string,
    find: (order: Order, ctx: Context) => Promise<DownloadLink | Refused<'not_found' | 'updates_ended'>>,
  ): Endpoint => ({
    id,
    method: 'get',
    paths: [`/orders/:token/${end}`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'anybody');
      if (!visit) return;
      const order = await orderIn(own, visit);
      const link = orFail(await find(order, ctx));
      ctx.set('Cache-Control', 'no-store');
      if (isRefused(link)) {
        ctx.state.refused = 'forbidden';
        send(visit, tools.cookies, shown(<NoUpdate visit={visit} order={order} why={link.detail} />, { status: 403 }));
        return;
      }
      ctx.redirect(link.url);
    },
  });
  return [
    file('order-template', 'template', (order) => own.files.downloadTemplate(order)),
    file('order-download', 'download/:version', (order, ctx) => own.files.download(order, ctx.params.version ?? '')),
  ];
}

/** Says why a version cannot be downloaded. */
function NoUpdate({
  why,
  ...shown
}: {
  readonly visit: Visit;
  readonly order: Order;
  readonly why: string | undefined;
}): VNode {
  return (
    <OrderFrame {...shown} title={names.ended}>
      <p class="note">{why}</p>
    </OrderFrame>
  );
}

/** The files that were bought. Shows nothing if the product has none. */
export function DownloadsPart({
  order,
  found: { versions, next, updatesUntil, tooNew },
  notes,
  template,
  isFirst,
  root,
}: {
  readonly order: Order;
  readonly found: BoughtVersions;
  /** The release notes of each version, by ordinal. */
  readonly notes: ReadonlyMap<number, Described>;
  readonly template: Template | undefined;
  readonly isFirst: boolean;
  readonly root: string;
}): VNode | null {
  const address = `${root}${pathOf(order)}`;
  const firstCovered = versions.find((version) => !tooNew.has(version));
  if (versions.length === 0 && template === undefined && order.agreed.version === null) return null;
  return (
    <section id="downloads">
      <PartHead title={names.title} lead={versions.length === 0 && template === undefined ? names.none : names.lead} />
      {updatesUntil !== null && (
        <p class="note">
          {names.endedOn} <Time at={updatesUntil} />. {names.keepsOlder}
        </p>
      )}
      {(versions.length > 0 || template !== undefined) && (
        <ul class="rows panel">
          {template && isFirst && (
            <li class="row">
              <div class="about">
                <h3>{names.template}</h3>
                <p dir="auto">{template.title}</p>
              </div>
              <ButtonLink href={`${address}/template`} text={names.download} about={names.template} look="small" />
            </li>
          )}
          {versions.map((version, n) => (
            <VersionRow
              key={version.ordinal}
              version={version}
              notes={notes.get(version.ordinal)}
              name={names.version(version.number)}
              tags={
                <>
                  {isFirst && n === 0 && <span class="tag good">{names.newest}</span>}
                  {version.number === order.agreed.version && <span class="tag">{names.bought}</span>}
                </>
              }
            >
              {tooNew.has(version) ? (
                <span class="tag">{names.tooNew}</span>
              ) : (
                <ButtonLink
                  href={`${address}/download/${encodeURIComponent(version.number)}`}
                  text={names.download}
                  about={names.version(version.number)}
                  look={isFirst && version === firstCovered ? 'primary' : 'small'}
                />
              )}
            </VersionRow>
          ))}
        </ul>
      )}
      <Paging
        label={names.title}
        back={isFirst ? undefined : { href: address, title: names.newer }}
        on={next === null ? undefined : { href: `${address}?before=${next}#downloads`, title: names.older }}
      />
    </section>
  );
}
