import { resumeChecks } from '../../core/deployments/check-deployment.ts';
import { countDeployments } from '../../core/selling/deployment-figures.ts';
import { minute } from '../../core/time.ts';
import { servesAccounts } from '../wiring/surfaces.ts';
import { t } from '../wiring/tokens.ts';
import type { Job } from './job.ts';

/** What is done about reported deployments, besides their checks. */
export const deploymentJobs: readonly Job[] = [
  {
    name: 'check deployments on chains that got an RPC',
    every: minute,
    when: servesAccounts,
    work: async ({ parts, clock }) => ({
      deployments: await resumeChecks(await parts.get(t.deploymentChecks), await parts.get(t.chains), clock),
    }),
    done: 'deployments will be checked whose chain has an RPC now',
    failed: 'deployments whose chain got an RPC cannot be checked',
  },
  {
    name: 'confirm deployments of codes that were registered late',
    every: minute,
    when: servesAccounts,
    work: async ({ parts, stop }) => ({
      deployments: await (await parts.get(t.confirmLateCodes))(() => !stop.aborted),
    }),
    done: 'deployments are confirmed by codes that were registered late',
    failed: 'deployments cannot be compared with codes that were registered late',
  },
  {
    name: 'count deployments',
    every: minute,
    when: servesAccounts,
    work: async ({ parts, stop }) => ({
      deployments: await countDeployments(await parts.get(t.deploymentFigures), () => !stop.aborted),
    }),
    failed: 'deployments could not be counted',
  },
];
