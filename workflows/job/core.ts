/** The core has everything that a recorded decision depends on. `npm run freeze-core` compiles this file. */
export { compact } from './observe/compact.ts';
export { decide } from './decide/checked.ts';
export { CORE_VERSION } from './record/decision-record.ts';
export { decisionRecord, isNews } from './record/decision-record.ts';
export { fold } from './evolve/evolve.ts';
export { INITIAL_STATE } from './state.ts';
