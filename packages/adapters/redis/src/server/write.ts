import type {
  Bytes,
  IncrementMutation,
  Mutation,
  SetMutation,
  TouchMutation,
  Version,
  WriteResult,
} from '@unikv/core'
import { encodeRecord, recordExpiresAtOffset, recordHeaderBytes, versionBytes } from '@unikv/core/adapter'
import { encodeCommand, PrefixedKey, sendEncoded, takesEncoded } from '../client/encoded-command.ts'
import { callBuffer, type RedisConnection } from '../client/redis-client.ts'
import { type Command, perform, type Script, scripted } from '../client/redis-commands.ts'
import {
  bulk,
  countOf,
  drop,
  expiryIn,
  integerIn,
  listOf,
  textOf,
  UnexpectedReply,
  versionIn,
} from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { translate } from '../errors.ts'
import { type Format, storedBytes } from '../format.ts'
import { deltaScriptOf } from './deltas.ts'
import { apart } from './read.ts'
import {
  anyVersion,
  deleteManyScript,
  deleteScript,
  incrementScript,
  millisecond,
  setScript,
  touchScript,
} from './scripts.ts'
import { checkSets, commandOf, isSet, writeSets } from './sets.ts'

type Change = Mutation<Bytes>
type Changes = readonly Change[]
type Set = SetMutation<Bytes>

/** Send mutations to one server in one round trip. Never rejects. */
export function writeTo(
  connection: RedisConnection,
  mutations: Changes,
  dataset: Dataset,
): Promise<readonly WriteResult[]> {
  if ((dataset.manyKeys || mutations.length === 1) && areAlike(mutations))
    return writeSets(connection, mutations, dataset)
  if (mutations.length === 1 && kindOf(mutations[0] as Change) === 'deletes')
    return unlinkOne(connection, mutations[0] as Change, dataset)
  return perform(
    connection,
    writeCommands(mutations, dataset),
    (error): WriteResult => translate(error, true),
  )
}

/** The path of nearly every delete: one command, one promise. */
function unlinkOne(
  connection: RedisConnection,
  mutation: Change,
  { prefix, format, driver }: Dataset,
): Promise<readonly WriteResult[]> {
  const key = new PrefixedKey(prefix, mutation.key)
  const reply =
    driver !== undefined && takesEncoded(connection, driver)
      ? sendEncoded(connection, driver, { name: 'unlink' }, encodeCommand('unlink', [key], format))
      : callBuffer(connection, 'unlink', [String(key)])
  return reply.then(
    (count) => {
      try {
        return [deleted(mutation, countOf(count, 1) === 1, format)]
      } catch (error) {
        drop(connection)
        return [translate(error, true)]
      }
    },
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
 * Unconditional sets become one MSET, those with expiry one script, unconditional deletes one script (of foreign bytes one
 * UNLINK); everything that looks at the record first is a script of its own.
 */
function writeCommands(mutations: Changes, dataset: Dataset): readonly Command<WriteResult>[] {
  const lasting: number[] = []
  const expiring: number[] = []
  const deletes: number[] = []
  const alone: number[] = []
  const kinds = { lasting, expiring, deletes, alone }
  for (const [i, mutation] of mutations.entries()) kinds[kindOf(mutation)].push(i)
  return [
    ...apart(lasting, dataset, (items) => setsCommand(mutations, items, dataset)),
    ...apart(expiring, dataset, (items) => setsCommand(mutations, items, dataset)),
    ...apart(deletes, dataset, (items) => deletesCommand(mutations, items, dataset)),
    ...alone.map((item) => scriptCommand(mutations[item] as Change, item, dataset)),
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
  { prefix, format }: Dataset,
): Command<WriteResult> {
  const sets = items.map((item) => mutations[item] as Set)
  const command = commandOf(sets, prefix)
  const args = command.args.map((arg) => (isSet(arg) ? storedBytes(arg, format) : String(arg)))
  const check = (reply: unknown): void => checkSets(reply, sets)
  return { ...command, args, items, resultOf: written(mutations, items, format.versionOf, check) }
}

function deletesCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Dataset,
): Command<WriteResult> {
  const keys = items.map((item) => prefix + (mutations[item] as Change).key)
  const mutationOf = (n: number): Change => mutations[items[n] as number] as Change
  if (items.length > 1 && format.header) {
    const { version } = mutationOf(0)
    const resultOf = (reply: unknown, n: number): WriteResult =>
      deleted(mutationOf(n), foundBy(reply, version, items.length)[n] === '1', format)
    return { ...scripted(deleteManyScript, keys, [versionBytes(version)]), items, resultOf }
  }
  const resultOf = (reply: unknown, n: number): WriteResult =>
    deleted(mutationOf(n), countOf(reply, items.length) > 0, format)
  return { name: 'unlink', args: keys, items, resultOf }
}

/** Findings of the script that deletes many: a digit for each key. */
function foundBy(reply: unknown, version: Version, count: number): string {
  const [proof, said] = listOf(reply, 2)
  if (versionIn(proof) !== version) throw new UnexpectedReply('the version of the first delete', proof)
  const found = textOf(said)
  if (found.length !== count || !/^[01]+$/.test(found))
    throw new UnexpectedReply('a digit for each key', said)
  return found
}

/** A delete that took effect. The server tells only how many there were of many foreign bytes. */
function deleted(mutation: Change, existed: boolean, { header, versionOf }: Format): WriteResult {
  return header ? { version: mutation.version, existed } : { version: versionOf(mutation) }
}

function written(
  mutations: Changes,
  items: readonly number[],
  versionOf: (mutation: Change) => Version | undefined,
  check: (reply: unknown) => void,
): (reply: unknown, n: number) => WriteResult {
  return (reply, n) => {
    check(reply)
    return { version: versionOf(mutations[items[n] as number] as Change) }
  }
}

/** A mutation that looks at the record before it changes it. */
function scriptCommand(mutation: Change, item: number, { prefix, format }: Dataset): Command<WriteResult> {
  const [script, args] = scriptOf(mutation, format)
  return {
    ...scripted(script, [prefix + mutation.key], [conditionOf(mutation), ...args]),
    items: [item],
    resultOf: (reply) =>
      Array.isArray(reply) ? successOf(mutation, reply) : conditionFailed(mutation, reply),
  }
}

function scriptOf(mutation: Change, format: Format): readonly [Script, readonly (string | Buffer)[]] {
  switch (mutation.type) {
    case 'set':
      return (
        deltaScriptOf(mutation) ?? [
          setScript,
          [
            storedBytes(mutation, format),
            mutation.expiresAt === 'keep' ? 'keep' : millisecond(mutation.expiresAt),
          ],
        ]
      )
    case 'delete':
      return [deleteScript, [versionBytes(mutation.version)]]
    case 'touch':
      return [
        touchScript,
        [expiryBytes(mutation), millisecond(mutation.expiresAt), versionBytes(mutation.version)],
      ]
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

/** How many things the script of each kind of mutation answers. */
const answers = { set: 1, delete: 1, touch: 2, increment: 3 } as const

/** The answer of a script that did it: only it can know the version of the mutation. */
function successOf({ type, version, ifVersion }: Change, reply: readonly unknown[]): WriteResult {
  const [proof, said, expiry] = listOf(reply, answers[type])
  if (versionIn(proof) !== version) throw new UnexpectedReply('the version of the mutation', proof)
  if (type === 'touch') return { version: versionIn(said) }
  if (type === 'delete') return { version, existed: ifVersion !== null }
  return type === 'increment' ? { version, value: integerIn(said), expiresAt: expiryIn(expiry) } : { version }
}

/** The answer of a script whose condition did not hold: the version that it found, `''` for none. */
function conditionFailed({ type, ifVersion }: Change, reply: unknown): WriteResult {
  const found = bulk(reply)
  const version = found.length === 0 ? undefined : versionIn(found)
  const isOther = ifVersion !== undefined && (ifVersion ?? undefined) !== version
  const isNothingToTouch = type === 'touch' && version === undefined
  if (!isOther && !isNothingToTouch) throw new UnexpectedReply('an array', reply)
  return { conditionFailed: true, version }
}
