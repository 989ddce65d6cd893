import type { CallOptions, Check, SetMutation, TogetherChange } from '@unikv/core'
import { isStoreError, knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import { byteaArray, int8Array, textArray } from './arrays.ts'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/bind-message.ts'
import { expiryColumn } from './values.ts'

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
    keys(held),
    byteaArray(held.map(({ version }) => knownVersionBytes(version as string))),
    ...columns(backend, replaced),
    ...columns(backend, news),
    ...(removed.length === 0 ? [] : [keys(removed)]),
  ]
  const kinds = { replaces: replaced.length > 0, makes: news.length > 0, removes: removed.length > 0 }
  try {
    const [row] = await backend.connections.execute(backend.statements.together(kinds), values, call, true)
    return row?.[0] === 't'
  } catch (error) {
    if (isStoreError(error) && conflicts.has((error.cause as { readonly code?: unknown } | undefined)?.code))
      return false
    throw error
  }
}

function columns<V>({ form }: Backend<V>, sets: readonly SetMutation<V>[]): readonly Parameter[] {
  if (sets.length === 0) return []
  const values = sets.map(({ value }) => form.toBytes(value))
  return [
    keys(sets),
    byteaArray(sets.map(({ version }) => versionBytes(version))),
    int8Array(sets.map(({ expiresAt, ifVersion }) => expiryOf(expiresAt, ifVersion === null))),
    form.documents ? textArray(values) : byteaArray(values),
  ]
}

/** -1 keeps the expiry of a record that is there. */
function expiryOf(expiresAt: SetMutation<unknown>['expiresAt'], isNew: boolean): number | null {
  if (expiresAt === 'keep') return isNew ? null : -1
  return expiryColumn(expiresAt)
}

function keys(items: readonly { readonly key: string }[]): Buffer {
  return byteaArray(items.map(({ key }) => Buffer.from(key)))
}
