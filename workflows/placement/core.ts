/**
 * The core of placed Jobs has everything that a recorded decision depends on, under the names that the core of Jobs
 * uses.
 */
export { compact } from './observe/compact.ts';
export { decide } from './decide/checked.ts';
export { CORE_VERSION, decisionRecord, isNews } from './record/decision-record.ts';
export { fold } from './evolve/evolve.ts';
export { INITIAL_STATE } from './state.ts';
