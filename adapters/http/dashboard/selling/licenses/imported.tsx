import type { Finished } from '../../../../../core/ports/license-imports.ts';
import { Failure } from '../../../failures.ts';
import type { Endpoint } from '../../../surface.ts';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { page } from '../../page.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellingPath } from '../selling-page.tsx';

const { sellingImport, sellingLicenses } = texts;
const { done: words } = sellingImport;

/** The page about a finished import, from the site's first page. Its address holds the numbers, so it can be loaded again. */
export function donePath(visit: SignedInVisit, { added, leftOut }: Finished): string {
  return `${sellingPath(visit, 'licenses')}/imported?${new URLSearchParams({ added: String(added), left_out: String(leftOut.length) })}`;
}

/** Says how many licenses were imported. */
export function importedPage(tools: DashboardTools): Endpoint {
  return page(tools, {
    id: 'selling-licenses-imported',
    path: '/selling/:mode/licenses/imported',
    audience: 'user',
    async show(visit) {
      const [added, leftOut] = [countIn(visit, 'added'), countIn(visit, 'left_out')];
      const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
      return shown(
        <SellingPage
          visit={visit}
          at="licenses"
          above={[{ href: list, title: sellingLicenses.title }]}
          title={words.title(added)}
        >
          <p class="lead">{words.lead}</p>
          {leftOut > 0 && <p class="note">{words.leftOut(leftOut)}</p>}
          <p class="choices">
            <a class="button primary" href={list}>
              {words.toList}
            </a>
            <a class="button" href={`${list}/import`}>
              {words.more}
            </a>
          </p>
        </SellingPage>,
      );
    },
  });
}

/** A number in the address. Throws `not_found` if it is none. */
function countIn({ query }: SignedInVisit, name: string): number {
  const text = query[name] ?? '';
  if (!/^\d{1,9}$/.test(text)) throw new Failure('not_found');
  return Number(text);
}
