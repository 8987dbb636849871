/** The values of a played story that differ between Jobs. They are unlike all other texts in it. */
export const CHAIN = '0c0c0c0c-0000-4000-8000-00000000c0de';
export const TEAM = 'team-zero';
/** Nine digits, the first of them 7. */
export const BASE_VERSION = 700_000_000;
