/** Milliseconds after which a figure is read again. */
const freshFor = 15_000;
/** Milliseconds that a scrape waits for a figure. If the figure arrives later, the next scrape returns it. */
const timeout = 1_000;

/** A figure that is slow to read, and is cached. */
export interface Watched<Figure> {
  watch(ask: () => Promise<Figure>): void;
  /** Returns the last known figure, or `undefined` if none is known. Reads it again if it is old. */
  latest(): Promise<Figure | undefined>;
}

export function watched<Figure = number>(now = () => performance.now()): Watched<Figure> {
  let ask: (() => Promise<Figure>) | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let figure: Figure | undefined;
  let asking: Promise<void> | undefined;
  return {
    watch(given) {
      ask = given;
    },
    async latest() {
      if (ask !== undefined && asking === undefined && now() - askedAt >= freshFor) {
        askedAt = now();
        asking = ask()
          .then(
            (value) => {
              figure = value;
            },
            () => {
              figure = undefined;
            },
          )
          .finally(() => {
            asking = undefined;
          });
      }
      if (asking !== undefined) await within(asking);
      return figure;
    },
  };
}

async function within(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
