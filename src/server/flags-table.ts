/** The option table as Markdown: what the README shows between its two marks. */
import { optionTable } from './options.ts';

export function flagsTable(): string {
  const rows = optionTable.map((option) => {
    const value = option.value.replaceAll('|', '\\|');
    const initial = option.default === '' ? '' : `\`${option.default}\``;
    return `| \`--${option.flag} ${value}\` | ${initial} | ${option.help} |`;
  });
  return ['| flag | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
