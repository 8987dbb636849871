import { serveFolds } from '../../services/api/folds/serve.ts';

/** A process of services/api/folds that computes without end, or takes all memory, whatever it is asked. */
serveFolds(() => ({ kind }) => {
  if (kind === 'replay' || kind === 'why') for (;;);
  const taken = [];
  for (;;) taken.push(Array.from({ length: 1000 }, (_none, index) => ({ index })));
});
