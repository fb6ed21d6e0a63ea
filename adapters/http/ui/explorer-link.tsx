import type { VNode } from 'preact';
import { explorerPage } from '../../../core/deployments/chains.ts';

/** A contract or transaction, shortened, as a link to a site that shows its chain. Without such a site it is no link. */
export function ExplorerLink({
  chainId,
  about,
  what,
  copyId,
}: {
  readonly chainId: number;
  readonly about: 'address' | 'tx';
  /** The address or hash. */
  readonly what: string;
  /** An id of its own: then a button beside it copies the whole. The script `copy.js` adds the button. */
  readonly copyId?: string;
}): VNode {
  const href = explorerPage(chainId, about, what);
  const text = (
    <code id={copyId} class="whole" title={what} data-whole={copyId && what}>
      {`${what.slice(0, 10)}…${what.slice(-6)}`}
    </code>
  );
  const link =
    href === null ? (
      <span>{text}</span>
    ) : (
      <a href={href} rel="noreferrer">
        {text}
      </a>
    );
  return copyId === undefined ? link : <span class="copied">{link}</span>;
}
