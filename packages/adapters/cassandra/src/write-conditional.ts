import {
  type Bytes,
  type CallOptions,
  type ConditionFailed,
  type DeleteMutation,
  type Entry,
  isStoreError,
  type Mutation,
  type NotModified,
  type SetMutation,
  type TouchMutation,
  type WriteResult,
} from '@unikv/core'
import { knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { writeConsistency } from './consistency.ts'
import { readColumns } from './read.ts'
import { expiryColumn, secondsToLive } from './row.ts'
import type { Columns, Condition, ConditionalStatements } from './statements.ts'

type Conditional = Backend<ConditionalStatements>
type Found = Entry<Bytes> | NotModified | undefined

/**
 * One mutation by a lightweight transaction: the replicas agree on it, and compare version and expiry by the clock of
 * the node that leads it. A plain write beside these could be undone by one that came before it, so there is none.
 */
export function writeConditional(
  backend: Conditional,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  if (mutation.type === 'delete') return remove(backend, mutation, call)
  if (mutation.type === 'touch') return touch(backend, mutation, call)
  return set(backend, mutation as SetMutation<Bytes>, call)
}

const conditionFailed: ConditionFailed = Object.freeze({ conditionFailed: true })

async function set(
  backend: Conditional,
  mutation: SetMutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const { key, version, ifVersion, expiresAt } = mutation
  // A copy: the caller may change the value meanwhile.
  const row = { key, version, value: Buffer.from(mutation.value) }
  if (expiresAt === 'keep') return keep(backend, row, ifVersion, call)
  const put = (condition: Condition, ...known: readonly unknown[]): Promise<Answer> =>
    replace(backend, { ...row, expiresAt }, condition, known, call)
  if (ifVersion === undefined) {
    await put('always', versionBytes(version))
    return { version }
  }
  if (ifVersion !== null) return told(await put('version', knownVersionBytes(ifVersion)), version)
  const created = await put('absent')
  if (created.applied || created.version === undefined) return told(created, version)
  // There is a record: it counts as absent if it has expired.
  const replaced = await put('expired', created.version)
  return replaced.applied ? { version } : { conditionFailed: true, version: created.version.toString('hex') }
}

/** Replace value and version alone: bound to the version and the expiry that were read, until they hold. */
async function keep(
  backend: Conditional,
  row: Omit<NewRow, 'expiresAt'>,
  ifVersion: string | null | undefined,
  call: CallOptions,
): Promise<WriteResult> {
  for (;;) {
    const found = await look(backend, 'head', row.key, call)
    if (!matches(found, ifVersion)) return refused(found)
    if (found === undefined) {
      const { key, version, value } = row
      const plain = { type: 'set', key, version, value, ifVersion: null } as const
      const created = await set(backend, plain, call)
      if (!('conditionFailed' in created) || ifVersion === null) return created
      continue
    }
    if (await replaceFound(backend, { ...row, expiresAt: found.expiresAt }, found, call)) {
      return { version: row.version }
    }
  }
}

/** Each column has a time to live of its own, so a new expiry writes all of them anew. */
async function touch(
  backend: Conditional,
  { key, ifVersion, expiresAt }: TouchMutation,
  call: CallOptions,
): Promise<WriteResult> {
  for (;;) {
    const found = await look(backend, 'full', key, call)
    if (found === undefined || !('value' in found) || !matches(found, ifVersion)) return refused(found)
    const version = found.version as string
    if (await replaceFound(backend, { key, version, value: found.value, expiresAt }, found, call)) {
      return { version }
    }
  }
}

async function remove(
  { session, statements, settings }: Conditional,
  { key, version, ifVersion }: DeleteMutation,
  call: CallOptions,
): Promise<WriteResult> {
  const backend = { session, statements, settings }
  if (ifVersion === null) {
    const found = await look(backend, 'head', key, call)
    return found === undefined ? { version } : refused(found)
  }
  const known = ifVersion === undefined ? [] : [knownVersionBytes(ifVersion)]
  const cql = statements.delete[ifVersion === undefined ? 'exists' : 'version']
  const answer = await transact(backend, cql, [Buffer.from(key), ...known], call)
  return ifVersion === undefined ? { version } : told(answer, version)
}

/** A row to write. */
interface NewRow {
  readonly key: string
  readonly version: string
  readonly value: Bytes
  readonly expiresAt: number | undefined
}

/** What came of a transaction: whether it took effect, or the version that stood against it. */
interface Answer {
  readonly applied: boolean
  readonly version: Buffer | undefined
}

function replaceFound(
  backend: Conditional,
  row: NewRow,
  found: Exclude<Found, undefined>,
  call: CallOptions,
): Promise<boolean> {
  const known = [knownVersionBytes(found.version as string), expiryColumn(found.expiresAt)]
  return replace(backend, row, 'same', known, call).then(({ applied }) => applied)
}

function replace(
  backend: Conditional,
  { key, version, value, expiresAt }: NewRow,
  condition: Condition,
  known: readonly unknown[],
  call: CallOptions,
): Promise<Answer> {
  const row = [secondsToLive(expiresAt), versionBytes(version), expiryColumn(expiresAt), value]
  return transact(backend, backend.statements.set[condition], [...row, Buffer.from(key), ...known], call)
}

async function transact(
  { session, settings }: Conditional,
  cql: string,
  params: readonly unknown[],
  call: CallOptions,
): Promise<Answer> {
  const consistency = writeConsistency(settings, call.consistency)
  const { rows = [] } = await session.write({ cql, params, consistency }, call)
  const [row = {}] = rows as readonly { readonly '[applied]'?: boolean; readonly version?: unknown }[]
  const applied = row['[applied]'] === true
  // What did not take effect is as good as not sent.
  if (!applied) call.sent = false
  return { applied, version: Buffer.isBuffer(row.version) ? row.version : undefined }
}

/** The live record as all replicas know it, whatever level the call has: it decides a write. */
async function look(backend: Conditional, columns: Columns, key: string, call: CallOptions): Promise<Found> {
  const strong = { deadlineAt: call.deadlineAt, signal: call.signal, consistency: 'strong' }
  const found = await readColumns(backend, columns, key, strong)
  if (isStoreError(found)) throw found
  return found
}

function matches(found: Found, ifVersion: string | null | undefined): boolean {
  if (ifVersion === undefined) return true
  return ifVersion === null ? found === undefined : found?.version === ifVersion
}

function refused(found: Found): ConditionFailed {
  return found === undefined ? conditionFailed : { conditionFailed: true, version: found.version }
}

function told({ applied, version: found }: Answer, version: string): WriteResult {
  if (applied) return { version }
  return found === undefined ? conditionFailed : { conditionFailed: true, version: found.toString('hex') }
}
