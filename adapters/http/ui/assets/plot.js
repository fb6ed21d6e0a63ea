/**
 * Draws each plot of the page from the table beside it. The table stays, for screen readers and for exact values. The
 * colours are those of the legend, so they fit light and dark.
 */
import uPlot from 'uplot';

const height = 220;
const short = new Intl.NumberFormat(navigator.languages, { notation: 'compact' });
const day = new Intl.DateTimeFormat(navigator.languages, { month: 'short', day: 'numeric', timeZone: 'UTC' });
/** The axis of values has whole numbers only. */
const wholes = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();
const bars = uPlot.paths.bars?.({ size: [0.6, 28], radius: 0.2 });
const wideBars = uPlot.paths.bars?.({ size: [0.92, 44], radius: 0.15 });

/**
 * The rows of a plot's table, the oldest first.
 *
 * @param {HTMLElement} figure
 */
const rowsOf = (figure) => [...figure.querySelectorAll('tbody tr')].reverse();

/**
 * @param {HTMLElement} figure
 * @returns {(number | null)[][]}
 */
function valuesOf(figure) {
  const rows = rowsOf(figure);
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
/**
 * @param {Element} element
 * @param {number} percent
 */
const paleOf = (element, percent) => `color-mix(in srgb, ${colorOf(element)} ${percent}%, transparent)`;

/**
 * How a series is drawn: bars are full, areas are pale below their line, and what others are compared with are wide, pale bars.
 *
 * @param {HTMLElement} label
 * @returns {uPlot.Series}
 */
function seriesOf(label) {
  const as = label.dataset.series;
  return {
    label: label.textContent ?? '',
    width: as === 'area' ? 2 : 0,
    stroke: () => colorOf(label),
    fill: () => (as === 'bars' ? colorOf(label) : paleOf(label, as === 'area' ? 14 : 30)),
    ...(as === 'bars' && bars && { paths: bars }),
    ...(as === 'behind' && wideBars && { paths: wideBars }),
    points: { show: false },
  };
}

/** @param {HTMLElement | undefined} label */
const isBehind = (label) => Number(label?.dataset.series === 'behind');

/** @param {HTMLElement} figure */
function draw(figure) {
  const area = figure.querySelector('.graph-drawing');
  if (!(area instanceof HTMLElement)) return;
  const labels = [...figure.querySelectorAll('[data-series]')].filter((one) => one instanceof HTMLElement);
  const [times = [], ...columns] = valuesOf(figure);
  // What stands behind is drawn first.
  const order = labels.map((_, n) => n).sort((one, other) => isBehind(labels[other]) - isBehind(labels[one]));
  const half = ((Number(times[1]) || 0) - (Number(times[0]) || 0)) / 2;
  // Days are days in UTC. Hours are shown in the reader's time zone.
  const isByDay = figure.dataset.step === 'day';
  const axis = {
    stroke: () => colorOf(area),
    grid: { show: false },
    ticks: { show: false },
    font: `12px ${getComputedStyle(area).fontFamily}`,
  };
  const plot = new uPlot(
    {
      width: figure.clientWidth,
      height,
      ...(isByDay && { tzDate: (/** @type {number} */ at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') }),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      scales: {
        // Room for the halves of the first and the last bar.
        x: { time: true, range: (_, least, most) => [least - half, most + half] },
        y: { range: (_, _least, most) => [0, Math.max(1, most * 1.05)] },
      },
      axes: [
        isByDay ? { ...axis, values: (_, ticks) => ticks.map((tick) => day.format(tick * 1000)) } : axis,
        {
          ...axis,
          size: 52,
          incrs: wholes,
          grid: { stroke: () => getComputedStyle(area).borderBlockStartColor, width: 1 },
          values: (_, ticks) => ticks.map((tick) => short.format(tick)),
        },
      ],
      series: [
        {},
        ...order
          .map((n) => labels[n])
          .filter((one) => one !== undefined)
          .map(seriesOf),
      ],
      hooks: {
        setCursor: [({ cursor }) => showValues(figure, area, cursor.idx, cursor.left ?? -1)],
      },
    },
    /** @type {any} */ ([times, ...order.map((n) => columns[n])]),
    area,
  );
  // A drawing does not wait for fonts, as text does: until they are there, it takes another one.
  // If they cannot be loaded, it stays as it is.
  document.fonts.load(axis.font).then(
    () => plot.redraw(false, true),
    () => undefined,
  );
  new ResizeObserver(() => plot.setSize({ width: area.clientWidth, height })).observe(area);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot.redraw(true, true));
}

/**
 * Shows the values below the pointer beside it, as the table writes them.
 *
 * @param {HTMLElement} figure
 * @param {HTMLElement} area
 * @param {number | null | undefined} index
 * @param {number} left
 */
function showValues(figure, area, index, left) {
  const tip = figure.querySelector('.graph-tip');
  const at = figure.querySelector('.graph-at');
  if (!(tip instanceof HTMLElement) || at === null) return;
  const row = typeof index === 'number' && left >= 0 ? rowsOf(figure)[index] : undefined;
  tip.hidden = row === undefined;
  if (row === undefined) return;
  at.textContent = row.querySelector('th')?.textContent ?? '';
  figure.querySelectorAll('.graph-value').forEach((shown, n) => {
    shown.textContent = row.querySelectorAll('td')[n]?.textContent ?? '';
  });
  const over = area.querySelector('.u-over');
  const from = (over instanceof HTMLElement ? over.offsetLeft : 0) + left;
  const room = area.clientWidth - tip.offsetWidth;
  const beside = from + 12 > room ? from - tip.offsetWidth - 12 : from + 12;
  tip.style.transform = `translateX(${Math.max(0, Math.min(room, beside))}px)`;
}

for (const figure of document.querySelectorAll('figure.graph')) if (figure instanceof HTMLElement) draw(figure);
