import type { EvmAddress } from '../../../core/usdc/evm-address.ts';
import type { Transfer } from '../../../core/usdc/transfer.ts';

/** The columns of a transfer on a chain. Payments and what was sent back have them. */
export interface MovedRow {
  readonly chain_id: number;
  readonly tx_hash: string;
  readonly log_index: number;
  readonly block_number: number;
  readonly block_hash: string;
  readonly from_address: string;
  readonly to_address: string;
  readonly amount: number;
  readonly is_final: number;
}

interface Moved extends Transfer {
  readonly isFinal: boolean;
}

/** Returns these columns of a transfer. */
export function movedRow(chainId: number, moved: Moved): MovedRow {
  return {
    ...{ chain_id: chainId, tx_hash: moved.txHash, log_index: moved.logIndex },
    ...{ block_number: moved.blockNumber, block_hash: moved.blockHash },
    ...{ from_address: moved.from, to_address: moved.to, amount: moved.amount, is_final: moved.isFinal ? 1 : 0 },
  };
}

/** Returns the transfer in a row. */
export function toMoved(row: MovedRow): Moved {
  return {
    ...{ txHash: row.tx_hash, logIndex: row.log_index, blockNumber: row.block_number, blockHash: row.block_hash },
    from: row.from_address as EvmAddress,
    to: row.to_address as EvmAddress,
    amount: row.amount,
    isFinal: row.is_final === 1,
  };
}
