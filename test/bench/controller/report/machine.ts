import os from 'node:os';

/** What a reader must know of the machine. */
export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
}

export function machine(): Machine {
  const cpus = os.cpus();
  return {
    cores: cpus.length,
    model: cpus[0]?.model ?? 'unknown',
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
  };
}
