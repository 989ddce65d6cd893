import type { Bytes, SetMutation } from '@unikv/core'
import type { Format } from '../format.ts'

/*
 * Commands that go to ioredis as bytes. It would encode a command with byte arguments in many small pieces, of
 * which each has been made and copied before: for a batch of records that is most of what a write costs the client.
 */

/** An argument of a command: text, bytes, a key behind the prefix of its dataset, or a set, which stands for what is stored for it. */
export type Argument = string | Buffer | PrefixedKey | SetMutation<Bytes>

/** A Lua script; servers know it by its SHA-1. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** A name with its arguments, on its way to a server. */
export interface Sent {
  readonly name: string
  readonly args: readonly Argument[]
  /** For EVALSHA: the script, should the server not know it. */
  readonly script?: Script | undefined
}

/** Whether an argument stands for what is stored for it. */
export function isSet(arg: Argument): arg is SetMutation<Bytes> {
  return typeof arg !== 'string' && !(arg instanceof PrefixedKey) && !Buffer.isBuffer(arg)
}

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
 * A command in the protocol of Redis: an array of strings, each after its length in bytes. It is put where there are `roomOf` bytes.
 *
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/#bulk-strings
 */
export function encodeCommand({ name, args }: Sent, format: Format, room: Buffer): Buffer {
  room[0] = star
  let at = writeBulk(room, writeNumber(room, 1, args.length + 1), '', name)
  for (const arg of args) {
    if (typeof arg === 'string') at = writeBulk(room, at, '', arg)
    else if (arg instanceof PrefixedKey) at = writeBulk(room, at, arg.prefix, arg.key)
    else at = writeBytes(room, at, arg, format)
  }
  return room.subarray(0, at)
}

function writeBytes(room: Buffer, at: number, arg: Buffer | SetMutation<Bytes>, format: Format): number {
  room[at] = dollar
  const length = lengthOf(arg, format)
  const start = writeNumber(room, at + 1, length)
  if (isSet(arg)) format.put(arg, room, start)
  else room.set(arg, start)
  return writeEnd(room, start + length)
}

const [star, dollar, zero, carriageReturn, lineFeed] = [0x2a, 0x24, 0x30, 0x0d, 0x0a]
/** A length is a number of at most ten digits, between two other bytes and a line end; another end follows the string. */
const lengthBytes = 15

/** Bytes that suffice for a command: a UTF-16 unit has at most three. */
export function roomOf({ name, args }: Sent, format: Format): number {
  let bytes = 2 * lengthBytes + name.length
  for (const arg of args) {
    if (typeof arg === 'string') bytes += 3 * arg.length
    else if (arg instanceof PrefixedKey) bytes += 3 * (arg.prefix.length + arg.key.length)
    else bytes += lengthOf(arg, format)
    bytes += lengthBytes
  }
  return bytes
}

function lengthOf(arg: Buffer | SetMutation<Bytes>, { bytesOf }: Format): number {
  return isSet(arg) ? bytesOf(arg) : arg.length
}

/** Put a string of two parts where there is room for it; the result is the place after it. */
function writeBulk(room: Buffer, start: number, before: string, text: string): number {
  room[start] = dollar
  const first = writeNumber(room, start + 1, before.length + text.length)
  const middle = writeAscii(room, first, before)
  const end = middle < 0 ? -1 : writeAscii(room, middle, text)
  return end < 0 ? writeUtf8(room, start, before + text) : writeEnd(room, end)
}

/** Byte by byte, as most arguments are short: a call of the encoder takes longer than ten of them. -1: it is not ASCII. */
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

/** An encoded EVALSHA as the EVAL of the same script. */
export function withText(encoded: Buffer, { sha, lua }: Script): Buffer {
  const known = bulk('evalsha') + bulk(sha)
  const at = encoded.indexOf(known)
  const text = Buffer.from(bulk('eval') + bulk(lua))
  return Buffer.concat([encoded.subarray(0, at), text, encoded.subarray(at + known.length)])
}
