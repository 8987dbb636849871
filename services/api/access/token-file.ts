import { readFileSync } from 'node:fs';
import { readSettingFile } from '../../adapters/config.ts';
import { InputError, errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Metrics } from '../../adapters/metrics/metrics.ts';
import type { Shutdown } from '../../adapters/process/shutdown.ts';
import type { Tokens } from './authentication.ts';
import type { HttpConfig } from './config.ts';
import { readAccess, type AccessFile } from './tokens.ts';

const POLL_MS = 2000;

const NOTHING: AccessFile = { entries: [], refused: [] };

/**
 * The tokens of the configured file, which is read again every two seconds. Valid lines apply, other lines are logged
 * and counted; while the file is missing, unreadable or empty, no token is valid. @throws InputError if the file is
 * missing, unreadable or empty at the start.
 */
export function openTokens(
  config: Pick<HttpConfig, 'JOBLEDGER_API_TOKENS_FILE'>,
  { log, metrics, shutdown, pollMs = POLL_MS }: TokenFileContext,
): Tokens {
  const file = config.JOBLEDGER_API_TOKENS_FILE;
  if (file === undefined) return null;
  let text: string | null = readSettingFile('JOBLEDGER_API_TOKENS_FILE', file).toString();
  let access = readAccess(text, file);
  if (access.entries.length === 0)
    throw new InputError([`${file} contains no token`, ...access.refused].join('\n'));
  reportLines(access, log);
  const checkFile = (): void => {
    const before = text;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      text = null;
      if (before !== null) log.error({ error: errorMessage(error) }, 'the token file cannot be read');
    }
    if (text === before) return;
    access = text === null ? NOTHING : readAccess(text, file);
    reportLines(access, log);
  };
  const timer = setInterval(checkFile, pollMs).unref();
  shutdown.onClose('tokens', () => clearInterval(timer));
  metrics.gauge(
    {
      name: 'jobledger_api_token_lines',
      help: 'Lines of the token file, by their validity.',
      labels: ['state'],
    },
    () => [
      { labels: { state: 'valid' }, value: access.entries.length },
      { labels: { state: 'refused' }, value: access.refused.length },
    ],
  );
  return () => access.entries;
}

interface TokenFileContext {
  log: Log;
  metrics: Metrics;
  shutdown: Pick<Shutdown, 'onClose'>;
  /** The milliseconds between two checks of the file. */
  pollMs?: number;
}

function reportLines({ entries, refused }: AccessFile, log: Log): void {
  for (const line of refused) log.error({ line }, 'a line of the token file is refused');
  if (entries.length === 0) log.error('the token file contains no valid line: no token is valid');
  else log.info({ tokens: entries.map(({ name }) => name) }, 'tokens loaded');
}
