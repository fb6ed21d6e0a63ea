import type { ComponentChildren, VNode } from 'preact';
import type { ApiKey } from '../../../../core/accounts/api-key.ts';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';

/** The path of the first page of the account, from the site's first page. */
export const entry = areas.account.plan;

export function addressOf({ id }: Pick<ApiKey, 'id'>): string {
  return `${entry}/keys/${id}`;
}

/** A page below the first page of the account. `of` is the key whose page is above this one. */
export function PlanPage({
  frame,
  title,
  of,
  scripts = [],
  actions,
  children,
}: {
  readonly frame: Frame;
  readonly title: string;
  readonly of?: ApiKey;
  readonly scripts?: readonly Asset[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'account', at: 'plan' }}
      above={[
        { href: `${frame.root}${entry}`, title: texts.plan.title },
        ...(of ? [{ href: `${frame.root}${addressOf(of)}`, title: of.name }] : []),
      ]}
      title={title}
      scripts={scripts}
      actions={actions}
    >
      {children}
    </AreaPage>
  );
}
