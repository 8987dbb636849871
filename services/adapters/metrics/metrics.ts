import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export type Labels = Readonly<Record<string, string>>;

/** What one process counts, in Prometheus' text format. A service names its metrics; it knows no library. */
export interface Metrics {
  counter(about: About): (labels: Labels, by?: number) => void;
  histogram(about: About & { buckets: number[] }): (labels: Labels, value: number) => void;
  /** `read` is asked whenever somebody looks. */
  gauge(about: About, read: () => { labels: Labels; value: number }): void;
  readonly contentType: string;
  text(): Promise<string>;
}

interface About {
  name: string;
  help: string;
  labels: readonly string[];
}

/** Those of the process (CPU, memory, event loop) are among them from the start. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const options = ({ name, help, labels }: About) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
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
          const { labels, value } = read();
          gauge.set(labels, value);
        },
      });
    },
  };
}

/** `count` upper bounds from `start` on, each twice the one before. */
export function doubling(start: number, count: number): number[] {
  return Array.from({ length: count }, (_none, power) => start * 2 ** power);
}
