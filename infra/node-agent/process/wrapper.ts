import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Invocation } from '../container/invocation.ts';
import type { AttemptFiles } from './attempt-directory.ts';

/**
 * The wrapper of a container's main process, in the language of any POSIX shell. It outlives the agent, so that
 * an exit code is never lost.
 * - `set -C` makes the pid file a claim: of two wrappers for one attempt only the first runs the command.
 * - Caught signals are reset in the child, so a signal to the whole group ends the command, not the wrapper.
 * - The inner shell writes its process id and becomes the command, which thereby gets SIGTERM itself.
 * - The last line ends what the command left behind in its process group, as the end of a container does.
 */
const WRAPPER = `set -C
echo $$ > "$0/pid" || exit 0
set +C
trap : HUP INT QUIT ALRM TERM USR1 USR2
/bin/sh -c 'echo $$ > "$0/main"; exec "$@"' "$0" "$@"
echo $? > "$0/exit"
kill -KILL 0`;

/**
 * Starts a container's process in a process group of its own, its output going to the log file.
 * @throws what spawning throws: too many processes, too long arguments.
 */
export async function startWrapper(files: AttemptFiles, invocation: Invocation): Promise<ChildProcess> {
  const log = openSync(files.log, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', WRAPPER, files.directory, ...invocation.argv], {
      detached: true,
      cwd: invocation.cwd ?? files.work,
      env: invocation.env,
      stdio: ['ignore', log, log],
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return child;
  } finally {
    closeSync(log);
  }
}
