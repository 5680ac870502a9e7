/** A chart as SVG text, without a browser: Vega-Lite says what is drawn, Vega draws it. */
import { Error as onlyErrors, logger, parse, View } from 'vega';
import { compile } from 'vega-lite';
import type { TopLevelSpec } from 'vega-lite';

export function pictureOf(spec: TopLevelSpec): Promise<string> {
  const compiled = compile(spec, { logger: logger(onlyErrors) });
  const view = new View(parse(compiled.spec), { renderer: 'none', logLevel: onlyErrors });
  return view.toSVG().finally(() => view.finalize());
}
