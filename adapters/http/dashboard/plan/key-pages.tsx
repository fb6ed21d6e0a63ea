import type { VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, isGood } from '../../../../core/accounts/api-key.ts';
import { scopes } from '../../../../core/accounts/scope.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { Form } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { goTo, shown } from '../answer.ts';
import { form } from '../form.ts';
import { actorOf, page } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { KeyFacts } from './key-facts.tsx';
import { KeyActions } from './key-list.tsx';
import { entry, PlanPage } from './plan-page.tsx';
import { ownKey, type PlanTools } from './plan-tools.ts';

const words = texts.plan;

/** The page of one key, and the page that asks before it is revoked. */
export function keyPages(dashboard: DashboardTools, tools: PlanTools): Endpoint[] {
  const { clock } = dashboard;
  return [
    page(dashboard, {
      id: 'key',
      path: '/account/keys/:id',
      audience: 'user',
      async show(visit) {
        const { frame } = visit;
        const [key, now] = [await ownKey(tools, visit), clock.now()];
        return shown(
          <PlanPage frame={frame} title={key.name} actions={<KeyActions apiKey={key} now={now} root={frame.root} />}>
            <KeyFacts apiKey={key} now={now} root={frame.root} />
            <ScopeList apiKey={key} />
          </PlanPage>,
        );
      },
    }),

    ...form(dashboard, {
      id: 'revoke-key',
      path: '/account/keys/:id/revoke',
      audience: 'user',
      fields: z.object({}),
      async render(visit, state) {
        const { frame } = visit;
        const key = await ownKey(tools, visit);
        const now = clock.now();
        return (
          <PlanPage frame={frame} title={words.revoke.title} of={key}>
            <KeyFacts apiKey={key} now={now} root={frame.root} />
            {isGood(key, now) ? (
              <>
                <p class="lead">{words.revoke.lead}</p>
                <Form state={state} submit={words.revoke.submit} cancel={`${frame.root}${entry}`} isDangerous />
              </>
            ) : (
              <p class="lead">{words.revoke.ended}</p>
            )}
          </PlanPage>
        );
      },
      async act(visit) {
        const { id } = await ownKey(tools, visit);
        const revoked = await tools.accounts.revokeKey(String(id), actorOf(visit));
        return isRefused(revoked) ? revoked : goTo(entry, { notice: 'key_revoked' });
      },
      refusals: {
        key_not_found: { text: words.gone },
        key_ambiguous: { text: words.gone },
        forbidden: { text: texts.failure.noRight },
      },
    }),
  ];
}

function ScopeList({ apiKey }: { readonly apiKey: ApiKey }): VNode {
  return (
    <section class="panel">
      <h2>{words.key.scopes}</h2>
      {apiKey.scopes === null ? (
        <p>{words.key.allScopes}</p>
      ) : (
        <ul class="scopes">
          {apiKey.scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code> <span class="faint">{scopes[scope]}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
