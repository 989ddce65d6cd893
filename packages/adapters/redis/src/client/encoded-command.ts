import type { Bytes, SetMutation } from '@unikv/core'
import { isMissingScript } from '../errors.ts'
import type { Format } from '../format.ts'
import type { Driver, EncodedConnection, RedisConnection } from './redis-client.ts'
import type { Script } from './redis-commands.ts'

/*
 * Commands that go to ioredis as bytes. It would encode a command with byte arguments in many small pieces, of
 * which each has been made and copied before: for a batch of records that is most of what a write costs the client.
 */

/** An argument of a command: text, a key behind the prefix of its dataset, or a set, which stands for what is stored for it. */
export type Argument = string | PrefixedKey | SetMutation<Bytes>

/** A key as it is stored, which need not be put together before it is encoded. */
export class PrefixedKey {
  readonly prefix: string
  readonly key: string

  constructor(prefix: string, key: string) {
    this.prefix = prefix
    this.key = key
  }

  toString(): string {
    return this.prefix + this.key
  }
}

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
  const room = roomFor(roomOf(name, args, bytesOf))
  room[0] = star
  let at = writeBulk(room, writeNumber(room, 1, args.length + 1), '', name)
  for (const arg of args) {
    if (typeof arg === 'string') at = writeBulk(room, at, '', arg)
    else if (arg instanceof PrefixedKey) at = writeBulk(room, at, arg.prefix, arg.key)
    else {
      room[at] = dollar
      const start = writeNumber(room, at + 1, bytesOf(arg))
      put(arg, room, start)
      at = writeEnd(room, start + bytesOf(arg))
    }
  }
  return room.subarray(0, at)
}

const [star, dollar, zero, carriageReturn, lineFeed] = [0x2a, 0x24, 0x30, 0x0d, 0x0a]
/** A length is a number of at most ten digits, between two other bytes and a line end; another end follows the string. */
const lengthBytes = 15

/** Bytes that suffice for a command: a UTF-16 unit has at most three. */
function roomOf(name: string, args: readonly Argument[], bytesOf: Format['bytesOf']): number {
  let bytes = 2 * lengthBytes + name.length
  for (const arg of args) {
    if (typeof arg === 'string') bytes += 3 * arg.length
    else bytes += arg instanceof PrefixedKey ? 3 * (arg.prefix.length + arg.key.length) : bytesOf(arg)
    bytes += lengthBytes
  }
  return bytes
}

/** Put a string of two parts where there is room for it; the result is the place after it. */
function writeBulk(room: Buffer, start: number, before: string, text: string): number {
  room[start] = dollar
  const first = writeNumber(room, start + 1, before.length + text.length)
  const middle = writeAscii(room, first, before)
  const end = middle < 0 ? -1 : writeAscii(room, middle, text)
  return end < 0 ? writeUtf8(room, start, before + text) : writeEnd(room, end)
}

/** Byte by byte, as most arguments are short: a call of the encoder takes longer than ten of them. -1: it is no ASCII. */
function writeAscii(room: Buffer, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return -1
    room[start + i] = unit
  }
  return start + text.length
}

function writeUtf8(room: Buffer, start: number, text: string): number {
  const at = writeNumber(room, start + 1, Buffer.byteLength(text))
  return writeEnd(room, at + room.write(text, at))
}

/** Put digits and a line end. */
function writeNumber(room: Buffer, start: number, number: number): number {
  let digits = 1
  for (let rest = number; rest > 9; rest = Math.trunc(rest / 10)) digits++
  for (let at = start + digits - 1, rest = number; at >= start; at--, rest = Math.trunc(rest / 10))
    room[at] = zero + (rest % 10)
  return writeEnd(room, start + digits)
}

function writeEnd(room: Buffer, at: number): number {
  room[at] = carriageReturn
  room[at + 1] = lineFeed
  return at + 2
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
