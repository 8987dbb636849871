// Of sysexits.h.

/** The configuration is unusable: restarting does not help. */
export const EX_CONFIG = 78;

/** One of the services in one process has ended too often. */
export const EX_SOFTWARE = 70;
