import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFolds } from '../../services/api/folds/folds.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { eventsDependencies, stubApi } from './stub-api.ts';

/** The figures of the process, which it sends on request. */
export interface ApiProcessState {
  heapMib: number;
  streams: number;
  mostStreams: number;
}

/** The API of stub-api.ts in a process of its own, with folds that never end by themselves and the default limits of streams. */
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let streams = 0;
let mostStreams = 0;
const { folds } = createFolds({
  log: silentLog(),
  environment: {},
  settings: { postgres: { DATABASE_URL: '' }, statementTimeoutMs: 1000 },
  budgetMs: 1000,
  secondsPerMinute: 5,
  heapMib: 128,
  program: join(process.cwd(), 'test/support/endless-folds.ts'),
});
const count = (open: number): void => {
  streams = open;
  mostStreams = Math.max(mostStreams, open);
};
const server = await stubApi({
  folds,
  events: eventsDependencies({ maxStreams: 100, maxStreamsOfCaller: 50, count }),
});
process.on('message', () => {
  collectGarbage();
  const state: ApiProcessState = {
    heapMib: process.memoryUsage().heapUsed / 2 ** 20,
    streams,
    mostStreams,
  };
  process.send?.(state);
});
process.on('disconnect', () => process.exit());
process.send?.({ url: await server.listen({ host: '127.0.0.1', port: 0 }) });
