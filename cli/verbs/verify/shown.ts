/** The largest number of printed findings of a list; further findings are only counted. */
export const SHOWN = 20;
