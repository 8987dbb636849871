/** The response header with the version of the API, for callers that may use the API. */
export const VERSION_HEADER = 'jobledger-version';
