/**
 * The refusal of an apply that would take fields from other managers: 409 with one cause per field
 * (spec 1, sections 3.2 and 7). Clients read the causes; people the message.
 */
import { quote } from '../../quote.ts';
import { StatusError } from '../../status-error.ts';
import type { StatusCause } from '../../status-error.ts';
import { CauseType, StatusReason } from '../../status-table.ts';
import { forEachPath } from '../fieldpath/field-set.ts';
import { displayPath } from '../fieldpath/path-element.ts';
import type { Conflicts } from '../merge/update.ts';
import { compareText } from '../value/ordering.ts';
import { identityOf } from './managed-fields.ts';

/** Fields that one answer names. Policy: the rest, of which there may be a set for each manager of
 * a large object, is only counted. */
const fieldsMax = 500;

/** By manager identifier; never empty. */
export function newApplyConflict(conflicts: Conflicts): StatusError {
  let count = 0;
  const managers = [...conflicts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([identifier, set]) => {
      const fields: string[] = [];
      forEachPath(set, (path) => {
        count += 1;
        if (count <= fieldsMax) fields.push(displayPath(path));
      });
      return { shown: displayManager(identifier), fields };
    })
    .filter(({ fields }) => fields.length > 0);
  const causes = managers.flatMap(({ shown, fields }) =>
    fields.map((field): StatusCause => ({
      reason: CauseType.fieldManagerConflict,
      message: `conflict with ${shown}`,
      field,
    })),
  );
  const more = count > fieldsMax ? [`and ${count - fieldsMax} more`] : [];
  const message =
    count === 1
      ? `Apply failed with 1 conflict: ${causes[0]?.message}: ${causes[0]?.field}`
      : `Apply failed with ${count} conflicts: ${[...managers.map(listed), ...more].join('\n')}`;
  return new StatusError({ reason: StatusReason.conflict, message, details: { causes } });
}

function listed(manager: { readonly shown: string; readonly fields: readonly string[] }): string {
  return [`conflicts with ${manager.shown}:`, ...manager.fields.map((f) => `- ${f}`)].join('\n');
}

/** `"kubectl" with subresource "scale" using apps/v1`; the version of those that update only. */
function displayManager(identifier: string): string {
  const { manager, operation, apiVersion, subresource } = identityOf(identifier);
  const where = subresource === '' ? '' : ` with subresource ${quote(subresource)}`;
  const how = operation === 'Update' ? ` using ${apiVersion}` : '';
  return quote(manager) + where + how;
}
