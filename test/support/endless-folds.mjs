/** A thread of services/api/folds/folds.ts that computes without end, or takes all memory, whatever it is asked. */
export function answer({ kind }) {
  if (kind === 'replay' || kind === 'why') for (;;);
  const taken = [];
  for (;;) taken.push(Array.from({ length: 1000 }, (_none, index) => ({ index })));
}
