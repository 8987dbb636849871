/** The most findings of a list that are printed; the rest is counted. */
export const SHOWN = 20;
