/** Reads offsets by partition again and again until it is stopped. */
export interface OffsetWatch {
  /** How often it has read them. */
  looks(): number;
  last(partition: number): bigint | undefined;
  /** A message for each offset that was lower than before. */
  stepsBack(): string[];
  stop(): Promise<void>;
}

const PERIOD_MS = 50;

export function watchOffsets(read: () => Promise<ReadonlyMap<number, bigint>>): OffsetWatch {
  const last = new Map<number, bigint>();
  const back: string[] = [];
  const ending = new AbortController();
  let looks = 0;
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      // The group or its coordinator may be unavailable, or may not exist yet.
      const now = await read().catch(() => new Map<number, bigint>());
      looks += 1;
      for (const [partition, offset] of now) {
        const before = last.get(partition) ?? 0n;
        if (offset < before) back.push(`partition ${partition}: from ${before} to ${offset}`);
        last.set(partition, offset);
      }
      await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
    }
  };
  const watching = watch();
  return {
    looks: () => looks,
    last: (partition) => last.get(partition),
    stepsBack: () => back,
    stop() {
      ending.abort();
      return watching;
    },
  };
}
