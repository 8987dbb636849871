import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** The metrics of one process, in Prometheus' text format. Services use this interface, not the library. */
export interface Metrics {
  counter(about: About): (labels: Labels, by?: number) => void;
  histogram(about: About & { buckets: number[] }): (labels: Labels, value: number) => void;
  /** `read` is called at every scrape. */
  gauge(about: About, read: () => readonly { labels: Labels; value: number }[]): void;
  /** Appends metrics of another library, which must have the same format and other names. */
  include(text: () => Promise<string>): void;
  readonly contentType: string;
  text(): Promise<string>;
}

interface About {
  name: string;
  help: string;
  labels: readonly string[];
}

/**
 * Milliseconds between two measurements of the event loop's lag. With the default of 10, the measurement takes a
 * quarter of the CPU time of idle services.
 */
const EVENT_LOOP_MS = 100;

/** Creates the metrics, including the default metrics of the process (CPU, memory, event loop). */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_MS });
  const options = ({ name, help, labels }: About) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const others: (() => Promise<string>)[] = [];
  return {
    contentType: registry.contentType,
    async text() {
      const texts = await Promise.all([registry.metrics(), ...others.map((text) => text())]);
      return texts.join('\n');
    },
    include: (text) => void others.push(text),
    counter(about) {
      const counter = new Counter(options(about));
      return (labels, by = 1) => counter.inc(labels, by);
    },
    histogram(about) {
      const histogram = new Histogram({ ...options(about), buckets: about.buckets });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge(about, read) {
      const gauge = new Gauge({
        ...options(about),
        collect() {
          gauge.reset();
          for (const { labels, value } of read()) gauge.set(labels, value);
        },
      });
    },
  };
}

/** Returns `count` histogram bounds from `start` on, each twice the bound before. */
export function doublingBounds(start: number, count: number): number[] {
  return Array.from({ length: count }, (_none, power) => start * 2 ** power);
}
