import type { Groups } from '@unikv/core'
import { adapterOf, layersOf, namespaceOf, StoreError } from '@unikv/core/adapter'
import { textOf } from '../definition/key-parts.ts'
import { NamedGroups } from './named-groups.ts'
import { RecordGroups } from './record-groups.ts'
import type { GroupKeyValue } from './record-store.ts'

/** After the names of a namespace: its groups do not begin like those of the namespaces inside it, whose next name begins with a letter. */
const endOfNamespace = '\u0002'

/** Which transactions are used: those of the store where nothing stands between (`auto`), records with conditions, or native ones only. */
export type TransactionKind = 'auto' | 'records' | 'native'

/**
 * The groups of a KeyValue.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the store has none of this kind
 */
export function chooseGroups(kv: GroupKeyValue, kind: TransactionKind): Groups {
  checkBytes(kv)
  const native = kind === 'records' ? undefined : nativeGroups(kv)
  if (native !== undefined) return native
  if (kind === 'native') throw noNative(kv)
  checkRecords(kv)
  return new RecordGroups(kv)
}

/** The groups of the store below a KeyValue; `undefined`: it has none, or layers between would be bypassed. */
export function nativeGroups(kv: GroupKeyValue): Groups | undefined {
  return namedGroups(kv, endOfNamespace)
}

/** Those of the namespaces inside too, for work on all of them. */
export function nestedGroups(kv: GroupKeyValue): Groups | undefined {
  return namedGroups(kv, '')
}

function namedGroups(kv: GroupKeyValue, end: string): Groups | undefined {
  const groups = changing(kv).length === 0 ? adapterOf(kv).groups : undefined
  return groups === undefined ? undefined : new NamedGroups(groups, textOf(namespaceOf(kv)) + end)
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

/** Entities have a codec of their own, and groups are bytes. */
function checkBytes(kv: GroupKeyValue): void {
  const outermost = layersOf(kv).find(({ layer: { plan } }) => plan.outer !== 'any')
  if (outermost?.layer.plan.outer !== 'objects') return
  const { name } = outermost.layer
  throw new StoreError(
    'INVALID_CONFIG',
    `entities() needs a KeyValue of bytes: leave the codec ${name} out. Entities are kept as JSON by themselves.`,
  )
}

function checkRecords({ name, capabilities }: GroupKeyValue): void {
  const why = [
    !capabilities.conditionalWrite && 'it has no conditional writes',
    capabilities.evicts && 'it may drop records by itself, and with them parts of a committed state',
    capabilities.documents && 'it holds documents, and a group is bytes',
    capabilities.isolation === 'eventual' &&
      !capabilities.consistency.includes('strong') &&
      "its reads may be old, and its copies may take two writes of one version. If the server keeps one copy of each record, the store may have an option that says so, as isolation: 'linearizable' of couchdb()",
  ].find((reason) => reason !== false)
  if (why === undefined) return
  throw new StoreError('INVALID_CONFIG', `Entities cannot be kept in ${name}: ${why}.`)
}
