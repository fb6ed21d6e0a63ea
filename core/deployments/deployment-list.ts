import { toDeploymentId } from '../id.ts';
import type { Instant } from '../ports/clock.ts';
import type {
  CheckedDeployment,
  DeploymentChecks,
  DeploymentFilter,
  DeploymentPlace,
} from '../ports/deployment-checks.ts';
import { isRefused, type Refused, refuse } from '../refusal.ts';
import { day as oneDay } from '../time.ts';
import type { DeploymentState } from './deployment-state.ts';

/** Which deployments to list. `day` is a time; those that were reported in the 24 hours from then on are listed. */
export interface ListWish {
  readonly chainId?: number | undefined;
  readonly state?: DeploymentState | undefined;
  /** Only those of these transactions. */
  readonly txHashes?: readonly string[] | undefined;
  readonly day?: Instant | undefined;
}

/** A part of a list: `after` is the `next` of the page before. */
export interface ListPart {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of a list. `next` is the place of the page after it. */
export interface DeploymentPage {
  readonly items: readonly CheckedDeployment[];
  readonly next: string | null;
}

/** Whose deployments are listed. */
export type Whose = Pick<DeploymentFilter, 'userId' | 'templateIds' | 'isLive'>;

type Checks = Pick<DeploymentChecks, 'list'>;

/** How many deployments a file reads at once. */
const atOnce = 100;

/** Lists deployments, the last reported first. A page can be short or empty and have a `next`. */
export async function listDeployments(
  checks: Checks,
  whose: Whose,
  { chainId, state, txHashes, day, after, limit }: ListWish & ListPart,
): Promise<DeploymentPage | Refused<'unknown_place'>> {
  const place = after === undefined ? undefined : parsePlace(after);
  if (after !== undefined && place === undefined) return refuse('unknown_place', `${after} is no place in this list.`);
  const { items, next } = await checks.list({
    ...{ ...whose, chainId, state, limit },
    txHashes: txHashes?.map((hash) => hash.toLowerCase()),
    from: day,
    until: day === undefined ? undefined : day + oneDay,
    after: place,
  });
  return { items, next: next === undefined ? null : `${next.at}-${next.id}` };
}

/** Reads a whole list in pages. */
export async function* allDeployments(
  checks: Checks,
  whose: Whose,
  wish: ListWish,
): AsyncGenerator<readonly CheckedDeployment[]> {
  for (let after: string | undefined; ; ) {
    const found = await listDeployments(checks, whose, { ...wish, after, limit: atOnce });
    if (isRefused(found)) throw new Error('The list does not know its own place.');
    yield found.items;
    if (found.next === null) return;
    after = found.next;
  }
}

/** Reads a place: the time of the report, and the id. */
function parsePlace(text: string): DeploymentPlace | undefined {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id: toDeploymentId(Number(id)) };
}
