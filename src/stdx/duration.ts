/** Durations as operators write them: `5m`, `90s`, `1h30m`, `250ms`. Not: ISO 8601. */
import { lookup } from './lookup.ts';

const unitMs: Readonly<Record<string, number>> = lookup({
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
});

/** Milliseconds, or undefined when the text is not a duration. `0` alone is allowed. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(?<![\d.])(\d+(\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit as string] as number);
  }
  return total;
}
