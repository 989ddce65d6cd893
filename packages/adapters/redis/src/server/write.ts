import type { Bytes, IncrementMutation, Mutation, SetMutation, TouchMutation, WriteResult } from '@unikv/core'
import { encodeRecord, recordExpiresAtOffset, recordHeaderBytes, versionBytes } from '@unikv/core/adapter'
import { type Command, perform, scripted } from '../client/commands.ts'
import { type Argument, PrefixedKey, type Script, type Sent } from '../client/encoded-command.ts'
import type { RedisConnection } from '../client/redis-client.ts'
import {
  bulk,
  checkOk,
  countOf,
  expiryIn,
  integerIn,
  listOf,
  textOf,
  UnexpectedReply,
  versionIn,
} from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { translate } from '../errors.ts'
import type { Format } from '../format.ts'
import { deltaScriptOf } from './deltas.ts'
import {
  conditionOf,
  deleteManyScript,
  deleteScript,
  incrementScript,
  millisecond,
  setExpiringScript,
  setScript,
  touchScript,
} from './scripts.ts'

type Change = Mutation<Bytes>
type Changes = readonly Change[]
type Set = SetMutation<Bytes>

/** Send mutations to one server in one round trip. Never rejects. */
export function writeTo(
  connection: RedisConnection,
  mutations: Changes,
  dataset: Dataset,
): Promise<readonly WriteResult[]> {
  const commands = writeCommands(mutations, dataset)
  return perform(connection, commands, dataset, (error): WriteResult => translate(error, true))
}

/**
 * Unconditional sets become one MSET, those with expiry one script, unconditional deletes one script (of foreign bytes one
 * UNLINK); everything that looks at the record first is a script of its own.
 */
function writeCommands(mutations: Changes, dataset: Dataset): readonly Command<WriteResult>[] {
  const [first] = mutations as readonly [Change]
  // Nearly every call: nothing is sorted.
  if (mutations.length === 1) return [makers[kindOf(first)](mutations, [0], dataset)]
  const sorted: { lasting?: number[]; expiring?: number[]; deletes?: number[]; alone?: number[] } = {}
  for (let i = 0; i < mutations.length; i++) (sorted[kindOf(mutations[i] as Change)] ??= []).push(i)
  return (Object.keys(sorted) as Kind[]).flatMap((kind) => {
    const items = sorted[kind] as readonly number[]
    const make = (some: readonly number[]) => makers[kind](mutations, some, dataset)
    return kind === 'alone' || !dataset.manyKeys ? items.map((item) => make([item])) : make(items)
  })
}

type Kind = 'lasting' | 'expiring' | 'deletes' | 'alone'

/** Makes the command of some mutations of one kind. */
type Maker = (mutations: Changes, items: readonly number[], dataset: Dataset) => Command<WriteResult>

const makers: { readonly [K in Kind]: Maker } = {
  lasting: setsCommand,
  expiring: setsCommand,
  deletes: deletesCommand,
  alone: scriptCommand,
}

function kindOf(mutation: Change): Kind {
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
  const { name, args, script } = commandOf(sets, prefix)
  const resultsOf = (reply: unknown): readonly WriteResult[] => {
    if (script === undefined) checkOk(reply)
    else checkVersion(listOf(reply, 1)[0], sets[0] as Set)
    return sets.map((set) => ({ version: format.versionOf(set) }))
  }
  // Not by a spread, which takes a microsecond.
  return { name, args, script, items, resultsOf }
}

/** The one command for sets that are alike: all with expiry, or none. MSET knows no expiry. */
export function commandOf(sets: readonly Set[], prefix: string): Sent {
  const [{ expiresAt }] = sets as readonly [Set]
  if (sets.length > 1 && expiresAt !== undefined)
    return scripted(
      setExpiringScript,
      sets.map(({ key }) => new PrefixedKey(prefix, key)),
      sets.flatMap((set) => [set, millisecond(set.expiresAt)]),
    )
  const args: Argument[] = []
  for (const set of sets) args.push(new PrefixedKey(prefix, set.key), set)
  if (expiresAt !== undefined) args.push('PXAT', millisecond(expiresAt))
  return { name: sets.length === 1 ? 'set' : 'mset', args }
}

/** The server proves what it did by the version of the first mutation. */
function checkVersion(proof: unknown, { version }: Change): void {
  if (versionIn(proof) !== version) throw new UnexpectedReply('the version of the mutation', proof)
}

function deletesCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix, format }: Dataset,
): Command<WriteResult> {
  const deletes = items.map((item) => mutations[item] as Change)
  const keys = deletes.map(({ key }) => new PrefixedKey(prefix, key))
  if (deletes.length > 1 && format.header) {
    const resultsOf = (reply: unknown): readonly WriteResult[] => {
      const found = foundBy(reply, deletes)
      return deletes.map((mutation, n) => deleted(mutation, found[n] === '1', format))
    }
    return {
      ...scripted(deleteManyScript, keys, [versionBytes((deletes[0] as Change).version)]),
      items,
      resultsOf,
    }
  }
  const resultsOf = (reply: unknown): readonly WriteResult[] => {
    const existed = countOf(reply, deletes.length) > 0
    return deletes.map((mutation) => deleted(mutation, existed, format))
  }
  return { name: 'unlink', args: keys, items, resultsOf }
}

/** Findings of the script that deletes many: a digit for each key. */
function foundBy(reply: unknown, deletes: Changes): string {
  const [proof, said] = listOf(reply, 2)
  checkVersion(proof, deletes[0] as Change)
  const found = textOf(said)
  if (found.length !== deletes.length || !/^[01]+$/.test(found))
    throw new UnexpectedReply('a digit for each key', said)
  return found
}

/** A delete that took effect. The server tells only how many there were of many foreign bytes. */
function deleted(mutation: Change, existed: boolean, { header, versionOf }: Format): WriteResult {
  return header ? { version: mutation.version, existed } : { version: versionOf(mutation) }
}

/** A mutation that looks at the record before it changes it. */
function scriptCommand(
  mutations: Changes,
  items: readonly number[],
  { prefix }: Dataset,
): Command<WriteResult> {
  const mutation = mutations[items[0] as number] as Change
  const [script, args] = scriptOf(mutation)
  const key = new PrefixedKey(prefix, mutation.key)
  return {
    ...scripted(script, [key], [conditionOf(mutation.ifVersion), ...args]),
    items,
    resultsOf: (reply) => [
      Array.isArray(reply) ? successOf(mutation, reply) : conditionFailed(mutation, reply),
    ],
  }
}

function scriptOf(mutation: Change): readonly [Script, readonly Argument[]] {
  switch (mutation.type) {
    case 'set':
      return deltaScriptOf(mutation) ?? [setScript, [mutation, millisecond(mutation.expiresAt)]]
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

/** How many things the script of each kind of mutation answers. */
const answers = { set: 1, delete: 1, touch: 2, increment: 3 } as const

/** The answer of a script that did it: only it can know the version of the mutation. */
function successOf(mutation: Change, reply: readonly unknown[]): WriteResult {
  const { type, version, ifVersion } = mutation
  const [proof, said, expiry] = listOf(reply, answers[type])
  checkVersion(proof, mutation)
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
