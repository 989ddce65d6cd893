import type { CallOptions } from '@unikv/core'
import { MetExpired } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { base64, type Found } from './client/cells.ts'
import type { Dataset } from './dataset.ts'

/**
 * How old what is left of a record must be before its row is deleted. A deletion hides cells up to a time, that of the
 * old header: far in the past, so that clocks may differ by minutes and it never hides what is written now.
 */
const restMs = 600_000

/**
 * Removes rows that reads and listings met and that hold nothing any more: what deletions left, expired records.
 * `dataset` is asked for once there is something to remove.
 */
export function metExpired(dataset: () => Dataset): MetExpired<Found> {
  return new MetExpired({
    atOnce: 1,
    remove: async (met, call) => {
      for (const [key, found] of met) await removeRow(dataset(), key, found, call)
    },
  })
}

/** Note a row that was met. */
export function noteMet({ expired }: Dataset, key: string, found: Found): void {
  if (mayBeRemoved(found)) expired.met(key, found)
}

/** Whether a row that was met may be removed: absent ones and fresh ones are left alone. */
function mayBeRemoved({ writtenAt }: Found): boolean {
  return writtenAt !== 0 && wallClock() - writtenAt >= restMs
}

/** Delete a row up to the time of its header, if that header is still the same. */
async function removeRow(
  { gateway, columns, family, rowOf }: Dataset,
  key: string,
  { header, writtenAt }: Found,
  call: CallOptions,
): Promise<void> {
  const Cell = [
    { column: base64(family), timestamp: writtenAt },
    { column: columns.header, $: base64(header) },
  ]
  await gateway.ask(call, {
    method: 'PUT',
    path: '/row?check=delete',
    body: { Row: [{ key: rowOf(key).toString('base64'), Cell }] },
    isWrite: true,
    expected: [200, 304],
  })
}
