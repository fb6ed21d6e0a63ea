import type { VNode } from 'preact';

/** A text in pieces. Each second one, from the second on, is marked. */
export function Marked({ pieces }: { readonly pieces: readonly string[] }): VNode {
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>;
}
