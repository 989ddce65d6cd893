import type { Bytes, SetMutation, WriteResult } from '@unikv/core'
import { Scratch } from '@unikv/core/adapter'
import {
  type Argument,
  encodeCommand,
  PrefixedKey,
  sendEncoded,
  takesEncoded,
} from '../client/encoded-command.ts'
import { callBuffer, type RedisConnection } from '../client/redis-client.ts'
import { type Script, scripted } from '../client/redis-commands.ts'
import { checkOk, drop, listOf, UnexpectedReply, versionIn } from '../client/replies.ts'
import type { Dataset } from '../dataset.ts'
import { isMissingScript, translate } from '../errors.ts'
import type { Format } from '../format.ts'
import { millisecond, setExpiringScript } from './scripts.ts'

type Set = SetMutation<Bytes>

/** The path of nearly every write: sets that one command does, in one piece where the driver takes that. Never rejects. */
export function writeSets(
  connection: RedisConnection,
  sets: readonly Set[],
  { prefix, format, driver }: Dataset,
): Promise<readonly WriteResult[]> {
  const command = commandOf(sets, prefix)
  let scratch: Scratch | undefined
  const roomFor = (bytes: number): Buffer => {
    scratch = new Scratch(bytes)
    return scratch.take(bytes)
  }
  const reply =
    driver !== undefined && takesEncoded(connection, driver)
      ? sendEncoded(connection, driver, command, encodeCommand(command.name, command.args, format, roomFor))
      : sendParts(connection, command, format, roomFor)
  return reply.then(
    (said) => {
      // The server has read all of it. After an error the driver may hold it still.
      scratch?.release()
      try {
        checkSets(said, sets)
        return sets.map((set) => ({ version: format.versionOf(set) }))
      } catch (error) {
        drop(connection)
        return sets.map(() => translate(error, true))
      }
    },
    (error: unknown) => sets.map(() => translate(error, true)),
  )
}

/**
 * The answer to sets that one command does: `OK`, or of the script the version of the first.
 *
 * @throws {UnexpectedReply}
 */
export function checkSets(reply: unknown, sets: readonly Set[]): void {
  const [first] = sets as readonly [Set]
  if (!areScripted(sets)) return checkOk(reply)
  const [proof] = listOf(reply, 1)
  if (versionIn(proof) !== first.version) throw new UnexpectedReply('the version of the first set', proof)
}

/** MSET knows no expiry. */
function areScripted(sets: readonly Set[]): boolean {
  return sets.length > 1 && sets[0]?.expiresAt !== undefined
}

/** Send a command as its arguments. A script that the server has forgotten is sent with its text. */
function sendParts(
  connection: RedisConnection,
  { name, args, script }: SetsCommand,
  { bytesOf, put }: Format,
  roomFor: (bytes: number) => Buffer,
): Promise<unknown> {
  let bytes = 0
  for (const arg of args) if (isSet(arg)) bytes += bytesOf(arg)
  const room = roomFor(bytes)
  let at = 0
  const parts = args.map((arg) => {
    if (!isSet(arg)) return String(arg)
    put(arg, room, at)
    return room.subarray(at, (at += bytesOf(arg)))
  })
  const reply = callBuffer(connection, name, parts)
  if (script === undefined) return reply
  return reply.catch((error: unknown) => {
    if (!isMissingScript(error)) throw error
    return callBuffer(connection, 'eval', [script.lua, ...parts.slice(1)])
  })
}

/** Whether an argument stands for what is stored for it. */
export function isSet(arg: Argument): arg is Set {
  return typeof arg !== 'string' && !(arg instanceof PrefixedKey)
}

/** A command that does sets. */
interface SetsCommand {
  readonly name: string
  readonly args: readonly Argument[]
  readonly script?: Script
}

/** The one command for sets that are alike: all with expiry, or none. */
export function commandOf(sets: readonly Set[], prefix: string): SetsCommand {
  const [first] = sets as readonly [Set]
  const expires = first.expiresAt !== undefined
  const args: Argument[] = []
  if (areScripted(sets)) {
    for (const set of sets) args.push(set, millisecond(set.expiresAt))
    const keys = sets.map(({ key }) => new PrefixedKey(prefix, key))
    return scripted(setExpiringScript, keys, args)
  }
  for (const set of sets) args.push(new PrefixedKey(prefix, set.key), set)
  if (expires) args.push('PXAT', millisecond(first.expiresAt))
  return { name: sets.length === 1 ? 'set' : 'mset', args }
}
