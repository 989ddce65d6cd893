import type {
  Bytes,
  IncrementMutation,
  Mutation,
  SetMutation,
  TouchMutation,
  Version,
  WriteResult,
} from '@unikv/core'
import { encodeRecord, recordExpiresAtOffset, recordHeaderBytes } from '@unikv/core/adapter'
import { encodeCommand, PrefixedKey, sendEncoded, takesEncoded } from './encoded-command.ts'
import type { Lane } from './lane.ts'
import { callBuffer, type RedisConnection } from './redis-client.ts'
import { type Command, perform, scripted } from './redis-commands.ts'
import { deltaScriptOf, isDeltaSet } from './redis-deltas.ts'
import { translate } from './redis-errors.ts'
import { type Format, storedBytes } from './redis-format.ts'
import { apart } from './redis-read.ts'
import {
  anyVersion,
  deleteScript,
  incrementScript,
  type Script,
  setScript,
  touchScript,
} from './redis-scripts.ts'
import { commandOf, isSet, millisecond, writeSets } from './redis-sets.ts'

type Change = Mutation<Bytes>
type Changes = readonly Change[]
type Set = SetMutation<Bytes>

/** Send mutations to one server in one round trip. Never rejects. */
export function writeTo(
  connection: RedisConnection,
  mutations: Changes,
  lane: Lane,
): Promise<readonly WriteResult[]> {
  if ((lane.manyKeys || mutations.length === 1) && areAlike(mutations))
    return writeSets(connection, mutations, lane)
  if (mutations.length === 1 && kindOf(mutations[0] as Change) === 'deletes')
    return unlinkOne(connection, mutations[0] as Change, lane)
  return perform(connection, writeCommands(mutations, lane), (error): WriteResult => translate(error, true))
}

/** The path of nearly every delete: one command, one promise. */
function unlinkOne(
  connection: RedisConnection,
  mutation: Change,
  { prefix, format, driver }: Lane,
): Promise<readonly WriteResult[]> {
  const key = new PrefixedKey(prefix, mutation.key)
  const reply =
    driver !== undefined && takesEncoded(connection, driver)
      ? sendEncoded(connection, driver, { name: 'unlink' }, encodeCommand('unlink', [key], format))
      : callBuffer(connection, 'unlink', [String(key)])
  return reply.then(
    () => [{ version: format.versionOf(mutation) }],
    (error: unknown) => [translate(error, true)],
  )
}

/** Whether one command sets them all: those with expiry, or those without. */
function areAlike(mutations: Changes): mutations is readonly Set[] {
  const [first] = mutations
  const kind = first && kindOf(first)
  return (kind === 'lasting' || kind === 'expiring') && mutations.every((one) => kindOf(one) === kind)
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
    ...apart(lasting, lane, (items) => setsCommand(mutations, items, lane)),
    ...apart(expiring, lane, (items) => setsCommand(mutations, items, lane)),
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

function setsCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Lane,
): Command<WriteResult> {
  const sets = items.map((item) => mutations[item] as Set)
  const command = commandOf(sets, prefix)
  const args = command.args.map((arg) => (isSet(arg) ? storedBytes(arg, format) : String(arg)))
  return { ...command, args, items, resultOf: written(mutations, items, format.versionOf) }
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
  const [script, args] = scriptOf(mutation, format)
  return {
    ...scripted(script, [prefix + mutation.key], [conditionOf(mutation), ...args]),
    items: [item],
    resultOf: (reply) => (Array.isArray(reply) ? successOf(mutation, reply) : conditionFailed(reply)),
  }
}

function scriptOf(mutation: Change, format: Format): readonly [Script, readonly (string | Buffer)[]] {
  if (isDeltaSet(mutation)) return deltaScriptOf(mutation)
  switch (mutation.type) {
    case 'set':
      return [
        setScript,
        [
          storedBytes(mutation, format),
          mutation.expiresAt === 'keep' ? 'keep' : millisecond(mutation.expiresAt),
        ],
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
