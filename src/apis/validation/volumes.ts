/** Rules of the volumes of a pod. */
import { invalid } from '../../apimachinery/field-error.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import {
  each,
  form,
  needed,
  noProblems,
  notMoreThanOne,
  numberOf,
  objects,
  part,
  text,
  together,
  uniqueBy,
} from './checks.ts';
import type { Problems } from './checks.ts';
import { descendingPath, withoutBacksteps } from './containers.ts';

const modeMax = 0o777;
const modeMessage = 'must be a number between 0 and 0777 (octal), both inclusive';

export function volumesRules(volumes: readonly JsonObject[], path: string): Problems {
  return together(
    each(volumes, (volume, at) => volumeRules(volume, `${path}[${at}]`)),
    uniqueBy(volumes, path, 'name'),
  );
}

function volumeRules(volume: JsonObject, path: string): Problems {
  const sources = Object.keys(volume).filter((name) => name !== 'name');
  const [source] = sources;
  return together(
    form(`${path}.name`, text(volume, 'name'), checkDns1123Label),
    notMoreThanOne(sources, path, 'may not specify more than 1 volume type'),
    source === undefined
      ? noProblems
      : sourceRules(source, part(volume, source), `${path}.${source}`),
  );
}

const projections = ['secret', 'configMap', 'downwardAPI'];

function sourceRules(name: string, source: JsonObject, path: string): Problems {
  switch (name) {
    case 'hostPath':
      return withoutBacksteps(`${path}.path`, text(source, 'path'));
    case 'secret':
      return together(needed(source, path, 'secretName'), filesRules(source, path));
    case 'configMap':
      return together(needed(source, path, 'name'), filesRules(source, path));
    case 'downwardAPI':
      return filesRules(source, path);
    case 'projected':
      return together(
        modeRules(source['defaultMode'], `${path}.defaultMode`),
        each(objects(source, 'sources'), (from, at) =>
          each(projections, (kind) =>
            filesRules(part(from, kind), `${path}.sources[${at}].${kind}`),
          ),
        ),
      );
    case 'nfs':
      return text(source, 'path').startsWith('/') || text(source, 'path') === ''
        ? []
        : [invalid(`${path}.path`, text(source, 'path'), 'must be an absolute path')];
    default:
      return [];
  }
}

function filesRules(source: JsonObject, path: string): Problems {
  return together(
    modeRules(source['defaultMode'], `${path}.defaultMode`),
    each(objects(source, 'items'), (item, at) => {
      const here = `${path}.items[${at}]`;
      const file = text(item, 'path');
      return together(
        modeRules(item['mode'], `${here}.mode`),
        descendingPath(`${here}.path`, file),
        file.startsWith('..') && !file.split('/').includes('..')
          ? [invalid(`${here}.path`, file, "must not start with '..'")]
          : noProblems,
      );
    }),
  );
}

function modeRules(mode: JsonValue | undefined, field: string): Problems {
  const number = numberOf(mode) ?? 0;
  return number < 0 || number > modeMax ? [invalid(field, mode, modeMessage)] : noProblems;
}
