import type { TemplateId, UserId } from '../id.ts';
import type { Instant } from './clock.ts';

export interface Deployment {
  readonly userId: UserId;
  /** False if a test key reported it. */
  readonly isLive: boolean;
  readonly chain: string;
  readonly chainId: number;
  /** `0x` and 40 hexadecimal digits, in the letter case of the request. */
  readonly address: string;
  /** `0x` and 64 hexadecimal digits, in lower case. */
  readonly txHash: string;
  /** As the request gave it. */
  readonly templateReference: string | null;
  /** The template that the reference was resolved to. */
  readonly templateId: TemplateId | null;
  readonly at: Instant;
}

/** Stores reported deployments, for analytics. */
export interface DeploymentLog {
  /**
   * Returns false, and stores nothing, if the user already reported this address of this transaction on this chain in the same
   * mode. With `hasRpc`, adds the work that checks it. Otherwise its state is `no_rpc`.
   */
  add(deployment: Deployment, hasRpc: boolean): Promise<boolean>;
  /** Returns the number of deployments for each chain id and template, highest number first. */
  count(filter: {
    readonly isLive: boolean;
  }): Promise<{ chainId: number; templateId: TemplateId | null; count: number }[]>;
  /** Deletes the deployments from before a time. They no longer count. Returns how many. */
  forget(before: Instant): Promise<number>;
}
