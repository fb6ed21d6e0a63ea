import type { TemplateId } from '../../core/id.ts';
import type { DeploymentLog } from '../../core/ports/deployment-log.ts';
import type { MemoryDatabase } from './database.ts';

export function createMemoryDeploymentLog({ deployments }: MemoryDatabase): DeploymentLog {
  return {
    async add(deployment) {
      const { userId, isLive, chainId, txHash } = deployment;
      const id = [userId, isLive, chainId, txHash].join(':');
      if (deployments.has(id)) return false;
      deployments.set(id, deployment);
      return true;
    },
    async count({ isLive }) {
      const counts = new Map<string, { chainId: number; templateId: TemplateId | null; count: number }>();
      for (const { chainId, templateId, ...deployment } of deployments.values()) {
        if (deployment.isLive !== isLive) continue;
        const id = `${chainId}:${templateId}`;
        counts.set(id, { chainId, templateId, count: (counts.get(id)?.count ?? 0) + 1 });
      }
      return [...counts.values()].sort(
        (one, other) =>
          other.count - one.count || one.chainId - other.chainId || (one.templateId ?? 0) - (other.templateId ?? 0),
      );
    },
  };
}
