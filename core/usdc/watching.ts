import { type KnownChain, knownChains } from '../deployments/chains.ts';
import type { Chain, Chains, FoundLogs, Log } from '../ports/chain.ts';
import type { Clock, Instant } from '../ports/clock.ts';
import type { StoredTransfer, UsdcStore, Watch } from '../ports/usdc-store.ts';
import { hour, minute, second } from '../time.ts';
import { Unavailable } from '../unavailable.ts';
import type { Attempt } from '../work/worker.ts';
import type { EvmAddress } from './evm-address.ts';
import { type HeldQuote, isInTime, quotePaidBy } from './matching.ts';
import type { TellUsdcOrder } from './telling.ts';
import { type Transfer, topicOf, toTransfer, transferTopic } from './transfer.ts';
import { lateFor } from './usdc-quote.ts';
import { lookAtSentBack } from './watching-back.ts';
import { softAmong } from './watching-soft.ts';

interface WatchingPorts {
  readonly store: UsdcStore;
  readonly chains: Pick<Chains, 'get'>;
  readonly tell: TellUsdcOrder;
  readonly clock: Clock;
}

/** The most blocks of one look. After a long outage there are several looks. */
const mostBlocks = 20_000;
/** The most addresses in one search. */
const mostAddresses = 500;
/** Milliseconds between two looks while somebody is asked to pay or something is not final, and while only late payments can come. */
const every = { open: 10 * second, late: 5 * minute } as const;

/**
 * The work of watching a chain as long as there are quotes on it, or transfers that are not final. A look searches all blocks that were not final at the last
 * one: so it finds what a reorganization has added, and takes back what it has removed. All quotes together cost one search.
 */
export function watchUsdc({ store, chains, tell, clock }: WatchingPorts): Attempt<'usdc'> {
  /** Returns the errors: one order must not hold up the others. */
  async function tellAll(chainId: number): Promise<readonly unknown[]> {
    const errors: unknown[] = [];
    for (const untold of await store.untold(chainId)) {
      try {
        if (await tell(untold.orderId)) await store.tell(untold);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  /** Looks once. `isBehind`: there are more blocks to search. `knownUntil`: the time of the last final block, if all blocks up to it are known. */
  async function look(chainId: number, chain: Chain, known: KnownChain, before: Watch): Promise<LookedUntil> {
    // Asked before the search: what the search then finds up to this block stays in the chain.
    const final = await chain.block('finalized');
    if (final === undefined) throw new Unavailable('The RPCs do not say which block is final.');
    const cursor = before.cursor ?? (await startOf(chain, final.number, before.held));
    const token = known.usdc.toLowerCase();
    const { logs, through } = await search(chain, token, addressesIn(before), cursor + 1, cursor + mostBlocks);
    const sentBack = await lookAtSentBack(chain, before.sentBack, final);
    // No block is new, or an RPC lags behind.
    if (through <= cursor && sentBack.length === 0) {
      return { isBehind: false, knownUntil: cursor >= final.number ? final.at : undefined };
    }
    const { fresh, ...compared } = compare(before.pending, logs, through, final.number);
    const added = await matched(chain, fresh, compared.gone, before.held, final.number);
    const stayed = before.pending.filter((one) => !compared.gone.includes(one));
    const soft = await softAmong(chain, [...stayed, ...added], through - known.softBlocks);
    const softened = soft.filter((one) => stayed.includes(one));
    const found = added.map((one) => (soft.includes(one) ? { ...one, isSoft: true } : one));
    const after = Math.max(cursor, Math.min(final.number, through));
    const looked = { ...compared, added: found, softened, sentBack, cursor: after };
    const isSaved = await store.save(chainId, before.revision, looked);
    // If the chain makes nothing final, looking again at once would find the same.
    const isBehind = isSaved && after > cursor && through === cursor + mostBlocks;
    return { isBehind, knownUntil: isSaved && after >= final.number ? final.at : undefined };
  }

  return async ({ subjectId: chainId }) => {
    // What a process has saved before it ended.
    const errors = [...(await tellAll(chainId))];
    const before = await store.watch(chainId);
    if (before.held.length + before.pending.length + before.sentBack.length === 0) {
      throwFirst(errors);
      return 'watched';
    }
    const [chain, known] = [chains.get(chainId), knownChains.get(chainId)];
    // The operator has removed the chain. It can come back: until then, its quotes keep their amounts.
    if (chain === undefined || known === undefined) return { laterAt: clock.now() + hour };
    const { isBehind, knownUntil } = await look(chainId, chain, known, before);
    errors.push(...(await tellAll(chainId)));
    // By the time of the chain: after an outage, what came in time is found first.
    if (knownUntil !== undefined) await store.release(chainId, Math.min(knownUntil, clock.now()) - lateFor);
    throwFirst(errors);
    const now = clock.now();
    if (isBehind) return { laterAt: now };
    const isPending = before.pending.length + before.sentBack.length > 0;
    const isOpen = isPending || before.held.some(({ endsAt, isAwaited }) => isAwaited && endsAt > now);
    return { laterAt: now + (isOpen ? Math.max(every.open, known.blockTime) : every.late) };
  };
}

interface LookedUntil {
  readonly isBehind: boolean;
  readonly knownUntil: Instant | undefined;
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0];
}

/** Returns a block that is older than all quotes. All that pays them comes after it. */
async function startOf(chain: Chain, final: number, held: readonly HeldQuote[]): Promise<number> {
  if (held.length === 0) return final;
  const oldest = Math.min(...held.map(({ createdAt }) => createdAt)) - 2 * minute;
  for (let number = final, back = 100; ; number = Math.max(0, number - back), back *= 2) {
    const block = await chain.block(number);
    if (block === undefined) throw new Unavailable('The RPCs do not know a final block.');
    if (number === 0 || block.at <= oldest) return number;
  }
}

function addressesIn({ held, pending }: Watch): readonly EvmAddress[] {
  return [...new Set([...held.map(({ address }) => address), ...pending.map(({ to }) => to)])].sort();
}

/** Searches for transfers to the addresses. Returns the last block that was searched for all of them. */
async function search(
  chain: Chain,
  token: string,
  addresses: readonly EvmAddress[],
  from: number,
  to: number,
): Promise<FoundLogs> {
  let found: FoundLogs = { logs: [], through: to };
  for (let at = 0; at < addresses.length; at += mostAddresses) {
    const some = addresses.slice(at, at + mostAddresses).map(topicOf);
    const topics = [transferTopic, null, some];
    const { logs, through } = await chain.logs({ address: token, topics, from, to: found.through });
    found = { logs: [...found.logs, ...logs], through };
  }
  return { ...found, logs: found.logs.filter(({ blockNumber }) => blockNumber <= found.through) };
}

/** A log keeps its place only as long as its block is in the chain. */
const placeOf = ({ txHash, logIndex, blockHash }: Transfer) => `${txHash} ${logIndex} ${blockHash}`;

/** Compares what was known with what is in the chain now. */
function compare(pending: readonly StoredTransfer[], logs: readonly Log[], through: number, final: number) {
  const found = logs.flatMap((log) => toTransfer(log) ?? []);
  const inChain = new Set(found.map(placeOf));
  const known = new Set(pending.map(placeOf));
  return {
    gone: pending.filter((one) => one.blockNumber <= through && !inChain.has(placeOf(one))),
    settled: pending.filter((one) => one.blockNumber <= final && inChain.has(placeOf(one))),
    fresh: found
      .filter((one) => !known.has(placeOf(one)))
      .sort((one, other) => one.blockNumber - other.blockNumber || one.logIndex - other.logIndex),
  };
}

/** Returns the new transfers that pay a quote. Others are the seller's own business, and nothing of them is kept. */
async function matched(
  chain: Chain,
  fresh: readonly Transfer[],
  gone: readonly StoredTransfer[],
  held: readonly HeldQuote[],
  final: number,
): Promise<readonly StoredTransfer[]> {
  const received = new Map(held.map((quote) => [quote.id, quote.received]));
  const receive = (id: number, amount: number) => received.set(id, (received.get(id) ?? 0) + amount);
  for (const { quoteId, amount } of gone) receive(quoteId, -amount);
  const added: StoredTransfer[] = [];
  const add = (transfer: Transfer, quoteId: number) => {
    receive(quoteId, transfer.amount);
    added.push({ ...transfer, quoteId, isFinal: transfer.blockNumber <= final, isSoft: false });
  };
  for (const transfer of fresh) {
    const quotes = held.map((quote) => ({ ...quote, received: received.get(quote.id) ?? 0 }));
    // The same transaction in another block pays what it paid before.
    const same = gone.find(
      ({ txHash, to, amount }) => txHash === transfer.txHash && to === transfer.to && amount === transfer.amount,
    );
    if (same !== undefined) {
      add(transfer, same.quoteId);
      continue;
    }
    if (quotePaidBy(transfer, quotes) === undefined) continue;
    const block = await chain.block(transfer.blockNumber);
    if (block?.hash !== transfer.blockHash) throw new Unavailable('The chain has changed during a look at it.');
    const paid = quotePaidBy(
      transfer,
      quotes.filter((quote) => isInTime(quote, { ...transfer, at: block.at })),
    );
    if (paid !== undefined) add(transfer, paid.id);
  }
  return added;
}
