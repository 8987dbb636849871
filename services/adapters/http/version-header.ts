/** The response header with the version of the API. Only callers with a valid token get it, if the API requires tokens. */
export const VERSION_HEADER = 'jobledger-version';
