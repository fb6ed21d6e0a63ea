import type { Chains } from '../../core/ports/chain.ts';
import type { SignedBy } from '../../core/ports/signed-by.ts';
import { Unavailable } from '../../core/unavailable.ts';

/** The first four bytes of a call of `isValidSignature(bytes32,bytes)`, with which a contract also answers if it is valid. */
const magic = '1626ba7e';

/** Checks signatures of people by their key, and those of contracts on their chain. */
export function createSignedBy(chains: Pick<Chains, 'get'>): SignedBy {
  return async ({ chainId, address }, text, signature) => {
    if (!/^0x(?:[0-9a-f]{2})*$/i.test(signature)) return false;
    const { hashOfText, signerOf } = await import('./signatures.ts'); // With the curve, which few servers ever need.
    if (signerOf(text, signature) === address) return true;
    const chain = chains.get(chainId);
    if (chain === undefined) return false;
    const block = await chain.block('latest');
    if (block === undefined) throw new Unavailable(`The RPCs of chain ${chainId} do not know its newest block.`);
    const code = await chain.code(address, block.number);
    if (code === undefined || code === '0x') return false;
    const answer = await chain.call(address, questionOf(hashOfText(text), signature), block.number);
    return answer?.startsWith(`0x${magic}`) ?? false;
  };
}

/** The call with its two arguments: the hash, and the bytes of the signature, after their place and length. */
function questionOf(hashed: Uint8Array, signature: string): string {
  const hash = Buffer.from(hashed).toString('hex');
  const bytes = signature.slice(2).toLowerCase();
  const word = (number: number) => number.toString(16).padStart(64, '0');
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  return `0x${magic}${hash}${word(64)}${word(bytes.length / 2)}${padded}`;
}
