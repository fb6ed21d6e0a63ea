import type { Caller } from '../accounts/accounts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Deployment, DeploymentLog } from '../ports/deployment-log.ts';
import type { TemplateStore } from '../ports/template-store.ts';
import type { Refused } from '../refusal.ts';
import { findTemplate } from '../templates/templates.ts';
import { mayDeploy } from './chains.ts';

/** A deployment as the caller reports it. */
export type Report = Pick<Deployment, 'chain' | 'chainId' | 'address' | 'txHash' | 'templateReference'>;

/** Preflight and registration of deployments. */
export interface Deployments {
  preflight(caller: Caller, chainId: number): undefined | Refused<'tier_required'>;
  /** Reporting the same transaction again changes nothing. */
  register(caller: Caller, report: Report): Promise<void>;
}

interface DeploymentsPorts {
  readonly log: DeploymentLog;
  readonly templates: TemplateStore;
  readonly clock: Clock;
}

export function createDeployments({ log, templates, clock }: DeploymentsPorts): Deployments {
  return {
    preflight: ({ user }, chainId) => mayDeploy(user.tier, chainId),

    async register({ user, mode }, report) {
      const { templateReference } = report;
      const template = templateReference === null ? undefined : await findTemplate(templates, templateReference);
      await log.add({
        ...report,
        txHash: report.txHash.toLowerCase(),
        userId: user.id,
        isLive: mode === 'live',
        templateId: template?.id ?? null,
        at: clock.now(),
      });
    },
  };
}
