import { serveFolds } from '../../services/api/folds/serve.ts';
import type { FoldQuestion } from '../../services/api/folds/questions.ts';

/** What the process does about a question, by the uid of its Job. */
const BEHAVIOURS: Record<string, () => unknown> = {
  quick: () => 'an answer',
  costly: () => compute(1500),
  endless: () => compute(Infinity),
  greedy: takeMemory,
  // In one allocation, which V8 cannot interrupt.
  'greedy at once': () => JSON.parse(`[${'{},'.repeat(2e7)}{}]`) as unknown,
  'greedy afterwards': () => void setImmediate(takeMemory),
  killed: () => process.kill(process.pid, 'SIGKILL'),
  aborting: () => process.abort(),
  exiting: () => process.exit(0),
  failing: () => {
    throw new Error('the stream makes no sense');
  },
  'tell its environment': () => ({ ...process.env }),
  'tell its process': () => process.pid,
};

serveFolds(() => async (question) => BEHAVIOURS[uid(question)]?.());

function uid(question: FoldQuestion): string {
  return 'job' in question ? question.job.uid : '';
}

/** Milliseconds of CPU time. */
function compute(ms: number): string {
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    if (user + system > ms * 1000) return 'an answer';
  }
}

function takeMemory(): never {
  const taken = [];
  for (;;) taken.push(Array.from({ length: 1000 }, (_none, index) => ({ index })));
}
