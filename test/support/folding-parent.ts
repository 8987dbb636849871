import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { createFolds } from '../../services/api/folds/folds.ts';
import { silentLog } from '../../services/adapters/process/log.ts';

/** A process that has a fold without end. Sends the id of the process that folds. */
const { folds } = createFolds({
  log: silentLog(),
  environment: {},
  settings: { postgres: { DATABASE_URL: '' }, statementTimeoutMs: 1000 },
  budgetMs: 600_000,
  secondsPerMinute: 0,
  program: join(process.cwd(), 'test/support/fold-stand-in.ts'),
});
const caller = { name: 'one', scopes: ['read' as const], places: null, person: null };
const ask = (uid: string): Promise<unknown> =>
  folds.ask(
    { caller, raw: { socket: new EventEmitter() } },
    { kind: 'replay', job: { cluster: 'local', uid }, point: 'end' },
  );
process.send?.(await ask('tell its process'));
void ask('endless');
