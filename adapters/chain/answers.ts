import { z } from 'zod';
import type { Block, Log, Outcome, Receipt } from '../../core/ports/chain.ts';

// The schemas of the answers of RPCs. What has another form is refused, because RPCs are not trusted.

const hex = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
    .toLowerCase();
export const hash = hex(64);
const address = hex(40);
/** At most 2 MiB of bytes, more than any transaction can carry. */
export const bytes = z
  .string()
  .max(4_194_306)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .toLowerCase();
/** A number in hexadecimal digits, without leading zeros in the standard, but some nodes write them. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger);

/** `null`: there is no such block. */
export const block = z
  .object({ number: quantity, hash, timestamp: quantity })
  .transform(({ timestamp, ...same }): Block => ({ ...same, at: timestamp * 1000 }))
  .nullable();

const log = z
  .object({
    address,
    topics: z.array(hash).max(4),
    data: bytes,
    transactionHash: hash,
    blockNumber: quantity,
    blockHash: hash,
    logIndex: quantity,
    removed: z.literal(false).optional(),
  })
  .transform(
    ({ transactionHash, logIndex, removed: _, ...same }): Log => ({
      ...same,
      txHash: transactionHash,
      index: logIndex,
    }),
  );
export const logs = z.array(log).max(100_000);

const facts = z.object({
  transactionHash: hash,
  status: z.enum(['0x0', '0x1']),
  blockNumber: quantity,
  blockHash: hash,
  contractAddress: address.nullish(),
});

function toOutcome({ transactionHash, status, contractAddress, ...same }: z.output<typeof facts>): Outcome {
  return { ...same, txHash: transactionHash, succeeded: status === '0x1', created: contractAddress ?? null };
}

/** `null`: the transaction is in no block. Its logs are not read. */
export const outcome = facts.transform(toOutcome).nullable();

/** The most logs of a receipt. Whoever pays for the transaction decides how many it has, and nothing else runs while they are checked. */
const mostInReceipt = 2_000;

/** The same with the logs. */
export const receipt = facts
  .extend({
    logs: z
      .unknown()
      .refine((found) => Array.isArray(found) && found.length <= mostInReceipt, { abort: true })
      .pipe(logs),
  })
  .refine(({ transactionHash, blockHash, logs }) =>
    logs.every((log) => log.txHash === transactionHash && log.blockHash === blockHash),
  )
  .transform(({ logs, ...one }): Receipt => ({ ...toOutcome(one), logs }))
  .nullable();

/** The answer to any call: a result, or an error with a code. The text of an error is compared, but never shown to anybody. */
export const envelope = z.union([
  z.object({ error: z.object({ code: z.number(), message: z.string().max(10_000).catch('') }) }),
  z.object({ result: z.unknown() }),
]);
