import { createEventIndex } from '../../cli/verbs/import/event-index.ts';

// Prints the bytes that an index of as many events as its argument says takes for each. A program of its own (`node --expose-gc`):
// in a process of jest, what other tests left is freed at any time.
const events = Number(process.argv[2]);

/** In bytes, in the heap and outside. */
function memory(): number {
  // Buffers are freed beside the program after a collection; the next one waits for that.
  for (let each = 0; each < 2; each += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const before = memory();
const index = createEventIndex();
for (let each = 0; each < events; each += 1)
  index.add(`local/pod/6207ff5c-e9c4-48ce-987e-08a04f309dcb/${each}`, 'b18848165cd92626');
const after = memory();
if (index.digests(`local/pod/6207ff5c-e9c4-48ce-987e-08a04f309dcb/${events - 1}`).length !== 1)
  throw new Error('the index lost its last event');
process.stdout.write(`${(after - before) / events}\n`);
