import type { VNode } from 'preact';

const colors = 6;
const [width, height] = [320, 180];

/** Stands in the place of a missing picture. The same name always gets the same drawing. */
export function Drawing({ name, title }: { readonly name: string; readonly title: string }): VNode {
  const next = numbersFrom(name);
  const color = next(colors);
  const isFlipped = next(2) === 1;
  const [across, down] = [(x: number) => (isFlipped ? width - x : x), next(2) === 1 ? flipped : same];
  const ring = 34 + next(30);
  const diamond = 36 + next(40);
  const [x, y] = [across(250 + next(50)), down(30 + next(40))];
  return (
    <svg
      class={`picture drawing drawing-${color}`}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      preserveAspectRatio="xMidYMid slice"
    >
      <rect class="drawing-ground" width={width} height={height} />
      <circle class="drawing-shape" cx={across(next(60))} cy={down(150 + next(40))} r={80 + next(50)} />
      <polygon
        class="drawing-shape"
        points={`${x},${y - diamond} ${x + diamond},${y} ${x},${y + diamond} ${x - diamond},${y}`}
      />
      <circle class="drawing-line" cx={across(215 + next(60))} cy={down(130 + next(40))} r={ring} />
      <circle class="drawing-line" cx={across(40 + next(60))} cy={down(20 + next(40))} r={ring / 2} />
      <text x={width / 2} y={height / 2 + 2} text-anchor="middle" dominant-baseline="central" font-size="72">
        {Array.from(title)[0]}
      </text>
    </svg>
  );
}

function same(y: number): number {
  return y;
}

function flipped(y: number): number {
  return height - y;
}

/** Returns numbers below a limit that depend on the text only. */
function numbersFrom(text: string): (below: number) => number {
  let state = 2_166_136_261;
  const stir = (value: number) => {
    state = Math.imul(state ^ value, 16_777_619) >>> 0;
    state = (state ^ (state >>> 13)) >>> 0;
  };
  for (const character of text) stir(character.codePointAt(0) ?? 0);
  return (below) => {
    stir(below);
    stir(97);
    return ((state ^ (state >>> 16)) >>> 0) % below;
  };
}
