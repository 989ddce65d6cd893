import type { CallOptions } from '@unikv/core'
import type { Backend } from './backend.ts'
import { padded } from './batches/padded.ts'
import type { Row } from './read.ts'

/**
 * Remove some expired records. It first looks (without locks), then deletes by key what is *still* expired, so that it
 * neither takes a fresh write nor locks in another order than writes do.
 */
export async function sweep(
  { connections, statements }: Backend<unknown>,
  mostRecords: number,
  call: CallOptions,
): Promise<void> {
  const limit = [String(mostRecords)]
  const rows = await connections.execute<readonly Row[]>(statements.expired(), limit, call, false)
  const keys = padded(rows.map(({ k }) => k).sort((a, b) => Buffer.compare(a, b)))
  if (keys.length > 0) await connections.execute(statements.deleteExpired(keys.length), keys, call, true)
}
