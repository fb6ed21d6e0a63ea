/** The tools whose files can be read. */
export const tools = ['foundry', 'hardhat'] as const;
export type Tool = (typeof tools)[number];
