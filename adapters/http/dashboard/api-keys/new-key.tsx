import type { ComponentChildren, VNode } from 'preact';
import { z } from 'zod';
import { type ApiKey, type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import { longestKeyName } from '../../../../core/accounts/api-key-terms.ts';
import { type Scope, type Scopes, scopeNames, scopes } from '../../../../core/accounts/scope.ts';
import { isOfSandbox } from '../../../../core/accounts/user.ts';
import { endOfDay } from '../../../../core/day-text.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { isRefused, type Refused, refuse } from '../../../../core/refusal.ts';
import { day } from '../../../../core/time.ts';
import type { Endpoint } from '../../surface.ts';
import { AreaPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import {
  ChoiceField,
  DateField,
  Form,
  HiddenField,
  named,
  type Options,
  SelectField,
  TextField,
} from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { Secret } from '../../ui/secret.tsx';
import { failureWords } from '../../ui/words.ts';
import { shown } from '../kit/answer.ts';
import { fieldWords, formId, oneOf, optionalText, required, someOf } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import { actorOf, type DashboardTools, type SignedInVisit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { SubjectPage } from '../kit/subject-page.tsx';
import { aboutKey, addressOf, entry, ownerOf, type PlanTools, place } from './subject.tsx';
import { words } from './words.ts';

const { newKey: names, made: madeWords } = words;
const accesses = ['all', 'some'] as const;

/** The form for a new API key. The key is shown once. If the same form is sent twice, only one key is made. */
export function newKeyPages(tools: DashboardTools, { accounts, once, baseUrl }: PlanTools): Endpoint[] {
  return form(tools, {
    id: 'new-key',
    path: '/account/keys/new',
    audience: 'user',
    isSensitive: true,
    fields: z.object({
      once: formId,
      name: required(longestKeyName, fieldWords.noName),
      mode: oneOf(keyModes, names.choose),
      expiry: oneOf(expiries, names.choose),
      until: optionalText,
      access: oneOf(accesses, names.choose),
      scopes: someOf(scopeNames),
    }),
    initial: ({ me }) => ({ mode: modesOf(me)[0] ?? 'test', expiry: 'never', access: 'all' }),
    render: ({ frame, me }, state) => (
      <AreaPage frame={frame} place={place} title={names.title} isBelow>
        <KeyForm frame={frame} state={state} modes={modesOf(me)} />
      </AreaPage>
    ),
    async act(visit, { once: id, name, mode, expiry, until, access, scopes: some }) {
      const expiresAt = keyExpiry(expiry, until, tools.clock.now());
      if (isRefused(expiresAt)) return expiresAt;
      const terms = { name, mode, expiresAt, scopes: access === 'all' ? null : some };
      const owner = ownerOf(visit);
      const made = await once(`${owner}:new-key`, id, () => accounts.createKey(owner, terms, actorOf(visit)));
      if (made === 'already_sent') return shown(<AlreadySent frame={visit.frame} />, { status: 422 });
      return isRefused(made) ? made : shown(<MadeKey visit={visit} made={made} baseUrl={baseUrl} />);
    },
    refusals: {
      no_day: { field: 'until', text: names.noDay },
      expiry_passed: { field: 'until', text: names.pastDay },
      invalid_name: { field: 'name', text: names.invalidName },
      test_only: asRefused('mode'),
      no_scopes: { field: 'scopes', text: names.noScopes },
      too_many_keys: { text: names.tooMany },
      forbidden: { text: failureWords.noRight },
      user_not_found: { text: failureWords.noRight },
    },
  });
}

/** The modes of keys that this person can have. */
function modesOf({ login }: SignedInVisit['me']): readonly KeyMode[] {
  return isOfSandbox(login) ? ['test'] : keyModes;
}

interface KeyFormFacts {
  readonly frame: Frame;
  readonly state: FormState;
  readonly modes: readonly KeyMode[];
}

function KeyForm({ frame, state, modes }: KeyFormFacts): VNode {
  return (
    <Form state={state} submit={names.submit} cancel={`${frame.root}${entry}`}>
      <HiddenField name="once" value={newFormId()} />
      <TextField name="name" label={names.name} hint={names.nameHint} />
      {modes.length === 1 ? (
        <HiddenField name="mode" />
      ) : (
        <ChoiceField name="mode" type="radio" label={names.mode} options={named(modes, names.modes)} />
      )}
      <SelectField
        name="expiry"
        label={names.expiry}
        options={expiries.map((one: Expiry) => [one, names.expiries[one]])}
      />
      {/* The style sheet hides these two fields while they are not needed. */}
      <div class="if-date">
        <DateField name="until" label={names.until} hint={names.untilHint} />
      </div>
      <ChoiceField name="access" type="radio" label={names.access} options={named(accesses, names.accesses)} />
      <div class="if-some">
        <ChoiceField name="scopes" type="checkbox" label={names.scopes} options={scopeOptions} />
      </div>
    </Form>
  );
}

const scopeOptions: Options = scopeNames.map((name) => [
  name,
  <>
    <code>{name}</code> <span class="faint">{scopes[name]}</span>
  </>,
]);

function AlreadySent({ frame }: { readonly frame: Frame }): VNode {
  return (
    <AreaPage frame={frame} place={place} title={names.sentTitle} isBelow>
      <p class="lead">{names.sent}</p>
      <p class="choices">
        <ButtonLink href={`${frame.root}${entry}`} text={names.toKeys} look="primary" />
        <ButtonLink href={`${frame.root}${entry}/keys/new`} text={names.another} />
      </p>
    </AreaPage>
  );
}

const expiries = ['never', '30', '90', '365', 'date'] as const;
type Expiry = (typeof expiries)[number];

/** Returns when a new key expires. `until` is its last day in UTC, such as `2026-11-22`, for the choice `date`. */
function keyExpiry(choice: Expiry, until: string, now: Instant): Instant | null | Refused<'no_day'> {
  switch (choice) {
    case 'never':
      return null;
    case '30':
    case '90':
    case '365':
      return now + Number(choice) * day;
    case 'date':
      return endOfDay(until) ?? refuse('no_day');
  }
}

/** Shows a new key with a command that uses it. The key is never shown again. */
export function MadeKey({
  visit,
  made: { key, secret },
  baseUrl,
  children,
}: {
  readonly visit: SignedInVisit;
  readonly made: { readonly key: ApiKey; readonly secret: string };
  readonly baseUrl: string;
  /** More messages, for example about the old key. */
  readonly children?: ComponentChildren;
}): VNode {
  const { root } = visit.frame;
  const call = sampleCall(baseUrl, secret, key.scopes);
  return (
    <SubjectPage visit={visit} about={aboutKey(key)} title={madeWords.title} scripts={['copy.js']}>
      <section class="panel marked">
        <p>{madeWords.lead}</p>
        <Secret id="key" label={madeWords.key} value={secret} />
        {children}
      </section>
      {call !== undefined && (
        <section class="panel">
          <Secret id="call" label={madeWords.call} value={call} />
        </section>
      )}
      <p class="choices">
        <ButtonLink href={`${root}${entry}`} text={madeWords.done} look="primary" />
        <ButtonLink href={`${root}${addressOf(key)}`} text={madeWords.details} />
      </p>
    </SubjectPage>
  );
}

/** Calls that change nothing, with the scope that each needs. The sample of a key is the first call that it may make. */
const samples = [
  ['account:read', '/api/auth/me'],
  ['templates:read', '/api/templates'],
  ['marketplace:read', '/api/marketplace/my-products'],
] as const satisfies readonly (readonly [Scope, string])[];

/**
 * Returns a command that uses the key in a terminal, or `undefined` if the key may make none of the sample calls.
 * `baseUrl` has no slash at the end.
 */
export function sampleCall(baseUrl: string, key: string, scopes: Scopes): string | undefined {
  const sample = samples.find(([scope]) => scopes === null || scopes.includes(scope));
  return sample && `curl ${baseUrl}${sample[1]} \\\n  -H 'X-API-Key: ${key}'`;
}
