/** The header of a response in which the API tells a caller that may use it its version. */
export const VERSION_HEADER = 'jobledger-version';
