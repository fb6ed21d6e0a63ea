/** Milliseconds for which a figure is new enough. */
const freshFor = 15_000;
/** Milliseconds that a scrape waits for a figure; a later one is told the next time. */
const patience = 1_000;

/** A figure that somebody else has to be asked for. */
export interface Watched {
  watch(ask: () => Promise<number>): void;
  /** The figure as it was told last, or `undefined` if it is not known. Asks again if that is some time ago. */
  latest(): Promise<number | undefined>;
}

export function watched(now = () => performance.now()): Watched {
  let ask: (() => Promise<number>) | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let figure: number | undefined;
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
            (told) => {
              figure = told;
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
    timer = setTimeout(resolve, patience);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
