import type { VNode } from 'preact';
import { z } from 'zod';
import type { Login } from '../../../../core/accounts/login.ts';
import type { Sessions } from '../../../../core/accounts/sessions.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { OpenSandbox } from '../../../../core/sandbox/open-sandbox.ts';
import { sandboxLimits } from '../../../../core/sandbox/sandbox.ts';
import { inSeconds } from '../../../../core/time.ts';
import { forNow } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form } from '../../ui/form.tsx';
import type { Frame, Person } from '../../ui/frame.ts';
import { sandboxGuide } from '../../ui/sandbox-bar.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { sandboxWords } from '../../ui/words.ts';
import { sampleCall } from '../api-keys/new-key.tsx';
import { type Answer, goTo, shown } from '../kit/answer.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';

const words = {
  contents: [
    'A product, 7 licenses, 2 orders, a listener and an API key',
    'Yours alone, deleted after a day',
    'No mails, no money, files up to 1 MB',
  ],
  notReal: 'Do not enter secrets or data of real people.',
  about: 'What works, and what is off',
  ready: 'Your account is ready',
  kept: 'You are signed in on this browser only. Copy the key now: it is not shown again.',
  key: 'API key for test data',
  call: '1. Check your key',
  verify: '2. Activate a license',
  on: 'Open the dashboard',
  end: 'This account and everything in it is deleted on',
  tooMany: (time: 'hour' | 'day', minutes: number) => {
    const [perHour] = sandboxLimits;
    // The limit of a day can be that of the network around.
    const [count, when] = time === 'hour' ? [perHour.limit, 'this hour'] : ['too many', 'today'];
    const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
    return `Your network has opened ${count} sandboxes ${when}. Try again in ${wait}.`;
  },
  leave: {
    title: 'Sign out?',
    lead: 'You cannot come back to this account: it has no password.',
    submit: 'Sign out',
    stay: 'Stay',
  },
} as const;

/** The samples that the first page of a new account shows. */
interface Samples {
  readonly apiKey: string;
  readonly license: string;
}

interface SandboxTools {
  readonly open: OpenSandbox<Samples>;
  readonly sessions: Pick<Sessions, 'signOut'>;
  /** The public addresses of the account API and of the license API. */
  readonly baseUrl: string;
  readonly licenseApi: string;
}

/** The page on which visitors get an account, and the one that asks before they lose it. Only on a sandbox. */
export function sandboxPages(tools: DashboardTools, sandbox: SandboxTools): Endpoint[] {
  if (!tools.site().look?.isSandbox) return [];
  return [...openingPages(tools, sandbox), ...leavingPages(tools, sandbox)];
}

function openingPages(tools: DashboardTools, { open, baseUrl, licenseApi }: SandboxTools): Endpoint[] {
  return form(tools, {
    id: 'sandbox',
    path: '/sandbox',
    audience: 'guest',
    fields: z.object({}),
    render: ({ frame }, state) => (
      <CardPage frame={frame} title={sandboxWords.open}>
        <ul>
          {words.contents.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <p class="faint">{words.notReal}</p>
        <Form state={state} submit={sandboxWords.open}>
          {null}
        </Form>
        <About root={frame.root} />
      </CardPage>
    ),
    async act({ ctx, frame, from }) {
      const opened = await open(from);
      if (!isRefused(opened)) {
        const { samples, session } = opened;
        const facts = { login: session.login, samples, baseUrl, licenseApi };
        return shown(<Ready frame={{ ...frame, person: personOf(session.login) }} {...facts} />, { session });
      }
      const { reason, detail, figures } = opened;
      if (reason === 'sandbox_full') throw forNow(refuse('service_unavailable', detail, figures));
      const seconds = figures?.retry_after ?? inSeconds.minute;
      ctx.set('Retry-After', String(seconds));
      return tooMany(frame, seconds);
    },
    refusals: {},
  });
}

/** A visitor who signs out loses the account, so this page asks first. */
function leavingPages(tools: DashboardTools, { sessions }: SandboxTools): Endpoint[] {
  const { title, lead, submit, stay } = words.leave;
  return form(tools, {
    id: 'leave-sandbox',
    path: '/sandbox/leave',
    audience: 'user',
    fields: z.object({}),
    render: ({ frame }, state) => (
      <CardPage frame={frame} title={title}>
        <p>{lead}</p>
        <Form state={state} submit={submit} isDangerous cancel={`${frame.root}account`} keep={stay}>
          {null}
        </Form>
      </CardPage>
    ),
    async act({ me }) {
      await sessions.signOut(me);
      return goTo('sign-in', { notice: 'signed_out', session: 'ended' });
    },
    refusals: {},
  });
}

/** There is no button, because it would not work. */
function tooMany(frame: Frame, seconds: number): Answer {
  const time = seconds > inSeconds.hour ? 'day' : 'hour';
  return shown(
    <CardPage frame={frame} title={sandboxWords.open}>
      <p>{words.tooMany(time, Math.ceil(seconds / inSeconds.minute))}</p>
      <About root={frame.root} />
    </CardPage>,
    { status: 429 },
  );
}

function About({ root }: { readonly root: string }): VNode {
  return (
    <p class="aside">
      <a href={`${root}${sandboxGuide}`}>{words.about}</a>
    </p>
  );
}

/** The new account as the head of the page shows it. */
function personOf({ name, sandboxUntil }: Login): Person {
  const none = { unread: 0, waitingOrders: 0, waitingProducts: 0 };
  return { name, sandboxUntil, sells: true, isAdmin: false, needsSecondFactor: false, ...none };
}

interface ReadyFacts extends Pick<SandboxTools, 'baseUrl' | 'licenseApi'> {
  readonly frame: Frame;
  readonly login: Login;
  readonly samples: Samples;
}

function Ready({
  frame,
  login: { sandboxUntil },
  samples: { apiKey, license },
  baseUrl,
  licenseApi,
}: ReadyFacts): VNode {
  const body = JSON.stringify({ license_key: license, domain: 'shop.example.com' });
  return (
    <CardPage frame={frame} title={words.ready} isWide scripts={['copy.js']}>
      <p>{words.kept}</p>
      <Secret id="key" label={words.key} value={apiKey} wraps />
      <Secret id="call" label={words.call} value={sampleCall(baseUrl, apiKey, null) ?? ''} wraps />
      <Secret
        id="activate"
        label={words.verify}
        value={`curl ${licenseApi}/activate \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`}
        wraps
      />
      <p class="choices">
        <ButtonLink href={`${frame.root}selling/test`} text={words.on} look="primary" />
      </p>
      {sandboxUntil !== undefined && (
        <p class="faint">
          {words.end} <Time at={sandboxUntil} />.
        </p>
      )}
    </CardPage>
  );
}
