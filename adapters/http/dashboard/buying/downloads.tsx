import type { VNode } from 'preact';
import type { BoughtVersions } from '../../../../core/purchases/bought-files.ts';
import type { Order } from '../../../../core/purchases/order.ts';
import type { Refused } from '../../../../core/refusal.ts';
import type { Template } from '../../../../core/templates/template.ts';
import type { DownloadLink } from '../../../../core/templates/templates.ts';
import type { Context } from '../../state.ts';
import type { Endpoint } from '../../surface.ts';
import { Paging } from '../../ui/paging.tsx';
import { texts } from '../../ui/texts.ts';
import { orFail } from '../or-fail.ts';
import { admit } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { VersionRow } from '../version-row.tsx';
import { type BuyingTools, orderIn, pathOf } from './buying-tools.ts';

const { downloads: words } = texts.buying;
export const versionsOnPage = 10;

/** The addresses of the files of an order. They lead to signed links, which expire. */
export function downloadEndpoints(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  const file = (
    id: string,
    end: string,
    find: (order: Order, ctx: Context) => Promise<DownloadLink | Refused<'not_found'>>,
  ): Endpoint => ({
    id,
    method: 'get',
    paths: [`/orders/:token/${end}`],
    async respond(ctx) {
      const visit = await admit(tools, ctx, 'anybody');
      if (!visit) return;
      const link = orFail(await find(await orderIn(own, visit), ctx));
      ctx.set('Cache-Control', 'no-store');
      ctx.redirect(link.url);
    },
  });
  return [
    file('order-template', 'template', (order) => own.files.downloadTemplate(order)),
    file('order-download', 'download/:version', (order, ctx) => own.files.download(order, ctx.params.version ?? '')),
  ];
}

/** The files that were bought. Shows nothing if the product has none. */
export function DownloadsPart({
  order,
  found: { versions, next },
  template,
  isFirst,
  root,
}: {
  readonly order: Order;
  readonly found: BoughtVersions;
  readonly template: Template | undefined;
  readonly isFirst: boolean;
  readonly root: string;
}): VNode | null {
  const address = `${root}${pathOf(order)}`;
  if (versions.length === 0 && template === undefined && order.agreed.version === null) return null;
  return (
    <section id="downloads">
      <div class="part">
        <div>
          <h2>{words.title}</h2>
          <p class="lead">{versions.length === 0 && template === undefined ? words.none : words.lead}</p>
        </div>
      </div>
      {(versions.length > 0 || template !== undefined) && (
        <ul class="rows panel">
          {template && isFirst && (
            <li class="row">
              <div class="about">
                <h3>{words.template}</h3>
                <p dir="auto">{template.title}</p>
              </div>
              <a class="button small" href={`${address}/template`}>
                {words.download}
                <span class="unseen"> {words.template}</span>
              </a>
            </li>
          )}
          {versions.map((version, n) => (
            <VersionRow
              key={version.ordinal}
              version={version}
              name={words.version(version.number)}
              tags={
                <>
                  {isFirst && n === 0 && <span class="tag good">{words.newest}</span>}
                  {version.number === order.agreed.version && <span class="tag">{words.bought}</span>}
                </>
              }
            >
              <a class="button small" href={`${address}/download/${encodeURIComponent(version.number)}`}>
                {words.download}
                <span class="unseen"> {words.version(version.number)}</span>
              </a>
            </VersionRow>
          ))}
        </ul>
      )}
      <Paging
        label={words.title}
        back={isFirst ? undefined : { href: address, title: words.newer }}
        on={next === null ? undefined : { href: `${address}?before=${next}#downloads`, title: words.older }}
      />
    </section>
  );
}
