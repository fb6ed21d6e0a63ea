/** Lengths of time in milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The same lengths in seconds, as limits and headers need them. */
export const inSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const;
