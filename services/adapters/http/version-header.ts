/** The response header with the version of Jobledger that runs the API. Routes that need no token do not send it. */
export const VERSION_HEADER = 'jobledger-version';
