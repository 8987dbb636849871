// Of sysexits.h.

/** The configuration is unusable: restarting does not help. */
export const EX_CONFIG = 78;

/** A service that shares the process with others has ended too often. */
export const EX_SOFTWARE = 70;
