/** The most findings of a list that are printed; the others are counted. */
export const SHOWN = 20;
