import type {
  Bytes,
  CallOptions,
  ConditionFailed,
  DeleteMutation,
  Mutation,
  SetMutation,
  TouchMutation,
  WriteResult,
} from '@unikv/core'
import { knownVersionBytes } from '@unikv/core/adapter'
import { expiryColumn } from '../row.ts'
import type { Condition } from '../statements.ts'
import {
  type Answer,
  type Conditional,
  deleteIf,
  type Found,
  look,
  type NewRow,
  replaceIf,
} from './transaction.ts'
import { inTurn } from './turns.ts'

/**
 * One mutation by a lightweight transaction: the replicas agree on it, and compare version and expiry by the clock of
 * the node that leads it. A plain write beside these could be undone by one that came before it, so there is none.
 */
export function writeConditional(
  backend: Conditional,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  return inTurn(backend, mutation.key, call, () => {
    if (mutation.type === 'delete') return remove(backend, mutation, call)
    if (mutation.type === 'touch') return touch(backend, mutation, call)
    return set(backend, mutation as SetMutation<Bytes>, call)
  })
}

const conditionFailed: ConditionFailed = Object.freeze({ conditionFailed: true })

async function set(
  backend: Conditional,
  mutation: SetMutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  const { key, version, value, ifVersion, expiresAt } = mutation
  if (expiresAt === 'keep') return keep(backend, mutation, call)
  const put: Put = (condition, ...known) =>
    replaceIf(backend, { key, version, value, expiresAt }, condition, known, call)
  if (ifVersion === null) return create(put, version)
  if (ifVersion !== undefined) return told(await put('version', knownVersionBytes(ifVersion)), version)
  await put('always')
  return { version }
}

type Put = (condition: Condition, ...known: readonly unknown[]) => Promise<Answer>

/** A record that has expired counts as absent; which one is there may change between two attempts. */
async function create(put: Put, version: string): Promise<WriteResult> {
  for (let there: Buffer | undefined; ; ) {
    const answer = await (there === undefined ? put('absent') : put('expired', there))
    if (answer.applied || isSame(answer.version, there)) return told(answer, version)
    there = answer.version
  }
}

/** Replace value and version alone: bound to the version and the expiry that were read, until they hold. */
async function keep(
  backend: Conditional,
  { key, version, value, ifVersion }: SetMutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  for (;;) {
    const found = await look(backend, 'head', key, call)
    if (!matches(found, ifVersion)) return refused(found)
    if (found === undefined) {
      const created = await set(backend, { type: 'set', key, version, value, ifVersion: null }, call)
      if (!('conditionFailed' in created) || ifVersion === null) return created
    } else if (
      await replaceFound(backend, { key, version, value, expiresAt: found.expiresAt }, found, call)
    ) {
      return { version }
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
  backend: Conditional,
  { key, version, ifVersion }: DeleteMutation,
  call: CallOptions,
): Promise<WriteResult> {
  if (ifVersion === null) {
    const found = await look(backend, 'head', key, call)
    return found === undefined ? { version } : refused(found)
  }
  const known = ifVersion === undefined ? undefined : knownVersionBytes(ifVersion)
  const answer = await deleteIf(backend, key, known, call)
  return ifVersion === undefined ? { version } : told(answer, version)
}

async function replaceFound(
  backend: Conditional,
  row: NewRow,
  found: Exclude<Found, undefined>,
  call: CallOptions,
): Promise<boolean> {
  const known = [knownVersionBytes(found.version as string), expiryColumn(found.expiresAt)]
  return (await replaceIf(backend, row, 'same', known, call)).applied
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

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other)
}
