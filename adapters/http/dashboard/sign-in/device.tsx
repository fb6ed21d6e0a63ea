import type { VNode } from 'preact';
import { z } from 'zod';
import { longestKeyName } from '../../../../core/accounts/api-key-terms.ts';
import type { DeviceLogins, ShownDevice } from '../../../../core/accounts/device-logins.ts';
import { scopes } from '../../../../core/accounts/scope.ts';
import { isRefused } from '../../../../core/refusal.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm, Form, TextField } from '../../ui/form.tsx';
import { type FormState, tooManyAttempts } from '../../ui/form-state.ts';
import type { Frame } from '../../ui/frame.ts';
import { Facts } from '../../ui/list.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo, shown } from '../kit/answer.ts';
import { required } from '../kit/fields.ts';
import { click, form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';

const words = {
  title: 'Connect a program',
  lead: 'A program on a computer, such as the latchkey command, shows you a code. Enter it here to let the program use your account.',
  code: 'Code',
  codeHint: 'Eight letters, such as WDJB-MJHT. Hyphens and small letters do not matter.',
  noCode: 'Enter the code that the program shows.',
  unknown: 'No program waits with this code. Compare it with the one on your screen. Codes expire after 10 minutes.',
  next: 'Continue',
  approve: {
    title: 'Approve this program?',
    compare: 'Compare this code with the one that the program shows:',
    warning:
      'Approve only if you started the program yourself, on your own computer, just now. If somebody sent you this code or a link to this page, deny it: they want to use your account.',
    facts: {
      client: 'Calls itself',
      address: 'Called from',
      at: 'Started',
      mode: 'Mode',
      scopes: 'It will be able to',
      expires: 'Access ends',
    },
    modes: { live: 'Live data', test: 'Test data' },
    allScopes: 'use everything in your account that an API key can use',
    expires: 'After 90 days, or when you revoke the key',
    name: 'Name of the key',
    nameHint: 'By this name you find the key in your list of API keys.',
    noName: 'Enter a name.',
    invalidName: `Use 1 to ${longestKeyName} characters, and no control characters.`,
    submit: 'Approve',
    deny: 'Deny',
    denyLead: 'You did not start it, or the codes differ?',
  },
  gone: {
    title: 'This code does not work',
    again: 'Enter a code',
  },
  done: {
    title: 'Program approved',
    text: 'Go back to the program. It is signed in within a few seconds.',
    keys: 'See your API keys',
  },
  denied: {
    title: 'Program denied',
    text: 'The program gets no access. If somebody else gave you the code, ignore them.',
  },
} as const;

const path = 'device';

/** The pages on which a person types the code of a program, compares it, and approves or denies (RFC 8628, 3.3). */
export function devicePages(tools: DashboardTools, devices: DeviceLogins): Endpoint[] {
  return [
    ...form(tools, {
      id: 'device',
      path: `/${path}`,
      audience: 'user',
      fields: z.object({ code: required(100, words.noCode) }),
      initial: ({ query: { code = '' } }) => ({ code }),
      render: ({ frame }, state) => (
        <CardPage frame={frame} title={words.title}>
          <p>{words.lead}</p>
          <Form state={state} submit={words.next}>
            <TextField name="code" label={words.code} hint={words.codeHint} isCode />
          </Form>
        </CardPage>
      ),
      async act({ me, from }, { code }) {
        const found = await devices.show(code, me, from);
        return isRefused(found) ? found : goTo(`${path}/approve?code=${found.code}`);
      },
      refusals: { code_unknown: { field: 'code', text: words.unknown } },
    }),

    ...form(tools, {
      id: 'approve-device',
      path: `/${path}/approve`,
      audience: 'user',
      isSensitive: true,
      fields: z.object({ name: required(longestKeyName, words.approve.noName) }),
      async render({ frame, me, from, query: { code = '' } }, state) {
        const found = await devices.show(code, me, from);
        if (!isRefused(found)) return approvePage(frame, state, found);
        const text = found.reason === 'code_unknown' ? words.unknown : tooManyAttempts(found);
        return <Gone frame={frame} text={text} />;
      },
      async act({ frame, me, from, query: { code = '' } }, { name }) {
        const result = await devices.approve(code, name, me, from);
        return isRefused(result) ? result : shown(<Done frame={frame} />);
      },
      refusals: {
        code_unknown: { text: words.unknown },
        invalid_name: { field: 'name', text: words.approve.invalidName },
        test_only: asRefused(),
        // A program asks for at least one scope, and the key expires in the future.
        no_scopes: { text: words.unknown },
        expiry_passed: { text: words.unknown },
      },
    }),

    click(tools, {
      id: 'deny-device',
      path: `/${path}/deny`,
      audience: 'user',
      async act({ frame, me, from, query: { code = '' } }) {
        const result = await devices.deny(code, me, from);
        if (isRefused(result)) return result;
        return shown(
          <CardPage frame={frame} title={words.denied.title}>
            <p>{words.denied.text}</p>
          </CardPage>,
        );
      },
      refusals: { code_unknown: words.unknown },
    }),
  ];
}

function approvePage(
  frame: Frame,
  state: FormState,
  { code, clientName, address, createdAt, mode, scopes: asked }: ShownDevice,
): VNode {
  const { approve } = words;
  const values = 'name' in state.values ? state.values : { ...state.values, name: clientName };
  return (
    <CardPage frame={frame} title={approve.title} scripts={['local-times.js']}>
      <p>{approve.compare}</p>
      <div class="panel marked">
        <p class="compared">
          <strong class="code">{code}</strong>
        </p>
      </div>
      <p class="note">{approve.warning}</p>
      <Facts
        facts={[
          [approve.facts.client, <span dir="auto">{clientName}</span>],
          [approve.facts.address, address],
          [approve.facts.at, <Time at={createdAt} />],
          [approve.facts.mode, approve.modes[mode]],
          [approve.facts.scopes, asked ? asked.map((scope) => scopes[scope]).join('; ') : approve.allScopes],
          [approve.facts.expires, approve.expires],
        ]}
      />
      <Form state={{ ...state, values }} submit={approve.submit}>
        <TextField name="name" label={approve.name} hint={approve.nameHint} />
      </Form>
      <div class="aside">
        <p>{approve.denyLead}</p>
        <ButtonForm action={`${frame.root}${path}/deny?code=${code}`} label={approve.deny} look="small danger" />
      </div>
    </CardPage>
  );
}

function Gone({ frame, text }: { readonly frame: Frame; readonly text: string }): VNode {
  return (
    <CardPage frame={frame} title={words.gone.title}>
      <p>{text}</p>
      <p>
        <ButtonLink href={`${frame.root}${path}`} text={words.gone.again} look="primary" />
      </p>
    </CardPage>
  );
}

function Done({ frame }: { readonly frame: Frame }): VNode {
  return (
    <CardPage frame={frame} title={words.done.title}>
      <p>{words.done.text}</p>
      <p class="aside">
        <a href={`${frame.root}account`}>{words.done.keys}</a>
      </p>
    </CardPage>
  );
}
