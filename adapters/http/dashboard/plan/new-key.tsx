import type { VNode } from 'preact';
import { z } from 'zod';
import { type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import { longestKeyName } from '../../../../core/accounts/key-terms.ts';
import { scopeNames, scopes } from '../../../../core/accounts/scope.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { ChoiceField, DateField, Form, HiddenField, type Options, SelectField, TextField } from '../../ui/form.tsx';
import type { FormState } from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { texts } from '../../ui/texts.ts';
import { shown } from '../answer.ts';
import { formId, oneOf, optionalText, required, someOf } from '../fields.ts';
import { form } from '../form.ts';
import { newFormId } from '../once.ts';
import { actorOf } from '../page.ts';
import type { DashboardTools } from '../tools.ts';
import { type Expiry, expiries, expiryOf } from './expiry.ts';
import { MadeKey } from './made-key.tsx';
import { entry, PlanPage } from './plan-page.tsx';
import { ownerOf, type PlanTools } from './plan-tools.ts';

const { newKey: words } = texts.plan;
const accesses = ['all', 'some'] as const;

/** The form for a new API key, which is shown once. Sending the same form again makes no second key. */
export function newKeyPages(dashboard: DashboardTools, { accounts, once, baseUrl }: PlanTools): Endpoint[] {
  return form(dashboard, {
    id: 'new-key',
    path: '/account/keys/new',
    audience: 'user',
    isSensitive: true,
    fields: z.object({
      once: formId,
      name: required(longestKeyName, texts.signIn.noName),
      mode: oneOf(keyModes, words.choose),
      expiry: oneOf(expiries, words.choose),
      until: optionalText,
      access: oneOf(accesses, words.choose),
      scopes: someOf(scopeNames),
    }),
    initial: () => ({ mode: 'live', expiry: 'never', access: 'all' }),
    render: ({ frame }, state) => (
      <PlanPage frame={frame} title={words.title}>
        <KeyForm frame={frame} state={state} />
      </PlanPage>
    ),
    async act(visit, { once: id, name, mode, expiry, until, access, scopes: some }) {
      const expiresAt = expiryOf(expiry, until, dashboard.clock.now());
      if (isRefused(expiresAt)) return expiresAt;
      const terms = { name, mode, expiresAt, scopes: access === 'all' ? null : some };
      const owner = ownerOf(visit);
      const made = await once(`${owner}:new-key`, id, () => accounts.createKey(owner, terms, actorOf(visit)));
      if (made === 'already_sent') return shown(<AlreadySent frame={visit.frame} />, { status: 422 });
      return isRefused(made) ? made : shown(<MadeKey frame={visit.frame} made={made} baseUrl={baseUrl} />);
    },
    refusals: {
      no_day: { field: 'until', text: words.noDay },
      expiry_passed: { field: 'until', text: words.pastDay },
      invalid_name: { field: 'name', text: words.invalidName },
      no_scopes: { field: 'scopes', text: words.noScopes },
      too_many_keys: { text: words.tooMany },
      forbidden: { text: texts.failure.noRight },
      user_not_found: { text: texts.failure.noRight },
    },
  });
}

function KeyForm({ frame, state }: { readonly frame: Frame; readonly state: FormState }): VNode {
  return (
    <Form state={state} submit={words.submit} cancel={`${frame.root}${entry}`}>
      <HiddenField name="once" value={newFormId()} />
      <TextField state={state} name="name" label={words.name} hint={words.nameHint} />
      <ChoiceField
        state={state}
        name="mode"
        type="radio"
        label={words.mode}
        options={keyModes.map((mode: KeyMode) => [mode, words.modes[mode]])}
      />
      <SelectField
        state={state}
        name="expiry"
        label={words.expiry}
        options={expiries.map((one: Expiry) => [one, words.expiries[one]])}
      />
      {/* The style sheet hides these two fields while they are not needed. */}
      <div class="if-date">
        <DateField state={state} name="until" label={words.until} hint={words.untilHint} />
      </div>
      <ChoiceField
        state={state}
        name="access"
        type="radio"
        label={words.access}
        options={accesses.map((one) => [one, words.accesses[one]])}
      />
      <div class="if-some">
        <ChoiceField state={state} name="scopes" type="checkbox" label={words.scopes} options={scopeOptions} />
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
    <PlanPage frame={frame} title={words.sentTitle}>
      <p class="lead">{words.sent}</p>
      <p class="choices">
        <a class="button primary" href={`${frame.root}${entry}`}>
          {words.toKeys}
        </a>
        <a class="button" href={`${frame.root}${entry}/keys/new`}>
          {words.another}
        </a>
      </p>
    </PlanPage>
  );
}
