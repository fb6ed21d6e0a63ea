import type { VNode } from 'preact';
import { z } from 'zod';
import { type PlainTransition, plainTransitions } from '../../../../../core/licensing/license.ts';
import { parseLicenseKey } from '../../../../../core/licensing/license-key.ts';
import { isRefused } from '../../../../../core/refusal.ts';
import { type BulkResult, mostInBulk } from '../../../../../core/selling/bulk.ts';
import { Failure } from '../../../failures.ts';
import type { Endpoint } from '../../../surface.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Form, HiddenField } from '../../../ui/form.tsx';
import { choicesOf, type FormState, textOf } from '../../../ui/form-state.ts';
import { List } from '../../../ui/list.tsx';
import { texts } from '../../../ui/texts.ts';
import { shown } from '../../answer.ts';
import { oneOf } from '../../fields.ts';
import { form } from '../../form.ts';
import { chosen } from '../../query.ts';
import type { DashboardTools } from '../../tools.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellerIn, sellingPath } from '../selling-page.tsx';
import { StatusTag } from './license-tags.tsx';
import type { LicenseTools } from './license-tools.ts';
import { ReasonField, reason } from './note-fields.tsx';

const { sellingLicenses: words } = texts;
const { bulk } = words;

const keys = z.preprocess(
  (value) => [value ?? []].flat(),
  z.array(z.string()).min(1, bulk.none).max(mostInBulk, bulk.tooMany(mostInBulk)),
);

/** Acts on the selected licenses of the list: asks first, then shows the result for each license. */
export function bulkPages(tools: DashboardTools, { licenses }: LicenseTools): Endpoint[] {
  return form(tools, {
    id: 'selling-licenses-bulk',
    path: '/selling/:mode/licenses/bulk',
    audience: 'user',
    fields: z.object({ action: oneOf(plainTransitions, bulk.noAction), key: keys, reason }),
    initial: ({ ctx, query }) => ({ action: query.action ?? '', key: [ctx.query.key ?? []].flat() }),
    render: (visit, state) => <BulkPage visit={visit} state={state} />,
    async act(visit, { action, key, reason }) {
      const results = await licenses.bulk(action, key, sellerIn(visit, reason));
      return shown(<ResultPage visit={visit} action={action} results={results} />);
    },
    refusals: {},
  });
}

function BulkPage({ visit, state }: { readonly visit: SignedInVisit; readonly state: FormState }): VNode {
  const action = chosen<PlainTransition>(textOf(state, 'action'), plainTransitions);
  if (action === undefined) throw new Failure('not_found');
  const selected = [...new Set(choicesOf(state, 'key'))];
  const { name, effect } = words.acts[action];
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      above={[{ href: list, title: words.title }]}
      title={selected.length === 0 ? bulk.noneTitle : bulk.title(name, selected.length)}
    >
      {selected.length === 0 ? (
        <EmptyState heading="h2" title={bulk.none}>
          <p>{bulk.noneAdvice}</p>
          <p>
            <a class="button" href={list}>
              {bulk.back}
            </a>
          </p>
        </EmptyState>
      ) : (
        <>
          <p class="intro">{effect}</p>
          <details class="more" open={selected.length <= 10}>
            <summary>{bulk.selected(selected.length)}</summary>
            <ul class="keys">
              {selected.map((key) => (
                <li key={key}>
                  <code>{key}</code>
                </li>
              ))}
            </ul>
          </details>
          <Form
            state={state}
            submit={bulk.submit(name, selected.length)}
            cancel={list}
            isDangerous={action !== 'reinstate'}
          >
            <HiddenField name="action" value={action} />
            {selected.map((key) => (
              <HiddenField key={key} name="key" value={key} />
            ))}
            <ReasonField state={state} />
          </Form>
        </>
      )}
    </SellingPage>
  );
}

function ResultPage({
  visit,
  action,
  results,
}: {
  readonly visit: SignedInVisit;
  readonly action: PlainTransition;
  readonly results: readonly BulkResult[];
}): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  const done = results.filter(({ result }) => !isRefused(result)).length;
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      above={[{ href: list, title: words.title }]}
      title={bulk.done(words.acts[action].done, done, results.length)}
    >
      {done < results.length && <p class="note">{bulk.notAll(results.length - done)}</p>}
      <List
        label={bulk.results}
        rows={results}
        keyOf={({ key }) => key}
        columns={[
          { title: words.key, cell: ({ key }) => <KeyLink key={key} list={list} text={key} /> },
          { title: bulk.result, cell: ({ result }) => <Result result={result} /> },
        ]}
      />
      <p class="choices">
        <a class="button primary" href={list}>
          {bulk.back}
        </a>
      </p>
    </SellingPage>
  );
}

function Result({ result }: { readonly result: BulkResult['result'] }): VNode {
  if (!isRefused(result)) return <StatusTag status={result.status} />;
  return <span class="fault">{result.detail ?? bulk.refusals[result.reason]}</span>;
}

/** A text that is no key leads nowhere. */
function KeyLink({ list, text }: { readonly list: string; readonly text: string }): VNode {
  const key = parseLicenseKey(text);
  if (key === undefined) return <span class="breakable">{text}</span>;
  return (
    <a href={`${list}/${key}`}>
      <code class="whole">{key}</code>
    </a>
  );
}
