import { tearDownRun } from './set-up-run.ts';

// oxlint-disable-next-line import/no-default-export -- jest calls the default export of a globalTeardown file
export default tearDownRun;
