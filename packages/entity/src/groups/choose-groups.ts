import { type Groups, StoreError } from '@unikv/core'
import { adapterOf, layersOf, namespaceOf } from '@unikv/core/adapter'
import { textOf } from '../definition/key-parts.ts'
import { NamedGroups } from './named-groups.ts'
import { RecordGroups } from './record-groups.ts'
import type { GroupKeyValue } from './record-store.ts'

/** Which transactions are used: those of the store where nothing stands between (`auto`), records with conditions, or native ones only. */
export type TransactionKind = 'auto' | 'records' | 'native'

/**
 * The groups of a KeyValue.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the store has none of this kind
 */
export function chooseGroups(kv: GroupKeyValue, kind: TransactionKind): Groups {
  const native = kind === 'records' ? undefined : nativeGroups(kv)
  if (native !== undefined) return native
  if (kind === 'native') throw noNative(kv)
  checkRecords(kv)
  return new RecordGroups(kv)
}

/** The groups of the store below a KeyValue; `undefined`: it has none, or layers between would be bypassed. */
export function nativeGroups(kv: GroupKeyValue): Groups | undefined {
  const groups = changing(kv).length === 0 ? adapterOf(kv).groups : undefined
  const names = namespaceOf(kv)
  return groups === undefined || names.length === 0 ? groups : new NamedGroups(groups, textOf(names))
}

/** Names of the layers that change values. Others, such as a monitor, do not see native transactions, and do not harm them. */
function changing(kv: GroupKeyValue): readonly string[] {
  return layersOf(kv).flatMap(({ layer: { name, plan } }) =>
    plan.inner === 'any' && plan.outer === 'any' ? [] : [name],
  )
}

function noNative(kv: GroupKeyValue): StoreError {
  const layers = changing(kv)
  const why =
    adapterOf(kv).groups === undefined
      ? `${adapterOf(kv).name} has none`
      : `they would bypass its layers (${layers.join(', ')})`
  return new StoreError(
    'INVALID_CONFIG',
    `Native transactions cannot be used with this KeyValue: ${why}. Use \`transactions: 'records'\`.`,
  )
}

function checkRecords({ name, capabilities }: GroupKeyValue): void {
  const why = [
    !capabilities.conditionalWrite && 'it has no conditional writes',
    capabilities.evicts && 'it may drop records by itself, and with them parts of a committed state',
    capabilities.documents && 'it holds documents, and a group is bytes',
  ].find((reason) => reason !== false)
  if (why === undefined) return
  throw new StoreError('INVALID_CONFIG', `Entities cannot be kept in ${name}: ${why}.`)
}
