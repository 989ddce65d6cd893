import type { Bytes, GroupEntry, GroupRange } from '@unikv/core'
import { compareKeys, type Fate, StoreError } from '@unikv/core/adapter'

/*
 * A whole group in one record:
 *
 *   0   1  magic 0xd7
 *   1   1  format 1
 *   2   8  token of its birth: another one tells that the group was forgotten in between
 *   10  6  number of commits, unsigned big-endian
 *   16  6  time of the last commit in milliseconds since the epoch, unsigned big-endian
 *   22  1  number of tokens
 *   23  8  each token, that of the last commit first
 *   …   4  number of entries, then for each: 2 bytes length of the key, 4 bytes length of the value, key, value
 */

const head = Buffer.from([0xd7, 1])
const tokenBytes = 8
const tokensAt = 23
/** How many commits a record remembers. */
const keptTokens = 8
const entryHead = 6

/** The group that a record holds. */
export interface GroupRecord {
  readonly birth: string
  /** How often it was committed. */
  readonly commits: number
  /** Wall-clock time of the last commit in milliseconds. */
  readonly changedAt: number
  /** Tokens of the last commits, the last one first. */
  readonly tokens: readonly string[]
  /** Values by key, in the order of keys. */
  readonly entries: ReadonlyMap<string, Bytes>
}

/** The group after its next commit. */
export function nextRecord(
  before: GroupRecord | undefined,
  entries: ReadonlyMap<string, Bytes>,
  token: string,
  now: number,
): GroupRecord {
  return {
    birth: before?.birth ?? token,
    commits: (before?.commits ?? 0) + 1,
    changedAt: now,
    tokens: [token, ...(before?.tokens ?? [])].slice(0, keptTokens),
    entries,
  }
}

/**
 * The fate of a commit with this token, judged by a record of the group that was read after it. `before` is the record that it would
 * have replaced: so it is the commit with the next number, or never was one. Without it the commit would have made the group.
 */
export function fateOf(later: GroupRecord | undefined, token: string, before: GroupRecord | undefined): Fate {
  if (before === undefined) return later?.birth === token ? 'committed' : 'forgotten'
  if (later?.birth !== before.birth) return 'forgotten'
  const since = later.commits - before.commits
  if (since < 1) return 'too early'
  if (since > later.tokens.length) return 'forgotten'
  return later.tokens[since - 1] === token ? 'committed' : 'not committed'
}

/** The bytes of a group. */
export function encodeGroup(record: GroupRecord): Buffer {
  const entries = [...record.entries].map(([key, value]) => ({ key: Buffer.from(key), value }))
  const size = entries.reduce((sum, { key, value }) => sum + entryHead + key.length + value.length, 0)
  const bytes = Buffer.alloc(tokensAt + record.tokens.length * tokenBytes + 4 + size)
  head.copy(bytes)
  bytes.write(record.birth, 2, 'hex')
  bytes.writeUIntBE(record.commits, 10, 6)
  bytes.writeUIntBE(Math.max(0, Math.floor(record.changedAt)), 16, 6)
  bytes[22] = record.tokens.length
  let at = tokensAt
  for (const token of record.tokens) at += bytes.write(token, at, 'hex')
  at = bytes.writeUInt32BE(entries.length, at)
  for (const { key, value } of entries) {
    at = bytes.writeUInt16BE(key.length, at)
    at = bytes.writeUInt32BE(value.length, at)
    at += key.copy(bytes, at)
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}

/**
 * The group of this name in these bytes. Values are views of them.
 *
 * @throws {StoreError} `CORRUPT`
 */
export function decodeGroup(stored: Bytes, name: string): GroupRecord {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  if (!bytes.subarray(0, 2).equals(head)) throw new ForeignRecord(name)
  try {
    return readGroup(bytes)
  } catch (cause) {
    const message =
      'The record of a group of entities is cut or changed. Put it back from a backup, or delete it by its key in the KeyValue.'
    throw new StoreError('CORRUPT', message, { key: name, cause })
  }
}

function readGroup(bytes: Buffer): GroupRecord {
  const count = bytes.readUInt8(22)
  const tokens = Array.from({ length: count }, (_, i) => tokenAt(bytes, tokensAt + i * tokenBytes))
  let at = tokensAt + count * tokenBytes
  const entries = new Map<string, Bytes>()
  const length = bytes.readUInt32BE(at)
  at += 4
  for (let i = 0; i < length; i++) {
    const keyEnd = at + entryHead + bytes.readUInt16BE(at)
    const end = keyEnd + bytes.readUInt32BE(at + 2)
    if (end > bytes.length) throw new RangeError('an entry ends after the record')
    entries.set(bytes.toString('utf8', at + entryHead, keyEnd), bytes.subarray(keyEnd, end))
    at = end
  }
  if (at !== bytes.length) throw new RangeError('there are bytes after the last entry')
  const [commits, changedAt] = [bytes.readUIntBE(10, 6), bytes.readUIntBE(16, 6)]
  return { birth: tokenAt(bytes, 2), commits, changedAt, tokens, entries }
}

function tokenAt(bytes: Buffer, at: number): string {
  const token = bytes.toString('hex', at, at + tokenBytes)
  if (token.length !== 2 * tokenBytes) throw new RangeError('a token ends after the record')
  return token
}

/** A record in the place of a group that something else has written. */
export class ForeignRecord extends StoreError {
  constructor(key: string) {
    const message =
      'The record is not a group of entities: it does not begin like one. Give entities a namespace of their own.'
    super('CORRUPT', message, { key })
  }
}

/** The entries in a range, in the order of keys. */
export function entriesIn(
  entries: ReadonlyMap<string, Bytes>,
  { prefix, after, limit }: GroupRange,
): readonly GroupEntry[] {
  const found: GroupEntry[] = []
  for (const [key, value] of entries) {
    if (!key.startsWith(prefix) || (after !== undefined && compareKeys(key, after) <= 0)) continue
    if (found.length >= limit) break
    found.push({ key, value })
  }
  return found
}
