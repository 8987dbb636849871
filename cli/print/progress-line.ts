/**
 * Shows the progress of long work: on a terminal in one line that changes, otherwise in a new line every few seconds. Short work shows no
 * progress.
 */
export interface ProgressLine {
  show(done: number, of: number): void;
  end(): void;
}

const TERMINAL_MS = 200;
const FILE_MS = 5000;

/** `what` is the unit that is counted, in the plural. */
export function progressLine(stream: NodeJS.WriteStream, what: string): ProgressLine {
  const every = stream.isTTY ? TERMINAL_MS : FILE_MS;
  let last = performance.now();
  let [isOpen, isLong] = [false, false];
  return {
    show(done, of) {
      const isDue = performance.now() - last >= every;
      if (!isDue && !(isLong && done === of)) return;
      isLong = true;
      last = performance.now();
      const percent = of === 0 ? 100 : Math.floor((done * 100) / of);
      stream.write(
        `${stream.isTTY ? '\r' : ''}${done} of ${of} ${what} (${percent} %)${stream.isTTY ? '' : '\n'}`,
      );
      isOpen = stream.isTTY;
    },
    end() {
      if (isOpen) stream.write('\n');
      isOpen = false;
    },
  };
}
