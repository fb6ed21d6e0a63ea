import type { VNode } from 'preact';
import { explorerPage } from '../../../core/deployments/chains.ts';

/** A contract or transaction, shortened, as a link to a site that shows its chain. Without such a site it is no link. */
export function ExplorerLink({
  chainId,
  about,
  what,
}: {
  readonly chainId: number;
  readonly about: 'address' | 'tx';
  /** The address or hash. */
  readonly what: string;
}): VNode {
  const href = explorerPage(chainId, about, what);
  const text = <code class="whole" title={what}>{`${what.slice(0, 10)}…${what.slice(-6)}`}</code>;
  if (href === null) return text;
  return (
    <a href={href} rel="noreferrer">
      {text}
    </a>
  );
}
