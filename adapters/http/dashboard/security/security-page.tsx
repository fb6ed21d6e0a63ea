import type { ComponentChildren, VNode } from 'preact';
import { AreaPage, areas } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';

/** The path of the first page about sign-in, from the site's first page. */
export const entry = areas.account.security;

/** A page below the first page about sign-in. */
export function SecurityPage({
  frame,
  title,
  scripts = [],
  children,
}: {
  readonly frame: Frame;
  readonly title: string;
  readonly scripts?: readonly Asset[];
  readonly children: ComponentChildren;
}): VNode {
  return (
    <AreaPage
      frame={frame}
      place={{ area: 'account', at: 'security' }}
      above={[{ href: `${frame.root}${entry}`, title: texts.security.title }]}
      title={title}
      scripts={scripts}
    >
      {children}
    </AreaPage>
  );
}
