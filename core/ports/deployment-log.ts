import type { TemplateId, UserId } from '../id.ts';
import type { Instant } from './clock.ts';

export interface Deployment {
  readonly userId: UserId;
  /** False for what a test key wrote. */
  readonly isLive: boolean;
  readonly chain: string;
  readonly chainId: number;
  /** `0x` and 40 hexadecimal digits, as given. */
  readonly address: string;
  /** `0x` and 64 hexadecimal digits, in lower case. */
  readonly txHash: string;
  /** As it was given. */
  readonly templateReference: string | null;
  /** The template it turned out to be. */
  readonly templateId: TemplateId | null;
  readonly at: Instant;
}

/** Deployments that were reported, for analytics. */
export interface DeploymentLog {
  /** Whether it is new: the same (chain id, transaction) of the same user, in the same mode, is stored once. */
  add(deployment: Deployment): Promise<boolean>;
  /** How many there are, by chain id and template, most first. */
  count(filter: {
    readonly isLive: boolean;
  }): Promise<{ chainId: number; templateId: TemplateId | null; count: number }[]>;
}
