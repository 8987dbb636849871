import { silentLog } from '../../adapters/process/log.ts';
import { openDatabase } from '../../adapters/postgres/database.ts';
import { onSnapshot } from '../reads.ts';
import { answerTo } from './answer.ts';
import { serveFolds } from './serve.ts';

// The program of a process that folds. The process has its own connection, so that it reads and parses the streams in
// its own memory.
serveFolds(({ postgres, statementTimeoutMs }) => {
  const database = openDatabase(postgres, silentLog(), {
    connections: 1,
    name: 'jobledger api fold',
    statementTimeoutMs,
  });
  return (question) => onSnapshot(database, (run) => answerTo(run, question));
});
