/** A thread of services/api/folds/folds.ts whose questions take hardly any time, much of it, all of it, or all memory, at once or after the answer. */
export function answer({ kind }) {
  if (kind === 'replay') for (;;);
  if (kind === 'what-if') takeMemory();
  if (kind === 'what-if-starts') setImmediate(takeMemory);
  return { answer: { kind }, cpuMs: kind === 'steps' ? 1500 : 1 };
}

function takeMemory() {
  const taken = [];
  for (;;) taken.push(Array.from({ length: 1000 }, (_none, index) => ({ index })));
}
