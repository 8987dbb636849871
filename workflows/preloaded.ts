// Evaluated once in a worker, before any run (services/adapters/temporal/bundle.ts).

// The SDK makes a stack trace, with source positions, for every promise of a run, in case that somebody asks for it. The
// first frames are enough to find an error; by default there are ten.
Error.stackTraceLimit = 4;
