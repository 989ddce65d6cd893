import { Scratch } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import type { Dataset } from '../dataset.ts'
import { isMissingScript } from '../errors.ts'
import { type Format, storedBytes } from '../format.ts'
import {
  type Argument,
  encodeCommand,
  isSet,
  roomOf,
  type Script,
  type Sent,
  withText,
} from './encoded-command.ts'
import { callBuffer, type Driver, type EncodedConnection, type RedisConnection } from './redis-client.ts'
import { drop } from './replies.ts'

/** A command of the Redis protocol, for some items of a batch. */
export interface Command<R> extends Sent {
  /** The items of the batch that it serves. */
  readonly items: readonly number[]
  /**
   * Meaning of its reply for each of them.
   *
   * @throws {UnexpectedReply}
   */
  readonly resultsOf: (reply: unknown) => readonly R[]
}

/** The name and arguments of a command that runs a script. */
export function scripted(script: Script, keys: readonly Argument[], args: readonly Argument[]): Sent {
  return { name: 'evalsha', args: [script.sha, String(keys.length), ...keys, ...args], script }
}

/**
 * Run the commands of a batch on one server in one round trip, and place what they say item by item. An item
 * that got an error instead of a reply gets `failed(error)`. Never rejects.
 *
 * A script that the server has forgotten (restart, SCRIPT FLUSH) is sent with its text in a second round trip.
 */
export function perform<R>(
  connection: RedisConnection,
  commands: readonly Command<R>[],
  dataset: Dataset,
  failed: (error: Error) => R,
): Promise<readonly R[]> {
  const [only] = commands
  if (only === undefined || commands.length > 1) return together(connection, commands, dataset, failed)
  const bytes = roomOf(only, dataset.format)
  const scratch = new Scratch(bytes)
  // The path of nearly every call: one promise.
  return send(connection, only, dataset, scratch.take(bytes)).then(
    (reply) => {
      // The server has read all of it. After an error the driver may hold it still.
      scratch.release()
      return understood(connection, only, reply, failed)
    },
    (error: unknown) => understood(connection, only, errorOf(error), failed),
  )
}

async function together<R>(
  connection: RedisConnection,
  commands: readonly Command<R>[],
  { format }: Dataset,
  failed: (error: Error) => R,
): Promise<readonly R[]> {
  const results: R[] = []
  const sent = commands.map((command) => partsOf(command, format))
  for (const [i, reply] of (await exchange(connection, sent)).entries()) {
    const command = commands[i] as Command<R>
    const found = understood(connection, command, reply, failed)
    for (const [n, item] of command.items.entries()) results[item] = found[n] as R
  }
  return results
}

function understood<R>(
  connection: RedisConnection,
  { items, resultsOf }: Command<R>,
  reply: unknown,
  failed: (error: Error) => R,
): readonly R[] {
  if (isError(reply)) return items.map(() => failed(reply))
  try {
    return resultsOf(reply)
  } catch (error) {
    drop(connection)
    return items.map(() => failed(error as Error))
  }
}

function errorOf(error: unknown): Error {
  return isError(error) ? error : new Error(String(error))
}

/** Send one command: in one piece where the driver takes that. */
function send(
  connection: RedisConnection,
  command: Sent,
  { format, driver }: Dataset,
  room: Buffer,
): Promise<unknown> {
  if (driver === undefined || !takesEncoded(connection, driver))
    return sendParts(connection, partsOf(command, format, room))
  const { name, script } = command
  const encoded = encodeCommand(command, format, room)
  const reply = sendEncoded(connection, driver, name, encoded)
  if (script === undefined) return reply
  return reply.catch((error: unknown) => {
    if (!isMissingScript(error)) throw error
    return sendEncoded(connection, driver, 'eval', withText(encoded, script))
  })
}

/** Send one command as its arguments. */
export function sendParts(connection: RedisConnection, command: Parts): Promise<unknown> {
  const reply = callBuffer(connection, command.name, command.parts)
  if (command.script === undefined) return reply
  return reply.catch((error: unknown) => {
    if (!isMissingScript(error)) throw error
    return sendParts(connection, inText(command))
  })
}

function partsOf({ name, args, script }: Sent, format: Format, room?: Buffer): Parts {
  let at = 0
  const parts = args.map((arg) => {
    if (isSet(arg)) return storedBytes(arg, format, room?.subarray(at, (at += format.bytesOf(arg))))
    return Buffer.isBuffer(arg) ? arg : String(arg)
  })
  return { name, script, parts }
}

/** Send several commands together. Replies and errors, aligned with them. */
async function exchange(
  connection: RedisConnection,
  commands: readonly Parts[],
): Promise<readonly unknown[]> {
  try {
    const pipeline = connection.pipeline()
    for (const { name, parts } of commands) pipeline.callBuffer(name, parts)
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => error ?? reply)
    const isForgotten = (i: number) => commands[i]?.script !== undefined && isMissingScript(replies[i])
    const forgotten = commands.filter((_, i) => isForgotten(i))
    if (forgotten.length === 0) return replies
    const again = (await exchange(connection, forgotten.map(inText))).values()
    return replies.map((reply, i) => (isForgotten(i) ? again.next().value : reply))
  } catch (error) {
    return commands.map(() => errorOf(error))
  }
}

/** A command whose arguments are as the drivers take them. */
interface Parts extends Pick<Sent, 'name' | 'script'> {
  readonly parts: (string | Buffer)[]
}

/** The same script with its text. */
function inText({ script, parts }: Parts): Parts {
  return { name: 'eval', parts: [script?.lua ?? '', ...parts.slice(1)] }
}

/**
 * Send a command that is encoded already, as `callBuffer` would send it otherwise. Errors and traces of ioredis know
 * the name of the command and no arguments.
 */
function sendEncoded(
  connection: EncodedConnection,
  { Redis }: Driver,
  name: string,
  encoded: Buffer,
): Promise<unknown> {
  // Made without its name: what an application does to the arguments of its own commands must not meet none.
  const command = new Redis.Command('', [], { replyEncoding: null })
  command.name = name
  command.toWritable = () => encoded
  return connection.sendCommand(command) as Promise<unknown>
}

/**
 * Whether a connection sends just what a command says of itself: a client of the driver's own class does. A
 * subclass may look at arguments, a cluster does, and a monitor has a way of its own.
 */
function takesEncoded(connection: RedisConnection, { Redis }: Driver): connection is EncodedConnection {
  return Object.getPrototypeOf(connection) === Redis.prototype && !Object.hasOwn(connection, 'sendCommand')
}
