import type { Caller } from '../accounts/accounts.ts';
import { toDeploymentId } from '../id.ts';
import type { Chains } from '../ports/chain.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { CheckedDeployment, DeploymentChecks, DeploymentPlace } from '../ports/deployment-checks.ts';
import type { Deployment, DeploymentLog } from '../ports/deployment-log.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import { type Refused, refuse } from '../refusal.ts';
import { findTemplate } from '../templates/templates.ts';
import { day as oneDay } from '../time.ts';
import { mayDeploy } from './chains.ts';
import type { DeploymentState } from './deployment-state.ts';

/** A deployment as the caller reports it. */
export type Report = Pick<Deployment, 'chain' | 'chainId' | 'address' | 'txHash' | 'templateReference'>;

/** Which deployments to list. `day` is a time; those that were reported in the 24 hours from then on are listed. */
export interface DeploymentQuery {
  readonly chainId?: number | undefined;
  /** An id in digits, or a slug. */
  readonly template?: string | undefined;
  readonly state?: DeploymentState | undefined;
  /** Only those of these transactions. */
  readonly txHashes?: readonly string[] | undefined;
  readonly day?: Instant | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list. `next` is the place of the page after it. */
export interface DeploymentPage {
  readonly items: readonly CheckedDeployment[];
  readonly next: string | null;
}

/** Preflight, registration and lists of deployments. */
export interface Deployments {
  preflight(caller: Caller, chainId: number): undefined | Refused<'tier_required'>;
  /** Reporting the same contract of the same transaction again changes nothing. Whether the report is true is checked later. */
  register(caller: Caller, report: Report): Promise<void>;
  /** The caller's own ones, the last reported first. Those of an unknown template are none. */
  list(caller: Caller, query: DeploymentQuery): Promise<DeploymentPage | Refused<'unknown_place'>>;
}

interface DeploymentsPorts {
  readonly log: DeploymentLog;
  readonly checks: Pick<DeploymentChecks, 'list'>;
  readonly templates: TemplateStore;
  readonly chains: Pick<Chains, 'get'>;
  readonly clock: Clock;
}

export function createDeployments({ log, checks, templates, chains, clock }: DeploymentsPorts): Deployments {
  return {
    preflight: ({ user }, chainId) => mayDeploy(user.tier, chainId),

    async register({ user, mode }, report) {
      const { templateReference } = report;
      const template = templateReference === null ? undefined : await findTemplate(templates, templateReference);
      const deployment = {
        ...report,
        txHash: report.txHash.toLowerCase(),
        userId: user.id,
        isLive: mode === 'live',
        templateId: template?.id ?? null,
        at: clock.now(),
      };
      await log.add(deployment, chains.get(report.chainId) !== undefined);
    },

    async list({ user, mode }, { template: reference, txHashes, day, after, ...rest }) {
      const place = after === undefined ? undefined : parsePlace(after);
      if (after !== undefined && place === undefined)
        return refuse('unknown_place', `${after} is no place in this list.`);
      const template = reference === undefined ? undefined : await findTemplate(templates, reference);
      if (reference !== undefined && template === undefined) return { items: [], next: null };
      const { items, next } = await checks.list({
        ...rest,
        userId: user.id,
        isLive: mode === 'live',
        templateId: template?.id,
        txHashes: txHashes?.map((hash) => hash.toLowerCase()),
        from: day,
        until: day === undefined ? undefined : day + oneDay,
        after: place,
      });
      return { items, next: next === undefined ? null : `${next.at}-${next.id}` };
    },
  };
}

/** Reads a place: the time of the report, and the id. */
function parsePlace(text: string): DeploymentPlace | undefined {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: toDeploymentId(Number(id)) };
}
