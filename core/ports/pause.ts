/** Waits as long as a slow answer takes. Throws `Forced` of the core if too many wait already. */
export type Pause = () => Promise<void>;
