import type { VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, isGood, keyStateOf } from '../../../../core/accounts/api-key.ts';
import { scopes } from '../../../../core/accounts/scope.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, Form, named } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { failureWords } from '../../ui/words.ts';
import { goTo, shown } from '../kit/answer.ts';
import { oneOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { actorOf, type DashboardTools } from '../kit/page.ts';
import { SubjectPage, subjectPage, visitSubject } from '../kit/subject-page.tsx';
import { KeyActions } from './key-list.tsx';
import { MadeKey } from './new-key.tsx';
import { aboutKey, entry, KeyFacts, keySubject, type PlanTools } from './subject.tsx';
import { words } from './words.ts';

const { rotate } = words;
/** How long the old key still works, in seconds. */
const overlaps = ['0', '3600', '86400', '259200', '604800'] as const;
const gone = {
  key_not_found: { text: words.gone },
  key_ambiguous: { text: words.gone },
  forbidden: { text: failureWords.noRight },
};

/** The page of one key, and the pages that ask before it is revoked or rotated. */
export function keyPages(tools: DashboardTools, own: PlanTools): Endpoint[] {
  const { clock } = tools;
  const subject = keySubject(own);
  return [
    subjectPage(tools, subject, {
      id: 'key',
      show({ one: key, root }) {
        const now = clock.now();
        return {
          actions: <KeyActions apiKey={key} now={now} root={root} />,
          children: (
            <>
              <KeyFacts apiKey={key} now={now} root={root} />
              <ScopeList apiKey={key} />
            </>
          ),
        };
      },
    }),

    ...form(tools, {
      id: 'revoke-key',
      path: `${subject.path}/revoke`,
      audience: 'user',
      fields: z.object({}),
      async render(visit, state) {
        const { one: key, root } = await visitSubject(subject, visit);
        const now = clock.now();
        return (
          <SubjectPage visit={visit} about={aboutKey(key)} title={words.revoke.title}>
            <KeyFacts apiKey={key} now={now} root={root} />
            {isGood(key, now) ? (
              <>
                <p class="lead">{words.revoke.lead}</p>
                <Form state={state} submit={words.revoke.submit} cancel={`${root}${entry}`} isDangerous />
              </>
            ) : (
              <p class="lead">{words.revoke.ended}</p>
            )}
          </SubjectPage>
        );
      },
      async act(visit) {
        const { id } = await subject.find(visit);
        const revoked = await own.accounts.revokeKey(String(id), actorOf(visit));
        return isRefused(revoked) ? revoked : goTo(entry, { notice: 'key_revoked' });
      },
      refusals: gone,
    }),

    // The new key is shown once. Sending the form again is refused, because the key was rotated.
    ...form(tools, {
      id: 'rotate-key',
      path: `${subject.path}/rotate`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({ overlap: oneOf(overlaps, words.newKey.choose) }),
      initial: () => ({ overlap: '86400' }),
      async render(visit, state) {
        const { one: key, root, address } = await visitSubject(subject, visit);
        const now = clock.now();
        return (
          <SubjectPage visit={visit} about={aboutKey(key)} title={rotate.title}>
            <KeyFacts apiKey={key} now={now} root={root} />
            {keyStateOf(key, now) === 'active' ? (
              <>
                <p class="lead">{rotate.lead}</p>
                <Form state={state} submit={rotate.submit} cancel={address}>
                  <ChoiceField
                    name="overlap"
                    type="radio"
                    label={rotate.overlap}
                    options={named(overlaps, rotate.overlaps)}
                  />
                </Form>
              </>
            ) : (
              <p class="lead">{key.replacedBy === null ? rotate.ended : rotate.replaced}</p>
            )}
          </SubjectPage>
        );
      },
      async act(visit, { overlap }) {
        const { id } = await subject.find(visit);
        const made = await own.accounts.rotateKey(String(id), Number(overlap), actorOf(visit));
        if (isRefused(made)) return made;
        return shown(
          <MadeKey visit={visit} made={made} baseUrl={own.baseUrl}>
            <OldKey old={made.old} now={clock.now()} />
          </MadeKey>,
        );
      },
      refusals: {
        ...gone,
        key_replaced: { text: rotate.replaced },
        key_ended: { text: rotate.ended },
        too_many_keys: { text: rotate.tooMany },
        invalid_overlap: { field: 'overlap', text: rotate.wrongOverlap },
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

/** How long the old key still works. */
function OldKey({ old, now }: { readonly old: ApiKey; readonly now: Instant }): VNode {
  if (old.expiresAt === null || old.expiresAt <= now) return <p>{rotate.oldEnded}</p>;
  return (
    <p>
      {rotate.oldEnds} <Time at={old.expiresAt} />.
    </p>
  );
}
