/**
 * The metrics page, in the text form that Prometheus scrapes.
 *
 * What it is not: counting. The parts count for themselves; their numbers are read when the page is
 * asked for, so nothing on a hot path knows of metrics.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Measured {
  readonly name: string;
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** NaN: not known now. What takes time bounds itself. */
  read(): number | Promise<number>;
}

export interface MetricsPage {
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** `worker`: which of several servers this is. Its number is a label of everything on the page, so
 * that the workers' series stay apart, and the first line says who answered. */
export function createMetricsPage(
  measured: readonly Measured[],
  worker: number | undefined,
): MetricsPage {
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) });
  const firstLine = worker === undefined ? '' : `# worker ${worker}, process ${process.pid}\n`;
  collectDefaultMetrics({ register: registry });
  for (const { name, help, labels = {}, read } of measured) {
    new Gauge({
      name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      async collect() {
        this.set(labels, await read());
      },
    });
  }
  return {
    async render() {
      const text = await registry.metrics();
      return { contentType: registry.contentType, text: `${firstLine}${text}` };
    },
  };
}
