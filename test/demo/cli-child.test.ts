import { runVerb } from '../../demo/cli-child.ts';

const signal = new AbortController().signal;

it('the demo runs the command line of this tree, and ends with a verb that fails', async () => {
  await runVerb(['--version'], signal);
  await expect(runVerb(['no-such-verb'], signal)).rejects.toThrow(
    '"jobledger no-such-verb" failed (exit status 2)',
  );
}, 60_000);
