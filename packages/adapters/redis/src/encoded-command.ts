import type { Bytes, SetMutation } from '@unikv/core'
import type { Driver, EncodedConnection, RedisConnection } from './redis-client.ts'
import { isMissingScript } from './redis-errors.ts'
import type { Format } from './redis-format.ts'
import type { Script } from './redis-scripts.ts'

/*
 * Commands that go to ioredis as bytes. It would encode a command with byte arguments in many small pieces, of
 * which each has been made and copied before: for a batch of records that is most of what a write costs the client.
 */

/** An argument of a command: text, or a set, which stands for what is stored for it. */
export type Argument = string | SetMutation<Bytes>

/**
 * A command in the protocol of Redis: an array of strings, each after its length in bytes.
 *
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/#bulk-strings
 */
export function encodeCommand(
  name: string,
  args: readonly Argument[],
  { bytesOf, put }: Format,
  roomFor: (bytes: number) => Buffer = (bytes) => Buffer.allocUnsafe(bytes),
): Buffer {
  const texts: string[] = []
  const sets: SetMutation<Bytes>[] = []
  let text = `*${args.length + 1}\r\n${bulk(name)}`
  let length = 0
  for (const arg of args) {
    if (typeof arg === 'string') text += bulk(arg)
    else {
      const stored = bytesOf(arg)
      text += `$${stored}\r\n`
      length += Buffer.byteLength(text) + stored
      texts.push(text)
      sets.push(arg)
      text = '\r\n'
    }
  }
  const encoded = roomFor(length + Buffer.byteLength(text))
  let at = 0
  for (let i = 0; i < sets.length; i++) {
    const set = sets[i] as SetMutation<Bytes>
    at += encoded.write(texts[i] as string, at)
    put(set, encoded, at)
    at += bytesOf(set)
  }
  encoded.write(text, at)
  return encoded
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}

/**
 * Send a command that is encoded already, as `callBuffer` would send it otherwise. A script that the server has
 * forgotten is sent with its text. Errors and traces of ioredis know the name of the command and no arguments.
 */
export function sendEncoded(
  connection: EncodedConnection,
  driver: Driver,
  { name, script }: { readonly name: string; readonly script?: Script | undefined },
  encoded: Buffer,
): Promise<unknown> {
  const reply = send(connection, driver, name, encoded)
  if (script === undefined) return reply
  return reply.catch((error: unknown) => {
    if (!isMissingScript(error)) throw error
    return send(connection, driver, 'eval', withText(encoded, script))
  })
}

function send(
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

/** An encoded EVALSHA as the EVAL of the same script. */
function withText(encoded: Buffer, { sha, lua }: Script): Buffer {
  const known = bulk('evalsha') + bulk(sha)
  const at = encoded.indexOf(known)
  const text = Buffer.from(bulk('eval') + bulk(lua))
  return Buffer.concat([encoded.subarray(0, at), text, encoded.subarray(at + known.length)])
}

/**
 * Whether a connection sends just what a command says of itself: a client of the driver's own class does. A
 * subclass may look at arguments, a cluster does, and a monitor has a way of its own.
 */
export function takesEncoded(
  connection: RedisConnection,
  { Redis }: Driver,
): connection is EncodedConnection {
  return Object.getPrototypeOf(connection) === Redis.prototype && !Object.hasOwn(connection, 'sendCommand')
}
