import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { VNode } from 'preact';

/** The white border that scanners need, in modules. */
const border = 4;

/** A QR code. It is black on white even on dark pages, because some scanners read nothing else. */
export function QrCode({ content, label }: { readonly content: string; readonly label: string }): VNode {
  const code = generate(content);
  const size = code.size + 2 * border;
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`${-border} ${-border} ${size} ${size}`}>
      <rect x={-border} y={-border} width={size} height={size} fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" fill-rule="evenodd" />
    </svg>
  );
}
