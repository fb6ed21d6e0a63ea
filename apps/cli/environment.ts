/** The settings of the program, and what a terminal says about itself. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;
