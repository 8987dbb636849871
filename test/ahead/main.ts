import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_KUBERNETES, kubernetesVersion } from '../../infra/local/tools/kubernetes-versions.ts';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { newestVersion } from './facts.ts';
import { rulesQuoting } from './quoting-rules.ts';
import { report } from './report.ts';
import { readSources } from './sources.ts';

/**
 * `npm run compare-kubernetes [-- FROM TO] [--output FILE]`: what a version of Kubernetes changes for us, as Markdown. Without
 * versions: from the one that we follow to the newest published one, alphas included.
 */
const options = { output: { type: 'string' } } as const;
try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const [from = kubernetesVersion(DEFAULT_KUBERNETES).kubernetes, to = newestVersion()] = positionals;
  const text = `${report(readSources(from), readSources(to), rulesQuoting())}\n`;
  process.stdout.write(text);
  if (values.output !== undefined) {
    mkdirSync(dirname(values.output), { recursive: true });
    writeFileSync(values.output, text);
  }
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  process.stderr.write(`compare-kubernetes: ${errorMessage(error)}\n`);
  process.exitCode = 2;
}
