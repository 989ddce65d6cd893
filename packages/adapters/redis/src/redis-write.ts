import {
  type Bytes,
  encodeRecord,
  type IncrementMutation,
  type Mutation,
  recordExpiresAtOffset,
  recordHeaderBytes,
  type SetMutation,
  type TouchMutation,
  type Version,
  type WriteResult,
} from '@unikv/core'
import type { RedisConnection } from './redis-client.ts'
import { type Command, perform, scripted } from './redis-commands.ts'
import { translate } from './redis-errors.ts'
import { apart, type Lane } from './redis-read.ts'
import {
  anyVersion,
  deleteScript,
  incrementScript,
  type Script,
  setExpiringScript,
  setScript,
  touchScript,
} from './redis-scripts.ts'

type Change = Mutation<Bytes>
type Changes = readonly Change[]
type Set = SetMutation<Bytes>

/** Send mutations to one server in one round trip. Never rejects. */
export function writeTo(
  connection: RedisConnection,
  mutations: Changes,
  lane: Lane,
): Promise<readonly WriteResult[]> {
  const [first] = mutations
  if (mutations.length === 1 && first?.type === 'set' && kindOf(first) !== 'alone')
    return setOne(connection, first, lane)
  return perform(connection, writeCommands(mutations, lane), (error): WriteResult => translate(error, true))
}

/** The path of nearly every call: one command, one promise. */
function setOne(
  connection: RedisConnection,
  set: Set,
  { prefix, format }: Lane,
): Promise<readonly WriteResult[]> {
  const args = [prefix + set.key, format.encode(set)]
  if (set.expiresAt !== undefined) args.push('PXAT', millisecond(set.expiresAt))
  return connection.callBuffer('set', args).then(
    () => [{ version: format.versionOf(set) }],
    (error: unknown) => [translate(error, true)],
  )
}

/**
 * Unconditional sets become one MSET, those with expiry one script, unconditional deletes one UNLINK; everything
 * that looks at the record first is a script of its own.
 */
function writeCommands(mutations: Changes, lane: Lane): readonly Command<WriteResult>[] {
  const lasting: number[] = []
  const expiring: number[] = []
  const deletes: number[] = []
  const alone: number[] = []
  const kinds = { lasting, expiring, deletes, alone }
  for (const [i, mutation] of mutations.entries()) kinds[kindOf(mutation)].push(i)
  return [
    ...apart(lasting, lane, (items) => msetCommand(mutations, items, lane)),
    ...apart(expiring, lane, (items) => setExpiringCommand(mutations, items, lane)),
    ...apart(deletes, lane, (items) => unlinkCommand(mutations, items, lane)),
    ...alone.map((item) => scriptCommand(mutations[item] as Change, item, lane)),
  ]
}

function kindOf(mutation: Change): 'lasting' | 'expiring' | 'deletes' | 'alone' {
  if (mutation.ifVersion !== undefined) return 'alone'
  if (mutation.type === 'delete') return 'deletes'
  if (mutation.type !== 'set' || mutation.expiresAt === 'keep') return 'alone'
  return mutation.expiresAt === undefined ? 'lasting' : 'expiring'
}

function msetCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Lane,
): Command<WriteResult> {
  const args = items.flatMap((item) => {
    const mutation = mutations[item] as Set
    return [prefix + mutation.key, format.encode(mutation)]
  })
  return {
    name: items.length === 1 ? 'set' : 'mset',
    args,
    items,
    resultOf: written(mutations, items, format.versionOf),
  }
}

function setExpiringCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Lane,
): Command<WriteResult> {
  const sets = items.map((item) => mutations[item] as Set)
  const [first] = sets as [Set]
  const resultOf = written(mutations, items, format.versionOf)
  if (sets.length === 1)
    return {
      name: 'set',
      args: [prefix + first.key, format.encode(first), 'PXAT', millisecond(first.expiresAt)],
      items,
      resultOf,
    }
  const keys = sets.map(({ key }) => prefix + key)
  const args = sets.flatMap((set) => [format.encode(set), millisecond(set.expiresAt)])
  return { ...scripted(setExpiringScript, keys, args), items, resultOf }
}

function unlinkCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Lane,
): Command<WriteResult> {
  const args = items.map((item) => prefix + (mutations[item] as Change).key)
  return { name: 'unlink', args, items, resultOf: written(mutations, items, format.versionOf) }
}

function written(
  mutations: Changes,
  items: readonly number[],
  versionOf: (mutation: Change) => Version | undefined,
): (reply: unknown, n: number) => WriteResult {
  return (_reply, n) => ({ version: versionOf(mutations[items[n] as number] as Change) })
}

/** A mutation that looks at the record before it changes it. */
function scriptCommand(mutation: Change, item: number, { prefix, format }: Lane): Command<WriteResult> {
  const [script, args] = scriptOf(mutation, format.encode)
  return {
    ...scripted(script, [prefix + mutation.key], [conditionOf(mutation), ...args]),
    items: [item],
    resultOf: (reply) => (Array.isArray(reply) ? successOf(mutation, reply) : conditionFailed(reply)),
  }
}

function scriptOf(
  mutation: Change,
  encode: (set: Set) => Buffer,
): readonly [Script, readonly (string | Buffer)[]] {
  switch (mutation.type) {
    case 'set':
      return [
        setScript,
        [encode(mutation), mutation.expiresAt === 'keep' ? 'keep' : millisecond(mutation.expiresAt)],
      ]
    case 'delete':
      return [deleteScript, []]
    case 'touch':
      return [touchScript, [expiryBytes(mutation), millisecond(mutation.expiresAt)]]
    case 'increment':
      return [incrementScript, incrementArgs(mutation)]
  }
}

const noBody = new Uint8Array()

function expiryBytes({ version, expiresAt }: TouchMutation): Buffer {
  return encodeRecord(noBody, version, expiresAt).subarray(recordExpiresAtOffset, recordHeaderBytes)
}

function incrementArgs({ by, initial, version, expiresAt }: IncrementMutation): readonly (string | Buffer)[] {
  return [String(by), String(initial), encodeRecord(noBody, version, expiresAt), millisecond(expiresAt)]
}

function conditionOf({ ifVersion }: Change): string | Buffer {
  if (ifVersion === undefined) return anyVersion
  return ifVersion === null ? '' : Buffer.from(ifVersion, 'hex')
}

function successOf({ type, version }: Change, [said]: readonly unknown[]): WriteResult {
  if (type === 'touch') return { version: (said as Buffer).toString('hex') }
  return type === 'increment' ? { version, value: Number(said) } : { version }
}

function conditionFailed(found: unknown): WriteResult {
  const version = (found as Buffer).toString('hex')
  return { conditionFailed: true, version: version === '' ? undefined : version }
}

/** As the record header has it: whole, and never 0, which Redis refuses. */
function millisecond(expiresAt: number | 'keep' | undefined): string {
  return typeof expiresAt === 'number' ? String(Math.max(1, Math.floor(expiresAt))) : ''
}

/** What is sent later must not change with what the caller holds. (`slice` of a Buffer would be a view.) */
export function withOwnValue(mutation: Change): Change {
  return mutation.type === 'set' ? { ...mutation, value: Buffer.from(mutation.value) } : mutation
}
