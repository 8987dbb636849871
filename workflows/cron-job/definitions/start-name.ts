const MINUTE_MS = 60_000;

/** The name of the Job of a start; `due` is the instant of the start, in milliseconds (J-9.38). */
export function startName(cronJob: string, due: number): string {
  return `${cronJob}-${Math.floor(due / MINUTE_MS)}`;
}

/** The minute, in milliseconds, in which the start with this name was due; null for any other name. */
export function dueOfStartName(cronJob: string, name: string): number | null {
  const minutes = name.startsWith(`${cronJob}-`) ? name.slice(cronJob.length + 1) : '';
  return /^\d{1,10}$/.test(minutes) ? Number(minutes) * MINUTE_MS : null;
}
