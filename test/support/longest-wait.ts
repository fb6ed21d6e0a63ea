/**
 * Milliseconds that a test waits for something, at most. A slow machine that does much else at the same time needs them. It is less than the
 * timeout of a test in `.mocharc.json`, so that the message says what did not come.
 */
export const longestWait = 300_000;
