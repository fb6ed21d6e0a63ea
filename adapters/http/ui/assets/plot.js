/**
 * Draws each plot of the page from the table beside it. The table stays, for screen readers and for exact values. The
 * colours are those of the legend, so they fit light and dark.
 */
import uPlot from 'uplot';

const height = 240;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const short = new Intl.NumberFormat(navigator.languages, { notation: 'compact' });

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
      hooks: { setCursor: [({ cursor }) => showValues(cursor.idx, figure)] },
    },
    /** @type {any} */ (valuesOf(figure)),
    area,
  );
  new ResizeObserver(() => plot.setSize({ width: area.clientWidth, height })).observe(area);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw(false, true));
}

/**
 * Shows the values below the pointer in the legend, as the table writes them.
 *
 * @param {number | null | undefined} index
 * @param {HTMLElement} figure
 */
function showValues(index, figure) {
  const row = typeof index === 'number' ? figure.querySelectorAll('tbody tr')[index] : undefined;
  figure.querySelectorAll('.graph-value').forEach((shown, n) => {
    shown.textContent = row?.querySelectorAll('td')[n]?.textContent ?? '';
  });
  const at = figure.querySelector('.graph-at');
  if (at) at.textContent = row?.querySelector('th')?.textContent ?? '';
}

for (const figure of document.querySelectorAll('figure.graph')) if (figure instanceof HTMLElement) draw(figure);
