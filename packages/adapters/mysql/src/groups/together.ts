import type { Check, GroupCall, SetMutation, TogetherChange } from '@unikv/core'
import { isStoreError } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { placesOf } from '../batches/key-places.ts'
import { padded } from '../batches/padded.ts'
import { parts } from '../batches/parts.ts'
import type { ChangeResult } from '../client/mysql-client.ts'
import { type Row, resultOf } from '../read.ts'
import { rowOf, rowOverheadBytes } from '../row.ts'
import { keyParameter } from '../values.ts'
import { OpenSession } from './open-session.ts'

/** Changes that take effect together, by a transaction that locks all rows first, and the gaps of those that are missing. */
export async function together<V>(
  backend: Backend<V>,
  changes: readonly TogetherChange<V>[],
  checks: readonly Check[],
  call: GroupCall,
): Promise<boolean> {
  call.sent = false
  const session = new OpenSession(backend.connections, call)
  try {
    const wanted = [...checks, ...changes.map(({ key, ifVersion }) => ({ key, version: ifVersion }))]
    const holds = await areStill(backend, session, wanted)
    if (!holds) await session.undo()
    else {
      await change(backend, session, changes)
      await session.commit()
    }
    return holds
  } catch (error) {
    await session.undo()
    if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
    throw error
  }
}

/** Whether each record has its version, locked from then on. */
async function areStill<V>(
  { statements, form }: Backend<V>,
  session: OpenSession,
  wanted: readonly Check[],
): Promise<boolean> {
  const values = padded(wanted.map(({ key }) => keyParameter(key)))
  const sql = `${statements.readMany('head', values.length)} FOR UPDATE`
  const rows = await session.ask<readonly Row[]>({ sql, values })
  const keys = wanted.map(({ key }) => key)
  const found = new Map<number | undefined, string | undefined>()
  for (const [i, place] of placesOf(keys, rows).entries()) {
    const result = resultOf(rows[i] as Row, form, { head: true })
    if (isStoreError(result)) throw result
    found.set(place, result.version)
  }
  return wanted.every(({ version }, place) => (found.get(place) ?? null) === version)
}

async function change<V>(
  backend: Backend<V>,
  session: OpenSession,
  changes: readonly TogetherChange<V>[],
): Promise<void> {
  const { statements, maxStatementBytes } = backend
  for (const keeps of [true, false]) {
    const sets = changes.filter(
      (one): one is typeof one & SetMutation<V> => one.type === 'set' && (one.expiresAt === 'keep') === keeps,
    )
    const rows = sets.map((set) => {
      const row = rowOf(backend, keyParameter(set.key), set)
      return { row, bytes: row[0].length + row[3].length + rowOverheadBytes }
    })
    for (const part of parts(rows, maxStatementBytes))
      await session.ask<ChangeResult>({
        sql: statements.upsert(part.length, keeps),
        values: part.flatMap(({ row }) => row),
      })
  }
  const removed = padded(changes.filter(({ type }) => type === 'delete').map(({ key }) => keyParameter(key)))
  if (removed.length > 0) await session.ask({ sql: statements.deleteMany(removed.length), values: removed })
}
