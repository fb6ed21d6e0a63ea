import type { DeploymentState } from '../deployments/deployment-state.ts';
import type { DeploymentId, ProductId, TemplateId, UserId } from '../id.ts';
import type { Instant } from './clock.ts';
import type { Deployment } from './deployment-log.ts';

/** What the chain says of a deployment. `null`: not known. */
export interface ChainFacts {
  readonly blockNumber: number | null;
  /** When the block was made. */
  readonly createdAt: Instant | null;
  /** The hash of the code that runs there, without its metadata. */
  readonly codeHash: string | null;
}

/** The version of a product that a contract is from. */
export interface Release {
  readonly productId: ProductId;
  readonly version: string;
}

/** A reported deployment that waits for its check, or has been checked. */
export interface CheckedDeployment extends Deployment, ChainFacts {
  readonly id: DeploymentId;
  readonly state: DeploymentState;
  /** When the first look was due: later than the report if the chain got its RPC later. */
  readonly checkFrom: Instant;
  /** When the result was found. */
  readonly checkedAt: Instant | null;
  /** The release whose code it has. */
  readonly release: Release | null;
}

/** The deployments of one mode: all of them, or those of one account or of some templates. */
export interface DeploymentFilter {
  readonly userId?: UserId | undefined;
  readonly isLive: boolean;
  readonly chainId?: number | undefined;
  readonly templateIds?: readonly TemplateId[] | undefined;
  readonly state?: DeploymentState | undefined;
  /** Only those of these transactions, in lower case. */
  readonly txHashes?: readonly string[] | undefined;
  /** Reported from this time on, and before that one. */
  readonly from?: Instant | undefined;
  readonly until?: Instant | undefined;
  readonly after?: DeploymentPlace | undefined;
  readonly limit: number;
}

/** A place in the list: after the deployment that was reported then. */
export interface DeploymentPlace {
  readonly at: Instant;
  readonly id: DeploymentId;
}

/** What the sellers of a template have registered: whether there is any code, and the newest release with a wanted one. */
export interface KnownCodes {
  readonly any: boolean;
  readonly release: Release | undefined;
}

/** Writes deployments as a file for spreadsheets, in pieces. A text never becomes a formula. */
export type WriteDeployments = (pages: AsyncIterable<readonly CheckedDeployment[]>) => AsyncIterable<string>;

/** Reported deployments with their checks. */
export interface DeploymentChecks {
  find(id: DeploymentId): Promise<CheckedDeployment | undefined>;
  /**
   * The last reported ones first. The page can be short or empty and have a `next`: a call looks at a bounded number of
   * deployments. May be some seconds old.
   */
  list(filter: DeploymentFilter): Promise<{
    readonly items: readonly CheckedDeployment[];
    readonly next: DeploymentPlace | undefined;
  }>;
  /**
   * Stores the result of a check. `judge` gets the codes that are registered for the template in the mode of the
   * deployment, and returns the state. No code is registered in between. Does nothing if it was checked already.
   */
  record(
    id: DeploymentId,
    facts: ChainFacts,
    judge: (codes: KnownCodes) => DeploymentState,
    at: Instant,
  ): Promise<void>;
  /**
   * Adds the work that checks deployments on these chains that had no RPC: a limited number, oldest reports first, and none
   * while as much waits already. Returns how many.
   */
  resume(chainIds: readonly number[], now: Instant): Promise<number>;
}
