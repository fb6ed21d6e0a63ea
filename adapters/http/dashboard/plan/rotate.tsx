import type { VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, keyStateOf } from '../../../../core/accounts/api-key.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, Form } from '../../ui/form.tsx';
import { texts } from '../../ui/texts.ts';
import { Time } from '../../ui/time.tsx';
import { shown } from '../answer.ts';
import { oneOf } from '../fields.ts';
import { form } from '../form.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { KeyFacts } from './key-facts.tsx';
import { MadeKey } from './made-key.tsx';
import { addressOf, PlanPage } from './plan-page.tsx';
import { ownKey, type PlanTools } from './plan-tools.ts';

const { rotate: words, newKey } = texts.plan;
/** How long the old key still works, in seconds. */
const overlaps = ['0', '3600', '86400', '259200', '604800'] as const;

/** Replaces a key by a new one, which is shown once. Sending the form again is refused, because the key was rotated. */
export function rotatePages(dashboard: DashboardTools, tools: PlanTools): Endpoint[] {
  const { clock } = dashboard;
  return form(dashboard, {
    id: 'rotate-key',
    path: '/account/keys/:id/rotate',
    audience: 'user',
    isSensitive: true,
    fields: z.object({ overlap: oneOf(overlaps, newKey.choose) }),
    initial: () => ({ overlap: '86400' }),
    async render(visit, state) {
      const { frame } = visit;
      const key = await ownKey(tools, visit);
      const now = clock.now();
      const keyState = keyStateOf(key, now);
      return (
        <PlanPage frame={frame} title={words.title} of={key}>
          <KeyFacts apiKey={key} now={now} root={frame.root} />
          {keyState === 'active' ? (
            <>
              <p class="lead">{words.lead}</p>
              <Form state={state} submit={words.submit} cancel={`${frame.root}${addressOf(key)}`}>
                <ChoiceField
                  state={state}
                  name="overlap"
                  type="radio"
                  label={words.overlap}
                  options={overlaps.map((one) => [one, words.overlaps[one]])}
                />
              </Form>
            </>
          ) : (
            <p class="lead">{key.replacedBy === null ? words.ended : words.replaced}</p>
          )}
        </PlanPage>
      );
    },
    async act(visit, { overlap }) {
      const { id } = await ownKey(tools, visit);
      const made = await tools.accounts.rotateKey(String(id), Number(overlap), actorOf(visit));
      if (isRefused(made)) return made;
      return shown(
        <MadeKey frame={visit.frame} made={made} baseUrl={tools.baseUrl}>
          <OldKey old={made.old} now={clock.now()} />
        </MadeKey>,
      );
    },
    refusals: {
      key_replaced: { text: words.replaced },
      key_ended: { text: words.ended },
      too_many_keys: { text: words.tooMany },
      invalid_overlap: { field: 'overlap', text: words.wrongOverlap },
      key_not_found: { text: texts.plan.gone },
      key_ambiguous: { text: texts.plan.gone },
      forbidden: { text: texts.failure.noRight },
    },
  });
}

/** How long the old key still works. */
function OldKey({ old, now }: { readonly old: ApiKey; readonly now: Instant }): VNode {
  if (old.expiresAt === null || old.expiresAt <= now) return <p>{words.oldEnded}</p>;
  return (
    <p>
      {words.oldEnds} <Time at={old.expiresAt} />.
    </p>
  );
}
