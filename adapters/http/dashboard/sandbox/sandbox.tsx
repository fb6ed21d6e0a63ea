import type { VNode } from 'preact';
import { z } from 'zod';
import type { Login } from '../../../../core/accounts/login.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { OpenSandbox } from '../../../../core/sandbox/open-sandbox.ts';
import { forNow } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { CardPage } from '../../ui/area-page.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Form } from '../../ui/form.tsx';
import type { Frame, Person } from '../../ui/frame.ts';
import { Secret } from '../../ui/secret.tsx';
import { sandboxWords } from '../../ui/words.ts';
import { sampleCall } from '../api-keys/new-key.tsx';
import { shown } from '../kit/answer.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';

const words = {
  title: 'Try it',
  lead: 'You get an account of your own with sample data, without a password or an e-mail address. After a day, it is deleted with everything in it.',
  limits:
    'It has test data only: it sends no mails and no webhooks, takes no money, and keeps files of at most 1 MB. Enter no secrets and no data of real people.',
  submit: 'Get an account for a day',
  ready: 'Your account is ready',
  kept: 'You are signed in, in this browser only. Your API key for test data is not shown again; you can make more.',
  key: 'API key',
  call: 'Show your account with it',
  verify: 'Activate a license on a domain',
  on: 'Look around',
} as const;

/** What an account begins with. */
interface Samples {
  readonly apiKey: string;
  readonly license: string;
}

interface SandboxTools {
  readonly open: OpenSandbox<Samples>;
  /** The public addresses of the account API and of the license API. */
  readonly baseUrl: string;
  readonly licenseApi: string;
}

/** The page on which visitors get an account. Only on a sandbox. */
export function sandboxPages(tools: DashboardTools, { open, ...urls }: SandboxTools): Endpoint[] {
  if (!tools.site().look?.isSandbox) return [];
  return form(tools, {
    id: 'sandbox',
    path: '/sandbox',
    audience: 'guest',
    fields: z.object({}),
    render: ({ frame }, state) => (
      <CardPage frame={frame} title={words.title}>
        <p>{words.lead}</p>
        <p>{words.limits}</p>
        <Form state={state} submit={words.submit}>
          {null}
        </Form>
        <p class="aside">
          <a href={`${frame.root}docs/operating#run-a-public-sandbox`}>{sandboxWords.about}</a>
        </p>
      </CardPage>
    ),
    async act({ frame, from }) {
      const opened = await open(from);
      if (!isRefused(opened)) {
        const { samples, session } = opened;
        return shown(<Ready frame={{ ...frame, person: personOf(session.login) }} samples={samples} {...urls} />, {
          session,
        });
      }
      const { reason, detail, figures } = opened;
      if (reason === 'sandbox_full') throw forNow(refuse('service_unavailable', detail, figures));
      return refuse(reason, detail, figures);
    },
    refusals: {},
  });
}

/** The new account as the head of the page shows it. */
function personOf({ name, sandboxUntil }: Login): Person {
  const none = { unread: 0, waitingOrders: 0, waitingProducts: 0 };
  return { name, sandboxUntil, sells: true, isAdmin: false, needsSecondFactor: false, ...none };
}

interface ReadyFacts extends Omit<SandboxTools, 'open'> {
  readonly frame: Frame;
  readonly samples: Samples;
}

function Ready({ frame, samples: { apiKey, license }, baseUrl, licenseApi }: ReadyFacts): VNode {
  const body = JSON.stringify({ license_key: license, domain: 'shop.example.com' });
  return (
    <CardPage frame={frame} title={words.ready} scripts={['copy.js']}>
      <p>{words.kept}</p>
      <Secret id="key" label={words.key} value={apiKey} />
      <Secret id="call" label={words.call} value={sampleCall(baseUrl, apiKey, null) ?? ''} />
      <Secret
        id="activate"
        label={words.verify}
        value={`curl ${licenseApi}/activate \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`}
      />
      <p class="actions">
        <ButtonLink href={`${frame.root}selling/test`} text={words.on} look="primary" />
      </p>
    </CardPage>
  );
}
