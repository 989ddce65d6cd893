import type { CallOptions, Check, SetMutation, TogetherChange } from '@unikv/core'
import { isStoreError, knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import { expiryColumn } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/bind-message.ts'

/** The states of a server that gave up because of other writers: two made one record, or waited for each other, or its isolation forbids it. */
const conflicts: ReadonlySet<unknown> = new Set(['22012', '40001', '40P01'])

/**
 * Changes that take effect together, by one statement. That a record is missing cannot be kept so for its time without making it, so
 * no such check is decided here.
 */
export async function together<V>(
  backend: Backend<V>,
  changes: readonly TogetherChange<V>[],
  checks: readonly Check[],
  call: CallOptions,
): Promise<boolean | undefined> {
  call.sent = false
  const wanted = [...checks, ...changes.map(({ key, ifVersion }) => ({ key, version: ifVersion }))]
  const isNew = ({ type, ifVersion }: TogetherChange<V>): boolean => type === 'set' && ifVersion === null
  const made = new Set(changes.filter(isNew).map(({ key }) => key))
  const held = wanted.filter(({ key }) => !made.has(key))
  if (held.some(({ version }) => version === null)) return undefined
  const sets = changes.filter((change): change is typeof change & SetMutation<V> => change.type === 'set')
  const [replaced, news] = [sets.filter((set) => !isNew(set)), sets.filter(isNew)]
  const removed = changes.filter(({ type }) => type === 'delete')
  const values = [
    ...held.flatMap(({ key, version }) => [Buffer.from(key), knownVersionBytes(version as string)]),
    ...rows(backend, replaced),
    ...rows(backend, news),
    ...removed.map(({ key }) => Buffer.from(key)),
  ]
  const counts = { held: held.length, replaced: replaced.length, made: news.length, removed: removed.length }
  try {
    const [row] = await backend.connections.execute(backend.statements.together(counts), values, call, true)
    return row?.[0] === 't'
  } catch (error) {
    if (isStoreError(error) && conflicts.has((error.cause as { readonly code?: unknown } | undefined)?.code))
      return false
    throw error
  }
}

function rows<V>({ form }: Backend<V>, sets: readonly SetMutation<V>[]): readonly Parameter[] {
  return sets.flatMap(({ key, version, expiresAt, ifVersion, value }) => [
    Buffer.from(key),
    versionBytes(version),
    expiryOf(expiresAt, ifVersion === null),
    form.toBytes(value),
  ])
}

/** -1 keeps the expiry of a record that is there. */
function expiryOf(expiresAt: SetMutation<unknown>['expiresAt'], isNew: boolean): number | null {
  if (expiresAt === 'keep') return isNew ? null : -1
  return expiryColumn(expiresAt)
}
