import type { RedisConnection } from './redis-client.ts'

/*
 * The replies that this store understands. Anything else is an `UnexpectedReply`: a proxy that lies, a command that was
 * renamed, or a connection whose replies are out of step. No adapter code looks at a reply in another way.
 */

const versionBytes = 12
const expiryBytes = 6

/** A reply that does not fit its command. The outcome of a write is then unknown. */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply'

  constructor(expected: string, reply: unknown) {
    super(`Expected ${expected}, got ${kindOf(reply)}.`)
  }
}

/** A string, or nothing. */
export function bulkOrNull(reply: unknown): Buffer | null {
  if (reply === null || Buffer.isBuffer(reply)) return reply
  throw new UnexpectedReply('a string or null', reply)
}

/** A string. */
export function bulk(reply: unknown): Buffer {
  if (Buffer.isBuffer(reply)) return reply
  throw new UnexpectedReply('a string', reply)
}

/** Text, in any form that the driver gives it. */
export function textOf(reply: unknown): string {
  if (typeof reply === 'string') return reply
  return bulk(reply).toString()
}

/** An array of so many elements; without a count, of any number. */
export function listOf(reply: unknown, count?: number): readonly unknown[] {
  if (Array.isArray(reply) && (count === undefined || reply.length === count)) return reply
  throw new UnexpectedReply(count === undefined ? 'an array' : `an array of ${count}`, reply)
}

/** `OK`. */
export function checkOk(reply: unknown): void {
  const isOk = Buffer.isBuffer(reply) ? reply.length === 2 && reply.toString() === 'OK' : reply === 'OK'
  if (!isOk) throw new UnexpectedReply('OK', reply)
}

/** A whole number from 0 up to `most`. Some clients are told to give numbers as text. */
export function countOf(reply: unknown, most: number): number {
  const count = typeof reply === 'string' && /^\d+$/.test(reply) ? Number(reply) : reply
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0 && count <= most) return count
  throw new UnexpectedReply(`a number up to ${most}`, reply)
}

/** A safe integer as its decimal text. */
export function integerIn(reply: unknown): number {
  const text = textOf(reply)
  const number = Number(text)
  if (/^-?\d{1,16}$/.test(text) && Number.isSafeInteger(number)) return number
  throw new UnexpectedReply('the text of an integer', reply)
}

/** The 12 bytes of a version, as it is told. */
export function versionIn(reply: unknown): string {
  const bytes = bulk(reply)
  if (bytes.length === versionBytes) return bytes.toString('hex')
  throw new UnexpectedReply('a version', reply)
}

/** The 6 bytes of an expiry, as the record header has it; `undefined`: never. */
export function expiryIn(reply: unknown): number | undefined {
  const bytes = bulk(reply)
  if (bytes.length !== expiryBytes) throw new UnexpectedReply('an expiry', reply)
  return bytes.readUIntBE(0, expiryBytes) || undefined
}

/** Drop a connection whose replies may be out of step with its commands; what waits on it is told. */
export function drop({ stream }: RedisConnection): void {
  stream?.destroy(new Error('The server sent a reply that does not fit the command.'))
}

/** Kind of the reply, without its content. */
function kindOf(reply: unknown): string {
  if (reply === null) return 'null'
  if (Buffer.isBuffer(reply) || typeof reply === 'string') return `a string of ${reply.length} bytes`
  return Array.isArray(reply) ? `an array of ${reply.length}` : `a ${typeof reply}`
}
