import type { Caller } from '../accounts/accounts.ts';
import type { Chains } from '../ports/chain.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeploymentChecks, WriteDeployments } from '../ports/deployment-checks.ts';
import type { Deployment, DeploymentLog } from '../ports/deployment-log.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import type { Refused } from '../refusal.ts';
import { findTemplate } from '../templates/templates.ts';
import { mayDeploy } from './chains.ts';
import {
  allDeployments,
  type DeploymentPage,
  type ListPart,
  type ListWish,
  listDeployments,
  type Whose,
} from './deployment-list.ts';

/** A deployment as the caller reports it. */
export type Report = Pick<Deployment, 'chain' | 'chainId' | 'address' | 'txHash' | 'templateReference'>;

/** Which of the caller's deployments to list. */
export interface DeploymentWish extends ListWish {
  /** An id in digits, or a slug. */
  readonly template?: string | undefined;
}

/** The account whose deployments are listed, and the mode. */
export interface Lister {
  readonly user: Pick<Caller['user'], 'id'>;
  readonly mode: Caller['mode'];
}

/** Preflight, registration and lists of deployments. */
export interface Deployments {
  preflight(caller: Caller, chainId: number): undefined | Refused<'tier_required'>;
  /** Reporting the same contract of the same transaction again changes nothing. Whether the report is true is checked later. */
  register(caller: Caller, report: Report): Promise<void>;
  /** The caller's own ones, the last reported first. Those of an unknown template are none. */
  list(lister: Lister, query: DeploymentWish & ListPart): Promise<DeploymentPage | Refused<'unknown_place'>>;
  /** A file of the same list. Reads some at a time, as fast as the file is read. */
  export(lister: Lister, wish: DeploymentWish): AsyncIterable<string>;
}

interface DeploymentsPorts {
  readonly log: DeploymentLog;
  readonly checks: Pick<DeploymentChecks, 'list'>;
  readonly templates: TemplateStore;
  readonly chains: Pick<Chains, 'get'>;
  readonly writeSheet: WriteDeployments;
  readonly clock: Clock;
}

export function createDeployments(ports: DeploymentsPorts): Deployments {
  const { log, checks, templates, chains, writeSheet, clock } = ports;

  /** `undefined`: there is no such template. */
  async function whoseIs({ user, mode }: Lister, reference: string | undefined): Promise<Whose | undefined> {
    const own = { userId: user.id, isLive: mode === 'live' };
    if (reference === undefined) return own;
    const template = await findTemplate(templates, reference);
    return template && { ...own, templateIds: [template.id] };
  }

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

    async list(lister, { template, ...wish }) {
      const whose = await whoseIs(lister, template);
      return whose === undefined ? { items: [], next: null } : await listDeployments(checks, whose, wish);
    },

    async *export(lister, { template, ...wish }) {
      const whose = await whoseIs(lister, template);
      yield* writeSheet(whose === undefined ? noPages() : allDeployments(checks, whose, wish));
    },
  };
}

async function* noPages(): AsyncGenerator<never> {}
