/** The core as a whole: all that a recorded decision depends on. This file is what `npm run freeze-core` compiles. */
export { compact } from './compact.ts';
export { decide } from './decide.ts';
export { CORE_VERSION } from './decision-id.ts';
export { decisionRecord, isNews } from './decision-record.ts';
export { fold } from './evolve.ts';
export { INITIAL_STATE } from './state.ts';
