/**
 * Draws each plot of the page from the table beside it. The table stays, for screen readers and for exact values. The
 * colours are those of the legend, so they fit light and dark.
 */
import uPlot from 'uplot';

const height = 240;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const short = new Intl.NumberFormat(navigator.languages, { notation: 'compact' });
const exact = new Intl.NumberFormat(navigator.languages);

/**
 * @param {HTMLElement} figure
 * @returns {(number | null)[][]}
 */
function valuesOf(figure) {
  const rows = [...figure.querySelectorAll('tbody tr')];
  const times = rows.map((row) => Number(row.querySelector('th')?.dataset.at));
  const columns = [...figure.querySelectorAll('[data-series]')].map((_, n) =>
    rows.map((row) => {
      const value = row.querySelectorAll('td')[n]?.querySelector('data')?.value;
      return value === undefined ? null : Number(value);
    }),
  );
  return [times, ...columns];
}

/** @param {Element} element */
const colorOf = (element) => getComputedStyle(element).color;

/** @param {HTMLElement} figure */
function draw(figure) {
  const area = figure.querySelector('.graph-drawing');
  if (!(area instanceof HTMLElement)) return;
  const labels = [...figure.querySelectorAll('[data-series]')];
  // Days are days in UTC. Hours are shown in the reader's time zone.
  const isByDay = figure.dataset.step === 'day';
  const axis = {
    stroke: () => colorOf(area),
    grid: { stroke: () => getComputedStyle(area).borderBlockStartColor, width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  const plot = new uPlot(
    {
      width: figure.clientWidth,
      height,
      ...(isByDay && { tzDate: (/** @type {number} */ at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') }),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_, _least, most) => [0, Math.max(1, most * 1.05)] } },
      axes: [
        axis,
        { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => (tick % 1 === 0 ? short.format(tick) : '')) },
      ],
      series: [
        {},
        ...labels.map((label, n) => ({
          label: label.textContent ?? '',
          stroke: () => colorOf(label),
          width: 2,
          dash: dashes[n % dashes.length],
          points: { show: false },
        })),
      ],
      hooks: { setCursor: [(self) => showValues(self, figure)] },
    },
    /** @type {any} */ (valuesOf(figure)),
    area,
  );
  new ResizeObserver(() => plot.setSize({ width: area.clientWidth, height })).observe(area);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw(false, true));
}

/**
 * Shows the values below the pointer in the legend.
 *
 * @param {{ cursor: { idx?: number | null }, data: ArrayLike<number | null | undefined>[] }} plot
 * @param {HTMLElement} figure
 */
function showValues({ cursor, data }, figure) {
  const { idx } = cursor;
  figure.querySelectorAll('.graph-value').forEach((shown, n) => {
    const value = typeof idx === 'number' ? data[n + 1]?.[idx] : undefined;
    shown.textContent = typeof value === 'number' ? exact.format(value) : '';
  });
  const at = figure.querySelector('.graph-at');
  const row = typeof idx === 'number' ? figure.querySelectorAll('tbody th')[idx] : undefined;
  if (at) at.textContent = row?.textContent ?? '';
}

for (const figure of document.querySelectorAll('figure.graph')) if (figure instanceof HTMLElement) draw(figure);
