import type { VNode } from 'preact';
import { z } from 'zod';
import { type PlainTransition, plainTransitions } from '../../../../core/licensing/license.ts';
import { parseLicenseKey } from '../../../../core/licensing/license-key.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { type BulkResult, mostInBulk } from '../../../../core/selling/bulk.ts';
import type { LicensePage, LicenseWish } from '../../../../core/selling/finding.ts';
import { readFields } from '../../body.ts';
import { clientGone } from '../../client-gone.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Form, HiddenField } from '../../ui/form.tsx';
import { choicesOf, emptyForm, type FormState, textOf } from '../../ui/form-state.ts';
import { List } from '../../ui/list.tsx';
import { send, shown } from '../kit/answer.ts';
import { oneOf, reason } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { admit, type DashboardTools, orFail, type SignedInVisit } from '../kit/page.ts';
import { chosen } from '../kit/query.ts';
import { SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import { ReasonField } from './fields.tsx';
import { type LicenseTools, StatusTag } from './subject.tsx';
import { words } from './words.ts';

const { bulk } = words;

const keys = z.preprocess(
  (value) => [value ?? []].flat(),
  z.array(z.string()).min(1, bulk.none).max(mostInBulk, bulk.tooMany(mostInBulk)),
);

/** Turns the filters of the list into what to look for. */
type WishOf = (choices: Readonly<Record<string, string>>) => Omit<LicenseWish, 'limit'>;

/**
 * Acts on the selected licenses of the list: asks first, then shows the result for each license. Keys are in no address,
 * which browsers and proxies write down.
 */
export function bulkPages(tools: DashboardTools, { licenses }: LicenseTools, wishOf: WishOf): Endpoint[] {
  /** The keys of all own licenses that match the filters, or as many as can be changed at once. */
  async function matching(visit: SignedInVisit, sent: Readonly<Record<string, string | string[]>>) {
    const choices = Object.fromEntries(
      Object.entries(sent).flatMap(([name, value]) =>
        name.startsWith(ofFilter) ? [[name.slice(ofFilter.length), String(value)]] : [],
      ),
    );
    const wish = { ...wishOf(choices), ownerId: visit.me.login.id, limit: perRead };
    const keys: string[] = [];
    let after: LicensePage['next'] = null;
    // Not `listedLicenses`: an act must have the present ones.
    for (let reads = 0; reads < mostReads && keys.length < mostInBulk; reads++) {
      const found: LicensePage = orFail(await licenses.list({ ...wish, after: after ?? undefined }, sellerIn(visit)));
      keys.push(...found.licenses.map(({ license }) => license.key));
      after = found.next;
      if (after === null) break;
    }
    return { keys: keys.slice(0, mostInBulk), isMore: after !== null || keys.length > mostInBulk };
  }

  return [
    {
      id: 'selling-licenses-bulk-ask',
      method: 'post',
      paths: ['/selling/:mode/licenses/bulk/ask'],
      async respond(ctx) {
        const visit = await admit(tools, ctx, 'user');
        if (!visit) return;
        const sent = await readFields(ctx, true);
        const isAll = sent.all !== undefined;
        const { keys, isMore } = isAll
          ? await matching(visit, sent)
          : { keys: choicesOf({ values: sent }, 'key'), isMore: false };
        const state = { ...emptyForm, values: { action: sent.action ?? '', key: keys } };
        send(visit, tools.cookies, shown(<BulkPage visit={visit} state={state} isMore={isMore} />));
      },
    },
    ...form(tools, {
      id: 'selling-licenses-bulk',
      path: '/selling/:mode/licenses/bulk',
      audience: 'user',
      fields: z.object({ action: oneOf(plainTransitions, bulk.noAction), key: keys, reason }),
      initial: ({ query }) => ({ action: query.action ?? '' }),
      render: (visit, state) => <BulkPage visit={visit} state={state} />,
      async act(visit, { action, key, reason }) {
        const results = await licenses.bulk(action, key, sellerIn(visit, reason), clientGone(visit.ctx.req.socket));
        return shown(resultPage(visit, action, results));
      },
      refusals: {},
    }),
  ];
}
/** The names of the hidden fields with the filters of the list begin with this. */
export const ofFilter = 'list_';
const perRead = 250;
/** A page of a search can be short. */
const mostReads = 40;

function BulkPage({
  visit,
  state,
  isMore = false,
}: {
  readonly visit: SignedInVisit;
  readonly state: FormState;
  /** Whether more licenses match than can be changed at once. */
  readonly isMore?: boolean;
}): VNode {
  const action = chosen<PlainTransition>(textOf(state, 'action'), plainTransitions);
  if (action === undefined) throw new Failure('not_found');
  const selected = [...new Set(choicesOf(state, 'key'))];
  const { name, effect } = words.acts[action];
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      isBelow
      title={selected.length === 0 ? bulk.noneTitle : bulk.title(name, selected.length)}
    >
      {selected.length === 0 ? (
        <EmptyState heading="h2" title={bulk.none}>
          <p>{bulk.noneAdvice}</p>
          <p>
            <ButtonLink href={list} text={bulk.back} />
          </p>
        </EmptyState>
      ) : (
        <>
          <p class="intro">{effect}</p>
          {isMore && <p class="note">{bulk.more(mostInBulk)}</p>}
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
            action={`${list}/bulk`}
            submit={bulk.submit(name, selected.length)}
            cancel={list}
            isDangerous={action !== 'reinstate'}
          >
            <HiddenField name="action" value={action} />
            {selected.map((key) => (
              <HiddenField key={key} name="key" value={key} />
            ))}
            <ReasonField />
          </Form>
        </>
      )}
    </SellingPage>
  );
}

function resultPage(visit: SignedInVisit, action: PlainTransition, results: readonly BulkResult[]): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  const done = results.filter(({ result }) => !isRefused(result)).length;
  return (
    <SellingPage visit={visit} at="licenses" isBelow title={bulk.done(words.acts[action].done, done, results.length)}>
      {done < results.length && <p class="note">{bulk.notAll(results.length - done)}</p>}
      <List
        label={bulk.results}
        rows={results}
        columns={[
          { title: words.key, cell: ({ key }) => <KeyLink key={key} list={list} text={key} /> },
          { title: bulk.result, cell: ({ result }) => <Result result={result} /> },
        ]}
      />
      <p class="choices">
        <ButtonLink href={list} text={bulk.back} look="primary" />
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
